//! Simulated rings whose capture is analysed: every exchange and every retransmission of the simulation is found again.

use sojourn_capture::{Event, LinkType, Network, Outcome, Packet, Sink, Trackers, Transaction};
use sojourn_core::{Duration, Stream, Streams, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::{Observation, Record};
use sojourn_model::Replication;
use sojourn_scenario::check;

/// Processors and adapters that take no time: what is left of an exchange is on the ring, where a capture sees it.
const NO_COSTS: &str = r#"{ send_packet = "0 s", receive_packet = "0 s", per_byte = "0 s", send_control = "0 s", receive_control = "0 s", adapter_copy_per_byte = "0 s", discard = "0 s" }"#;

/// Hands every frame to the trackers as a capture would.
struct Analysis {
    trackers: Trackers,
    out: Sink,
    packets: u64,
}

impl FrameSink for Analysis {
    fn frame(&mut self, time: Time, data: &[u8]) {
        self.packets += 1;
        let packet = Packet::whole(self.packets, time, LinkType::FDDI, data);
        assert_eq!(self.trackers.packet(&packet, &mut self.out), Some(Network::Fddi));
    }
}

fn simulated_and_captured(text: &str, seed: u64) -> (Record, Sink) {
    let scenario = sojourn_catalogue::NETWORKS.kinds().parse("test.toml", text).and_then(|document| check(&document));
    let scenario = scenario.unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    let model =
        sojourn_catalogue::NETWORKS.find("fddi").expect("a network of the registry").model(&scenario).expect("a model");
    let mut analysis = Analysis { trackers: Trackers::default(), out: Sink::with_log(), packets: 0 };
    let run = scenario.run();
    let record = model.replicate(Replication {
        seed,
        traces: true,
        capture: Some(&mut analysis),
        warm_up: Duration::from_millis(50),
        ..Replication::alone(run.duration)
    });
    analysis.trackers.finish(Time::ZERO + run.duration + Duration::from_secs(1), &mut analysis.out);
    assert!(analysis.out.malformed_packets().is_empty(), "{:?}", analysis.out.malformed_packets());
    (record, analysis.out)
}

fn scenario(seed: u64) -> String {
    let mut random = Streams::new(seed, 0).stream("round trip");
    let mut of = |values: &[&'static str]| one_of(&mut random, values);
    let (length, ttrt, samples) =
        (of(&["0.1 km", "20 km"]), of(&["4 ms", "8 ms", "20 ms"]), of(&["64", "256", "1024", "4000"]));
    let (class, option, policy) = (
        of(&["synchronous", "asynchronous"]),
        of(&["status", "delivery", "edge"]),
        of(&["automatic", "selective", "go-back-n"]),
    );
    let (share, data, acknowledges) = (
        of(&["0 %", "2 %", "10 %"]),
        of(&["delivered", "lost"]),
        of(&["at-delivery", "before-delivery", "after-user"]),
    );
    format!(
        r#"
        [network]
        kind = "fddi"
        [[medium]]
        name = "ring"
        length = "{length}"
        ttrt = "{ttrt}"
        enforce_allocation = false
        [[station]]
        name = "sender"
        on = ["ring"]
        clock_tick = "0 s"
        acknowledges = "{acknowledges}"
        costs = {NO_COSTS}
        [[station]]
        name = "receiver"
        on = ["ring"]
        clock_tick = "0 s"
        acknowledges = "{acknowledges}"
        costs = {NO_COSTS}
        [[flow]]
        name = "voice"
        from = "sender"
        to = "receiver"
        traffic = "voice"
        samples = {samples}
        class = "{class}"
        request_option = "{option}"
        retransmission = "{policy}"
        probe = true
        [probe]
        measure = "half-round-trip"
        exchanges = 100
        transfer = "0 B"
        paced = "0 s"
        [impairment]
        unacknowledged = "{share}"
        unacknowledged_data = "{data}"
        [run]
        duration = "10 min"
        warm_up = "50 ms"
        "#
    )
}

fn one_of<'a>(random: &mut Stream, values: &[&'a str]) -> &'a str {
    values[random.below(values.len() as u32) as usize]
}

fn count(record: &Record, metric: &str) -> u64 {
    match record.metrics.get(metric) {
        Some(Observation::Count(count)) => *count,
        other => panic!("{metric}: {other:?}"),
    }
}

/// Every exchange ends the same time after its answer was captured, at the instant of the simulation, and has its retries.
fn check_exchanges(seed: u64) {
    let text = scenario(seed);
    let (record, out) = simulated_and_captured(&text, seed + 1);
    let transactions: Vec<Transaction> = out
        .log()
        .iter()
        .filter_map(|event| match event {
            Event::Transaction(transaction) => Some(*transaction),
            _ => None,
        })
        .collect();
    // half of the round-trip time is a response time of the simulation
    let ended = |&(sent, half): &(u64, f64)| sent + (2.0 * half * 1e12).round() as u64;
    // one that takes longer than 5 s is given up, and its answer left out: those behind it answer the wrong requests
    let all = &record.traces["requests/voice/sender"];
    let kept = all.iter().position(|(_, half)| !half.is_finite()).unwrap_or(all.len());
    let exchanges = &all[..kept];
    let answered: Vec<&Transaction> =
        transactions.iter().filter(|transaction| transaction.outcome == Outcome::Answered).take(kept).collect();
    assert_eq!((all.len(), transactions.len(), answered.len()), (100, 100, kept), "{seed}: {text}");
    let later: Vec<u64> = exchanges
        .iter()
        .zip(&answered)
        .map(|(exchange, transaction)| ended(exchange) - transaction.end.expect("answered").picoseconds())
        .collect();
    let spread = later.iter().max().unwrap() - later.iter().min().unwrap();
    // half of a time is in whole picoseconds
    assert!(spread <= 4, "{spread} ps of {later:?} in {seed}: {text}");
    for ((sent, half), transaction) in exchanges.iter().zip(&answered) {
        let response = transaction.end.expect("answered").since(transaction.begin).seconds();
        assert!(transaction.begin.picoseconds() > *sent && response < 2.0 * half, "{seed}: {text}");
    }
    let attempts: u64 = transactions.iter().map(|transaction| u64::from(transaction.attempts) - 1).sum();
    let whole = out.whole();
    assert_eq!(attempts + whole.counted("retries"), count(&record, "retries"), "retries of {seed}: {text}");
    assert_eq!(whole.counted("retransmissions"), count(&record, "retries"), "retransmissions of {seed}: {text}");
    assert_eq!(whole.counted("handshakes"), count(&record, "handshakes"), "handshakes of {seed}: {text}");
    assert_eq!((whole.counted("captured_twice"), whole.counted("evicted")), (0, 0));
}

#[test]
fn exchanges_and_retransmissions_of_simulated_rings_are_found_in_their_captures() {
    (0..6).for_each(check_exchanges);
}

#[test]
#[ignore = "fifty random scenarios; `make nightly` runs it"]
fn exchanges_and_retransmissions_of_fifty_random_rings_are_found_in_their_captures() {
    (100..150).for_each(check_exchanges);
}

#[test]
fn messages_of_one_direction_end_with_their_acknowledgement_and_begin_where_they_are_delivered_from() {
    let text = scenario(1)
        .replace(
            "traffic = \"voice\"",
            "traffic = \"messages\"\narrivals = { kind = \"poisson\", interval = \"5 ms\" }",
        )
        .replace("duration = \"10 min\"", "duration = \"2 s\"");
    let before = text.split("[probe]").next().unwrap();
    let samples = text.lines().find(|line| line.contains("samples")).unwrap();
    let text =
        format!("{}[run]\nduration = \"2 s\"\nwarm_up = \"50 ms\"\n", before.replace(samples, "data = \"500 B\""));
    let (record, out) = simulated_and_captured(&text, 1);
    let begins: Vec<u64> = out
        .log()
        .iter()
        .filter_map(|event| match event {
            Event::Transaction(found) if found.outcome == Outcome::Answered => Some(found.begin.picoseconds()),
            _ => None,
        })
        .collect();
    let messages = &record.traces["requests/voice/sender"];
    let delivered: Vec<u64> = messages.iter().map(|&(sent, time)| sent + (time * 1e12).round() as u64).collect();
    assert!(delivered.len() > 300, "{}", delivered.len());
    // the capture has those of the warm-up as well
    let begins = &begins[begins.partition_point(|begin| *begin < messages[0].0)..];
    let later: Vec<u64> = delivered.iter().zip(begins).map(|(delivered, begin)| delivered - begin).collect();
    assert!(later.iter().max().unwrap() - later.iter().min().unwrap() <= 2, "{later:?}");
    let Some(Observation::Scalar(utilisation)) = record.metrics.get("utilisation") else { panic!("no utilisation") };
    let bits: u64 = out.bits().values().sum();
    let captured = bits as f64 / 100e6 / 2.05;
    // a captured packet has the headers of IP, which the simulated one lacks, and those of XTP 4.0
    assert!(captured > *utilisation * 0.9 && captured < *utilisation * 1.4, "{captured} of {utilisation}");
}
