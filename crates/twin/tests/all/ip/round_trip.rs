//! Simulated scenarios whose capture is analysed: every exchange and every retransmission of the simulation is found again.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use sojourn_capture::{Address, Event, FlowId, Outcome, Sent, Service, Transaction};
use sojourn_core::Streams;
use sojourn_core::Time;
use sojourn_metrics::record::Observation;

use super::networks::with_two_clients;
use crate::simulated::{Captured, EXACT, pick};

impl Captured {
    /// Requests with their answers by the last number of the client's address, in the order of their ends, those without at
    /// last.
    fn exchanges(&self) -> BTreeMap<u8, Vec<Transaction>> {
        let mut found: BTreeMap<u8, Vec<Transaction>> = BTreeMap::new();
        for event in self.out.log() {
            let Event::Transaction(transaction) = event else { continue };
            if let Some(host) = self.echo_client(transaction.flow) {
                found.entry(host).or_default().push(*transaction);
            }
        }
        found.values_mut().for_each(|of| of.sort_by_key(|transaction| transaction.end.unwrap_or(Time::NEVER)));
        found
    }

    fn echo_client(&self, flow: FlowId) -> Option<u8> {
        let key = self.out.flows().key(flow)?;
        match (key.from, key.service) {
            (Address::Ip(IpAddr::V4(address)), Service::Udp(7)) => Some(Ipv4Addr::octets(&address)[3]),
            _ => None,
        }
    }

    /// Requests of the simulation by the last number of the client's address: when each was sent, and when answered.
    fn requests(&self) -> BTreeMap<u8, Vec<(u64, Option<u64>)>> {
        let mut sent = BTreeMap::new();
        for (name, rows) in &self.record.traces {
            let Some(station) = name.strip_prefix("requests/").and_then(|rest| rest.split('/').nth(1)) else {
                continue;
            };
            let host = station.rsplit('-').next().and_then(|number| number.parse().ok()).expect("a number");
            let answered = |response: f64| response.is_finite().then(|| (response * 1e12).round() as u64);
            sent.insert(host, rows.iter().map(|&(at, response)| (at, answered(response).map(|of| at + of))).collect());
        }
        sent
    }

    fn count(&self, metric: &str) -> u64 {
        let counted = |event: &Event| match event {
            Event::Count(_, name, more) if *name == metric => *more,
            _ => 0,
        };
        self.out.log().iter().map(counted).sum()
    }

    fn simulated(&self, metric: &str) -> u64 {
        match self.record.metrics.get(metric) {
            Some(Observation::Count(count)) => *count,
            // of what the network does not do there is nothing to be found
            Some(Observation::NotApplicable) => 0,
            other => panic!("{metric}: {other:?}"),
        }
    }

    /// User data of TCP without what was sent again.
    fn new_tcp_bytes(&self) -> u64 {
        let new = |event: &Event| match event {
            Event::Sent(Sent { flow, l4_bytes, repeated: false, .. }) if self.echo_client(*flow).is_none() => *l4_bytes,
            _ => 0,
        };
        self.out.log().iter().map(|event| u64::from(new(event))).sum()
    }

    /// Every answered request of the simulation is in the capture. An answer is captured where its last bit reaches the
    /// client's host, always the same time before the client's program has it.
    fn check_exchanges(&self, text: &str) {
        let (simulated, mut captured) = (self.requests(), self.exchanges());
        assert!(!simulated.is_empty(), "{text}");
        for (host, requests) in simulated {
            let captured = captured.remove(&host).unwrap_or_default();
            let ends: Vec<u64> = captured.iter().filter_map(|of| Some(of.end?.picoseconds())).collect();
            let answers: Vec<u64> = requests.iter().filter_map(|(_, answered)| *answered).collect();
            // the answer of the last exchange may have reached the host and not the program
            assert!(
                (answers.len()..=answers.len() + 1).contains(&ends.len()),
                "{} {} {text}",
                answers.len(),
                ends.len()
            );
            let later: Vec<u64> = answers.iter().zip(&ends).map(|(answer, end)| answer - end).collect();
            let spread = later.iter().max().unwrap_or(&0) - later.iter().min().unwrap_or(&0);
            // response times are stored in seconds, as floating-point numbers
            assert!(spread <= 2, "{spread} ps {text}");
            for (transaction, (sent, _)) in
                captured.iter().zip(requests.iter().filter(|(_, answered)| answered.is_some()))
            {
                assert_eq!((transaction.attempts, transaction.outcome), (1, Outcome::Answered));
                assert!(transaction.begin.picoseconds() > *sent, "a request reaches the server after it was sent");
            }
            let open = captured.len() - ends.len();
            let lost = requests.len() - answers.len();
            assert!(open <= lost + 1, "{open} of {lost} {text}");
        }
    }

    /// Every retransmission that reached a host is found, and nothing else is taken for one.
    fn check_retransmissions(&self, text: &str) {
        let (simulated, captured) = (self.simulated("retransmissions"), self.count("retransmissions"));
        let dropped = self.simulated("drops");
        assert!(captured <= simulated, "{captured} of {simulated} {text}");
        assert!(captured + dropped + 1 >= simulated, "{captured} and {dropped} lost of {simulated} {text}");
        let members = ["rto", "fast", "tail-loss-probe", "spurious"];
        let classified: u64 = members.iter().map(|member| self.count(&format!("retransmissions/{member}"))).sum();
        assert_eq!(classified, captured, "{text}");
        assert_eq!(
            (self.count("out_of_order"), self.count("captured_twice"), self.count("evicted")),
            (0, 0, 0),
            "{text}"
        );
    }
}

fn switched_lan_scenario(seed: u64) -> String {
    let mut random = Streams::new(seed, 0).stream("round trip");
    let mut of = |values: &[&'static str]| pick(&mut random, values);
    let lan = of(&[
        "capture = \"frames\"",
        "capture = \"cells\"",
        "capture = \"cells\"\nservice = \"abr\"",
        "framing = \"packets\"",
    ]);
    let (size, think) = (of(&["64 B", "1000 B", "9000 B"]), of(&["0 s", "1 ms"]));
    format!(
        r#"
        [network]
        kind = "switched-lan"
        [lan]
        {lan}
        [[medium]]
        name = "left"
        [[medium]]
        name = "right"
        [[station]]
        name = "client-1"
        on = "left"
        [[station]]
        name = "switch"
        type = "switch"
        on = ["left", "right"]
        [[station]]
        name = "server"
        on = "right"
        [probe]
        from = "client-1"
        to = "server"
        size = "{size}"
        think = "{think}"
        [run]
        duration = "100 ms"
        warm_up = "0 s"
        "#
    )
}

fn ip_scenario(seed: u64) -> String {
    with_two_clients(&mut Streams::new(seed, 0).stream("round trip"))
}

fn check_ip(seed: u64) {
    let text = ip_scenario(seed);
    let run = Captured::of(&text, seed, EXACT);
    run.check_exchanges(&text);
    run.check_retransmissions(&text);
}

fn check_switched_lan(seed: u64) {
    let text = switched_lan_scenario(seed);
    Captured::of(&text, seed, EXACT).check_exchanges(&text);
}

#[test]
fn exchanges_and_retransmissions_of_simulated_ip_networks_are_found_in_their_captures() {
    (0..6).for_each(check_ip);
}

#[test]
fn exchanges_of_simulated_switched_lans_are_found_in_their_captures() {
    (0..4).for_each(check_switched_lan);
}

#[test]
#[ignore = "takes a minute; `make nightly` runs it"]
fn exchanges_and_retransmissions_of_50_random_scenarios_are_found_in_their_captures() {
    (100..150).for_each(check_ip);
    (100..150).for_each(check_switched_lan);
}

#[test]
fn the_user_data_of_a_bulk_transfer_is_what_its_receiver_reads() {
    let text = ip_scenario(1).replace("streams = 0", "streams = 1");
    let run = Captured::of(&text, 1, EXACT);
    let Some(Observation::Scalar(throughput)) = run.record.metrics.get("throughput") else { panic!("no throughput") };
    let (read, captured) = (throughput / 8.0 * 4.0, run.new_tcp_bytes() as f64);
    assert!(read > 0.0 && (captured - read).abs() / read < 0.05, "{read} and {captured} bytes");
}
