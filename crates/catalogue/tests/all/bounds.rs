//! In random scenarios nothing that is simulated exceeds its bound.

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;
use sojourn_catalogue::NETWORKS;
use sojourn_core::Duration;
use sojourn_metrics::merge::merge;
use sojourn_metrics::results::Bounds;
use sojourn_model::Replication;
use sojourn_scenario::{Scenario, check};

/// Rounding of a time to seconds in a float.
const ROUNDING: f64 = 1e-12;

/// A scenario's bounds beside one run of it.
fn compared(text: &str, seed: u64, duration: Duration) -> (Scenario, Bounds) {
    let document = NETWORKS.kinds().parse("random.toml", text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let scenario = check(&document).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let network = NETWORKS.find(scenario.kind).expect("a network of that kind");
    let mut bounds = network.worst_cases(&scenario).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let model = network.model(&scenario).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let record = model.replicate(Replication { seed, ..Replication::alone(duration) });
    bounds.compare(&mut merge(&[record]));
    (scenario, bounds)
}

/// Refuses a run in which something exceeds its bound; returns how many bounds were tested.
fn holds(text: &str, seed: u64, duration: Duration) -> Result<usize, TestCaseError> {
    let (_, bounds) = compared(text, seed, duration);
    let mut tested = 0;
    for row in &bounds.rows {
        if let (Some(bound), Some(largest)) = (row.bound(), row.simulated_max) {
            prop_assert!(largest <= bound + ROUNDING, "{} at {}: {largest} > {bound}\n{text}", row.flow, row.hop);
            tested += 1;
        }
    }
    Ok(tested)
}

prop_compose! {
    /// Stations with constant service, and flows of every kind that has an envelope through some of them.
    fn any_queues()(
        stations in prop::collection::vec((1u64..400, 1u32..4, prop::option::of(1u32..20)), 1..5),
        flows in prop::collection::vec(
            (prop::collection::vec(0usize..5, 1..5), 0u32..3, 500u64..20_000, 0u64..3000, 1u32..4), 1..5,
        ),
    ) -> String {
        let mut text = "[network]\nkind = \"queue\"\n".to_owned();
        let count = stations.len();
        // a station that turns customers away would end a closed population
        let open = flows.iter().all(|flow| flow.1 < 2);
        for (number, (service, servers, capacity)) in stations.into_iter().enumerate() {
            write!(
                text,
                "[[station]]\nname = \"s{number}\"\nservers = {servers}\nservice = {{ kind = \"deterministic\", mean = \"{service} us\" }}\n"
            ).unwrap();
            capacity.filter(|_| open).iter().for_each(|capacity| writeln!(text, "capacity = {capacity}").unwrap());
        }
        for (number, (path, kind, interval, jitter, size)) in flows.into_iter().enumerate() {
            let path: Vec<String> = path.into_iter().map(|station| format!("\"s{}\"", station % count)).collect();
            let arrivals = match kind {
                0 => format!("kind = \"periodic\", interval = \"{interval} us\", jitter = \"{jitter} us\""),
                1 => format!("kind = \"burst\", size = {size}, gap = \"{interval} us\", interval = \"{} us\"", 8 * interval),
                _ => format!("kind = \"closed\", population = {size}, think = \"{jitter} us\""),
            };
            write!(text, "[[flow]]\nname = \"f{number}\"\npath = [{}]\narrivals = {{ {arrivals} }}\nprobe = true\n", path.join(", ")).unwrap();
        }
        text + "[run]\nduration = \"1 s\"\n"
    }
}

/// Code points of three traffic classes.
fn class() -> impl Strategy<Value = u8> {
    prop::sample::select(vec![0, 18, 46])
}

prop_compose! {
    /// Hosts on switches in a line; echoes, bulk transfers and calls between them.
    fn any_lan()(
        switches in 1usize..4,
        hosts in prop::collection::vec(0usize..4, 2..6),
        rates in prop::collection::vec(prop::sample::select(vec!["10 Mbit/s", "20 Mbit/s", "100 Mbit/s"]), 8),
        queue in prop::sample::select(vec![
            "{ kind = \"fifo\" }", "{ kind = \"fifo\", limit = 30 }",
            "{ kind = \"drr\", quantum = \"1514 B\" }", "{ kind = \"drr\", quantum = \"300 B\" }",
            "{ kind = \"codel\" }", "{ kind = \"fq-codel\" }",
            "{ kind = \"fq-codel\", queues = \"exact\" }", "{ kind = \"fq-codel\", queues = \"exact\", quantum = \"300 B\" }",
            "{ kind = \"priority\" }", "{ kind = \"priority\", shaping = { rate = \"5 Mbit/s\", burst = \"3000 B\" } }",
            "{ kind = \"htb\", rate = \"1 Mbit/s\", burst = \"16 KiB\", cburst = \"64 KiB\", shaping = { rate = \"8 Mbit/s\" } }",
            "{ kind = \"htb\", rate = \"1 Mbit/s\", ceil = \"3 Mbit/s\", shaping = { rate = \"5 Mbit/s\" } }",
            "{ kind = \"fifo\", shaping = { rate = \"5 Mbit/s\", burst = \"3000 B\" } }",
        ]),
        costs in prop::sample::select(vec!["", "costs = { packet = \"80 us\", ack = \"30 us\", per_byte = \"20 ns\" }\n"]),
        jitter in prop::sample::select(vec!["0 us", "0 us", "150 us"]),
        echoes in prop::collection::vec((0usize..6, 0usize..6, 1u32..4000, 0u32..4000, 0u32..4000, class()), 1..4),
        bulks in prop::collection::vec((0usize..6, 0usize..6, class()), 0..3),
        calls in prop::collection::vec((0usize..6, 0usize..6, prop::sample::select(vec!["10 ms", "20 ms"]), class()), 0..3),
        (profile, window) in (prop::sample::select(vec!["bsd95", "modern"]), 4u32..40),
    ) -> String {
        let mut text = "[network]\nkind = \"ip\"\n".to_owned();
        let count = hosts.len();
        for (number, rate) in rates.iter().enumerate().take(count) {
            write!(text, "[[medium]]\nname = \"access{number}\"\nrate = \"{rate}\"\njitter = \"{jitter}\"\nqueue = {queue}\n").unwrap();
        }
        for number in 1..switches {
            write!(text, "[[medium]]\nname = \"trunk{number}\"\nrate = \"{}\"\nqueue = {queue}\n", rates[count % rates.len()]).unwrap();
        }
        for switch in 0..switches {
            let here = hosts.iter().enumerate().filter(|(_, at)| **at % switches == switch);
            let mut on: Vec<String> = here.map(|(host, _)| format!("\"access{host}\"")).collect();
            on.extend((1..switches).filter(|trunk| [trunk - 1, *trunk].contains(&switch)).map(|trunk| format!("\"trunk{trunk}\"")));
            if on.is_empty() {
                continue;
            }
            write!(text, "[[station]]\nname = \"r{switch}\"\ntype = \"router\"\non = [{}]\n", on.join(", ")).unwrap();
        }
        for (number, _) in hosts.iter().enumerate() {
            write!(text, "[[station]]\nname = \"h{number}\"\non = \"access{number}\"\n{costs}").unwrap();
            writeln!(text, "tcp = {{ profile = \"{profile}\", send_buffer = \"{window} KiB\", receive_buffer = \"{window} KiB\" }}").unwrap();
        }
        for (number, (from, to, size, think, spread, dscp)) in echoes.into_iter().enumerate() {
            let (from, to) = (from % count, (from + 1 + to % (count - 1)) % count);
            write!(text, "[[flow]]\nname = \"e{number}\"\nfrom = \"h{from}\"\nto = \"h{to}\"\nservice = \"echo\"\nsize = \"{size} B\"\nthink = \"{think} us\"\nthink_spread = \"{spread} us\"\ndscp = {dscp}\nprobe = true\n").unwrap();
        }
        for (number, (from, to, dscp)) in bulks.into_iter().enumerate() {
            let (from, to) = (from % count, (from + 1 + to % (count - 1)) % count);
            write!(text, "[[flow]]\nname = \"b{number}\"\nfrom = \"h{from}\"\nto = \"h{to}\"\nservice = \"bulk\"\ndscp = {dscp}\n").unwrap();
        }
        for (number, (from, to, packet_time, dscp)) in calls.into_iter().enumerate() {
            let (from, to) = (from % count, (from + 1 + to % (count - 1)) % count);
            write!(text, "[[flow]]\nname = \"v{number}\"\nfrom = \"h{from}\"\nto = \"h{to}\"\nservice = \"voice\"\nvoice = {{ packet_time = \"{packet_time}\" }}\ndscp = {dscp}\n").unwrap();
        }
        text + "[run]\nduration = \"1 s\"\n"
    }
}

prop_compose! {
    /// Two terminals on a wire, and a block that is returned.
    fn any_wire()(
        rate in prop::sample::select(vec![1200, 9600, 64_000]),
        size in 1u32..1200,
        paclen in 16u32..300,
        windows in (1u32..8, 1u32..8),
        (txdelay, txtail) in (prop::sample::select(vec![0, 40]), prop::sample::select(vec![0, 30])),
        resptime in prop::sample::select(vec![0, 0, 300]),
        (version, built) in (
            prop::sample::select(vec!["v2.0", "v2.2"]), prop::sample::select(vec!["at-key-up", "after-txdelay"]),
        ),
        input in prop::sample::select(vec![
            "serial_input = \"always\"", "serial_input = \"not-while-transmitting\"",
            "data_mode = \"transparent\"\npactime = \"200 ms\"",
        ]),
        (serial, receive, send, octet) in (prop::sample::select(vec![1200, 9600]), 0u32..60, 0u32..60, 0u32..900),
        pause in prop::sample::select(vec![0, 700]),
    ) -> String {
        let mut text = format!(
            "[network]\nkind = \"packet-radio\"\n[[medium]]\nname = \"wire\"\ntype = \"wire\"\nbit_rate = \"{rate} bit/s\"\n\
             txdelay = \"{txdelay} ms\"\ntxtail = \"{txtail} ms\"\nframes_built = \"{built}\"\n"
        );
        for (name, window) in [("a", windows.0), ("b", windows.1)] {
            write!(
                text,
                "[[station]]\nname = \"{name}\"\non = \"wire\"\ntype = \"terminal\"\npaclen = \"{paclen} B\"\nwindow = {window}\n\
                 version = \"{version}\"\nfrack = \"1 h\"\ncheck = \"20 h\"\nresptime = \"{resptime} ms\"\nserial_rate = \"{serial} bit/s\"\n{input}\n\
                 costs = {{ receive_frame = \"{receive} ms\", send_frame = \"{send} ms\", per_octet = \"{octet} us\" }}\n"
            ).unwrap();
        }
        text + &format!(
            "[probe]\nfrom = \"a\"\nto = \"b\"\nsize = \"{size} B\"\nround_trips = 5\npause = \"{pause} ms\"\ntimeout = \"50 min\"\n\
             [run]\nduration = \"1 day\"\n"
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(1850)))]

    #[test]
    fn no_customer_waits_longer_than_its_bound(text in any_queues(), seed in 1u64..1000) {
        holds(&text, seed, Duration::from_millis(50))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(100)))]

    #[test]
    fn no_echo_takes_longer_and_no_queue_is_longer_than_its_bound(text in any_lan(), seed in 1u64..1000) {
        holds(&text, seed, Duration::from_millis(30))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(50)))]

    #[test]
    fn no_block_on_a_wire_takes_longer_than_its_bound(text in any_wire(), seed in 1u64..1000) {
        prop_assert_eq!(holds(&text, seed, Duration::from_secs(86_400))?, 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50_000))]

    #[test]
    #[ignore = "minutes; `make nightly` runs it"]
    fn no_customer_of_many_waits_longer_than_its_bound(text in any_queues(), seed in 1u64..1000) {
        holds(&text, seed, Duration::from_millis(100))?;
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40_000))]

    #[test]
    #[ignore = "minutes; `make nightly` runs it"]
    fn no_echo_of_many_takes_longer_than_its_bound(text in any_lan(), seed in 1u64..1000) {
        holds(&text, seed, Duration::from_millis(60))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    #[ignore = "minutes; `make nightly` runs it"]
    fn no_block_of_many_on_a_wire_takes_longer_than_its_bound(text in any_wire(), seed in 1u64..1000) {
        prop_assert_eq!(holds(&text, seed, Duration::from_secs(86_400))?, 1);
    }
}

/// This many, or as many as the nightly run asks for.
fn cases(few: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(few)
}

#[test]
fn the_shared_examples_have_the_bounds_of_the_literature() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let document = NETWORKS.kinds().read(&folder.join("queue-md1.toml")).unwrap();
    let scenario = check(&document).unwrap();
    let bounds = NETWORKS.find(scenario.kind).unwrap().worst_cases(&scenario).unwrap();
    let poisson = bounds.rows.iter().find(|row| row.metric.as_deref() == Some("response_time")).unwrap();
    assert!(poisson.bound().is_none() && poisson.why.as_ref().unwrap().contains("Poisson"));
}

/// An echo between two hosts, with these keys of its flow and of its link.
fn echo(flow: &str, link: &str) -> String {
    format!(
        "[network]\nkind = \"ip\"\n[[medium]]\nname = \"wire\"\nrate = \"10 Mbit/s\"\n{link}\n\
         [[station]]\nname = \"a\"\n[[station]]\nname = \"b\"\n\
         [[flow]]\nname = \"echo\"\nfrom = \"a\"\nto = \"b\"\nservice = \"echo\"\nprobe = true\n{flow}\n"
    )
}

#[test]
fn a_distribution_without_a_largest_value_on_the_path_has_no_bound_and_says_so() {
    let gamma = "{ kind = \"gamma\", mean = \"1 ms\", shape = 2 }";
    for (text, says) in [
        (echo(&format!("server_time = {gamma}"), ""), "the server time of echo: its distribution has no largest value"),
        (echo("", &format!("jitter = {gamma}")), "the jitter of a/b: its distribution has no largest value"),
    ] {
        let (_, bounds) = compared(&text, 1, Duration::from_secs(1));
        assert!(bounds.rows.iter().all(|row| row.bound().is_none()), "{bounds:?}");
        let why = bounds.rows.iter().find_map(|row| row.why.clone()).unwrap_or_default();
        assert!(why.contains(says), "{why}");
    }
}

#[test]
fn measured_times_and_think_times_of_any_distribution_keep_their_bounds() {
    let measured = "{ kind = \"empirical\", values = [\"1 ms\", \"3 ms\"] }";
    let gamma = "{ kind = \"gamma\", mean = \"1 ms\", shape = 2 }";
    let text = echo(&format!("server_time = {measured}\nthink = {gamma}"), &format!("jitter = {measured}"));
    let (_, bounds) = compared(&text, 1, Duration::from_secs(20));
    let whole = bounds.rows.iter().find(|row| row.hop == "end to end").expect("the echo has a row");
    let (bound, largest) = (whole.bound().expect("it is bounded"), whole.simulated_max.expect("it was observed"));
    // 3 ms at the server, and 3 ms in each direction
    assert!(9e-3 < largest && largest <= bound && bound < 12e-3, "{largest} {bound}");
}
