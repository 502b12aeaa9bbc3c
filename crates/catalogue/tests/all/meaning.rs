//! What is noted before a run: true, and nothing of what Sojourn comes with that is not meant.

use std::path::{Path, PathBuf};

use sojourn_catalogue::NETWORKS;
use sojourn_scenario::{Scenario, check};

fn notes_of(scenario: &Scenario) -> Vec<String> {
    let network = NETWORKS.find(scenario.kind).expect("a network");
    let notes = network.notes(scenario, &network.meaning(scenario), scenario.run().replications);
    notes.iter().map(sojourn_model::Warning::in_words).collect()
}

fn notes(text: &str, edits: &[(&str, &str)]) -> Vec<String> {
    notes_of(&NETWORKS.checked(text, edits))
}

/// The only note of a scenario.
fn note(text: &str, edits: &[(&str, &str)]) -> String {
    let mut found = notes(text, edits);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn documents(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(Path::new("../..").join(folder)).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(documents(path.strip_prefix("../..").expect("below").to_str().expect("a name")));
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn of_what_it_comes_with_only_what_is_meant_to_be_too_much_is_noted() {
    let (mut said, mut read) = (Vec::new(), 0);
    for path in ["examples", "installations", "studies"].into_iter().flat_map(documents) {
        let Ok(document) = NETWORKS.kinds().read(&path) else { continue };
        let Ok(scenario) = check(&document) else { continue };
        if !scenario.is_measurement() {
            read += 1;
            said.extend(notes_of(&scenario));
        }
    }
    for network in NETWORKS.0 {
        said.extend(notes(&NETWORKS.template(network.kind()), &[]));
    }
    assert!(read > 50, "{read}");
    // what the study of token rounds is about: a router, five masters and two with addresses far apart
    let gaps = said.iter().filter(|note| note.contains("addresses that no master has")).count();
    said.retain(|note| !note.contains("addresses that no master has"));
    assert_eq!(gaps, 3);
    // queues that drop are what the example is about: video of 1250 packets/s of 1200 octets, and five calls of 50 of 172, behind 28 of IP
    // and UDP and in 38 of Ethernet
    // a wire that all want to send on is what a point of its study is about
    said.retain(|note| !note.contains("one-wire-ethernet/saturated.toml:36: 554 Mbit/s are offered to medium `wire`"));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("assured-forwarding.toml:69: 13.1 Mbit/s are offered to medium `trunk` of 10 Mbit/s"),
        "{said:?}"
    );
}

/// Two hosts with an uplink of 50 Mbit/s between their routers, IP packets alone on it.
const LINK: &str = r#"
[network]
kind = "ip"
[[medium]]
name = "home"
[[medium]]
name = "uplink"
rate = "50 Mbit/s"
framing_overhead = "0 B"
link_overhead = "0 B"
queue = { kind = "fifo", limit = 100 }
[[medium]]
name = "far"
[[station]]
name = "router"
type = "router"
on = ["home", "uplink"]
[[station]]
name = "edge"
type = "router"
on = ["uplink", "far"]
[[station]]
name = "camera"
on = "home"
[[station]]
name = "screen"
on = "far"
[run]
duration = "10 s"
warm_up = "1 s"
"#;

fn with(text: &str, flow: &str) -> String {
    format!("{text}\n[[flow]]\n{flow}\n")
}

/// 1472 octets behind 8 of UDP and 20 of IP: 12 000 bits.
fn video(interval: &str) -> String {
    with(
        LINK,
        &format!(
            "name = \"video\"\nfrom = \"camera\"\nto = \"screen\"\nservice = \"stream\"\nsize = \"1472 B\"\nprobe = true\n\
             arrivals = {{ kind = \"poisson\", interval = \"{interval}\" }}"
        ),
    )
}

#[test]
fn streams_above_the_rate_of_a_link_are_named_with_both_rates_and_both_remedies() {
    // 5000 packets/s of 12 000 bits
    let found = note(&video("200 us"), &[]);
    assert!(found.contains("60 Mbit/s are offered to medium `uplink` of 50 Mbit/s: its queue grows"), "{found}");
    assert!(found.ends_with("raise `flow.video.arrivals.interval`, or raise `medium.uplink.rate`"), "{found}");
    // 49.98 Mbit/s
    assert_eq!(notes(&video("240.1 us"), &[]), Vec::<String>::new());
    let shaped = [("medium.uplink.queue.shaping", "{ rate = \"20 Mbit/s\", burst = \"3 kB\" }")];
    let found = note(&video("400 us"), &shaped);
    assert!(found.contains("30.0 Mbit/s are offered to medium `uplink` of 20 Mbit/s"), "{found}");
    assert!(found.ends_with("or raise `medium.uplink.queue.shaping.rate`"), "{found}");
}

#[test]
fn a_flow_that_begins_after_the_run_offers_nothing_and_its_probe_no_sample() {
    let found = note(&video("200 us"), &[("flow.video.start", "11 s")]);
    assert!(found.contains("`video` is sampled and begins after 11 s, when runs have ended after 11 s"), "{found}");
    assert!(found.ends_with("give run.duration more than 10 s"), "{found}");
}

#[test]
fn transfers_and_requests_take_what_there_is_and_are_no_load() {
    let closed = "name = \"store\"\nfrom = \"camera\"\nto = \"screen\"\nservice = \"bulk\"";
    assert_eq!(notes(&with(LINK, closed), &[("medium.uplink.rate", "1 Mbit/s")]), Vec::<String>::new());
}

#[test]
fn a_fixed_jitter_buffer_of_calls_before_transfers_is_named_with_what_the_queue_may_add() {
    let calls =
        "name = \"calls\"\nfrom = \"camera\"\nto = \"screen\"\nservice = \"voice\"\nvoice = { codec = \"g711\" }";
    let store = "name = \"store\"\nfrom = \"camera\"\nto = \"screen\"\nservice = \"bulk\"";
    let text = with(&with(LINK, calls), store);
    // 100 packets of 1500 octets at 10 Mbit/s
    let slow = ("medium.uplink.rate", "10 Mbit/s");
    let found = note(&text, &[slow]);
    assert!(found.contains("keep the delay of a first packet in an idle network and 40 ms more"), "{found}");
    assert!(found.contains("may wait 120 ms at `router/edge`"), "{found}");
    // 24 ms, within the 40 ms; another queue; a buffer that follows; calls that begin among the transfers
    assert_eq!(notes(&text, &[]), Vec::<String>::new());
    for clear in [
        ("medium.uplink.queue", "{ kind = \"fq-codel\" }"),
        ("flow.calls.voice.jitter_buffer", "\"adaptive\""),
        ("flow.calls.start", "2 s"),
    ] {
        assert_eq!(notes(&text, &[slow, clear]), Vec::<String>::new(), "{clear:?}");
    }
}

#[test]
fn costs_and_rates_of_another_decade_are_taken_for_another_unit() {
    // a thousand times the 90 ns of a workstation of 1995
    let found = note(&video("1 ms"), &[("station.camera.costs.per_byte", "90 us"), ("flow.video.size", "8 B")]);
    assert!(found.contains("`per_byte` of 90 µs is 1000 times the 90 ns of the slowest"), "{found}");
    assert_eq!(notes(&video("1 ms"), &[("station.camera.costs.per_byte", "0.09 us")]), Vec::<String>::new());
    let found = note(&video("100 s"), &[("medium.far.rate", "1000 bit/s"), ("flow.video.probe", "false")]);
    assert!(found.contains("medium `far` has 1 kbit/s (RFC 1055"), "{found}");
    assert!(found.ends_with("if kbit/s are meant: rate = \"1000 kbit/s\""), "{found}");
}

/// Customers of two flows at a desk that serves ten a second.
const DESK: &str = r#"
[network]
kind = "queue"
[[station]]
name = "desk"
service = { kind = "exponential", mean = "100 ms" }
[[flow]]
name = "walk"
path = ["desk"]
arrivals = { kind = "poisson", rate = "6 /s" }
[[flow]]
name = "drive"
path = ["desk"]
arrivals = { kind = "poisson", rate = "1 /s" }
probe = true
[run]
duration = "60 s"
warm_up = "10 s"
replications = 10
"#;

#[test]
fn customers_above_what_the_servers_serve_are_named() {
    let found = note(DESK, &[("flow.walk.arrivals.rate", "11 /s")]);
    assert!(found.contains("12 customers/s are offered to station `desk`, which serves 10"), "{found}");
    assert!(found.ends_with("lower `flow.walk.arrivals.rate`, or raise `station.desk.servers`"), "{found}");
    assert_eq!(
        notes(DESK, &[("flow.walk.arrivals.rate", "11 /s"), ("station.desk.servers", "2")]),
        Vec::<String>::new()
    );
}

#[test]
fn a_percentile_of_too_few_samples_says_how_many_there_are_and_what_gives_enough() {
    // 60 customers in each of 10 replications; ten of a hundred are beyond p90, of a thousand beyond p99
    let expect = |field: &str| format!("{DESK}\n[expect]\n\"response_time.{field}\" = \"< 1 s\"\n");
    let found = note(&expect("p99"), &[]);
    assert!(
        found.contains("`response_time.p99` takes 1000 samples, and 10 replications of 60 s have about 600"),
        "{found}"
    );
    assert!(found.ends_with("give run.duration 100 s, or 17 replications"), "{found}");
    for enough in ["p95", "p90", "p50", "mean"] {
        assert_eq!(notes(&expect(enough), &[]), Vec::<String>::new(), "{enough}");
    }
    assert_eq!(notes(&expect("p99"), &[("run.duration", "100 s")]), Vec::<String>::new());
}

#[test]
fn a_probe_that_sends_less_than_once_in_a_run_is_named() {
    let found = note(DESK, &[("flow.drive.arrivals", "{ kind = \"periodic\", interval = \"10 min\" }")]);
    assert!(
        found.contains("`drive` is sampled and sends one message in 10 min: runs of 60 s have 0.1 of them"),
        "{found}"
    );
    assert!(found.ends_with("give run.duration 10 min or more"), "{found}");
}

#[test]
fn packets_above_what_a_lontalk_channel_sustains_are_named() {
    let site = |arrivals: &str, more: &str| {
        format!(
            "[network]\nkind = \"lontalk\"\n[[medium]]\nname = \"bus\"\nchannel = \"TP/XF-78\"\npriority_slots = 0\n\
             [[station]]\nname = \"sensor\"\ncount = 50\n[[station]]\nname = \"panel\"\n\
             [[flow]]\nname = \"values\"\nfrom = \"sensor\"\nto = \"panel\"\ndata = \"1 B\"\n\
             arrivals = {{ kind = \"poisson\", {arrivals} }}\n{more}\n[run]\nduration = \"60 s\"\nwarm_up = \"1 s\"\n"
        )
    };
    // packets of 11 bytes saturate this channel near 360 a second (the bulletin)
    let found = note(&site("rate = \"10 /s\"", "service = \"unacknowledged\""), &[]);
    let served = found.split_once("500 packets/s are offered to channel `bus`, which serves ").expect("both rates").1;
    let served: f64 = served.split_once(':').expect("a number").0.parse().expect("a number");
    assert!((served / 360.0 - 1.0).abs() < 0.03, "{found}");
    assert_eq!(notes(&site("rate = \"6 /s\"", "service = \"unacknowledged\""), &[]), Vec::<String>::new());
    // each with its acknowledgement
    let found = note(&site("rate = \"6 /s\"", "service = \"acknowledged\""), &[]);
    assert!(found.contains("600 packets/s are offered"), "{found}");
}

#[test]
fn runs_shorter_than_the_last_retry_of_a_message_are_named() {
    let text = "[network]\nkind = \"lontalk\"\n[[medium]]\nname = \"bus\"\n[[station]]\nname = \"sensor\"\n\
                [[station]]\nname = \"panel\"\n[[flow]]\nname = \"values\"\nfrom = \"sensor\"\nto = \"panel\"\n\
                transaction_timer = \"192 ms\"\nretries = 3\narrivals = { kind = \"poisson\", interval = \"10 ms\" }\n\
                [run]\nduration = \"700 ms\"\nwarm_up = \"1 s\"\n";
    // four times 192 ms
    let found = note(text, &[]);
    assert!(
        found.contains("runs of 700 ms are shorter than the transaction timer and 3 retries of `values`, 768 ms"),
        "{found}"
    );
    assert_eq!(notes(text, &[("run.duration", "800 ms")]), Vec::<String>::new());
}

#[test]
fn frames_above_the_airtime_of_a_channel_are_named() {
    let air = |rate: &str| {
        format!(
            "[network]\nkind = \"packet-radio\"\n[[medium]]\nname = \"air\"\nbit_rate = \"1200 bit/s\"\n\
             [[station]]\nname = \"one\"\n[[station]]\nname = \"other\"\n\
             [[flow]]\nname = \"beacons\"\nfrom = [\"one\"]\nto = \"other\"\nservice = \"unnumbered\"\ndata = \"128 B\"\n\
             arrivals = {{ kind = \"poisson\", rate = \"{rate}\" }}\n[run]\nduration = \"1 h\"\nwarm_up = \"1 min\"\n"
        )
    };
    // 128 octets behind 16 of header, 2 of FCS, a zero stuffed every 62 bits, and a flag: 1194.8 bits
    let found = note(&air("2 /s"), &[]);
    assert!(found.contains("2.39 kbit/s are offered to channel `air` of 1.20 kbit/s"), "{found}");
    assert_eq!(notes(&air("1 /s"), &[]), Vec::<String>::new());
}

#[test]
fn messages_above_the_time_of_a_processor_of_a_ring_are_named() {
    let ring = |rate: &str| {
        format!(
            "[network]\nkind = \"fddi\"\n[[station]]\nname = \"one\"\n[[station]]\nname = \"other\"\n\
             [[flow]]\nname = \"files\"\nfrom = \"one\"\nto = \"other\"\ntraffic = \"messages\"\ndata = \"1000 B\"\n\
             transport = \"datagram\"\narrivals = {{ kind = \"poisson\", rate = \"{rate}\" }}\n\
             [run]\nduration = \"60 s\"\nwarm_up = \"1 s\"\n"
        )
    };
    // 1361 µs and 1000 times 0.5453 µs of a packet: 1906.3 µs
    let found = note(&ring("600 /s"), &[]);
    assert!(found.contains("114 % of the time of the processor of `one` are asked for"), "{found}");
    assert_eq!(notes(&ring("500 /s"), &[]), Vec::<String>::new());
}

#[test]
fn frames_above_the_time_of_the_control_stage_of_an_adapter_are_named() {
    let template = NETWORKS.template("fddi-adapter");
    let edits = |load: &'static str| {
        [
            ("traffic.direction", "receive"),
            ("traffic.mix", "constant"),
            ("traffic.frame_size", "992 B"),
            ("traffic.load", load),
            ("adapter.receive_control", "200 us"),
            ("adapter.control_per_byte", "0 s"),
        ]
    };
    // 992 bytes and 8 of preamble last 80 us: at 50 Mbit/s one every 160 us
    let found = notes(&template, &edits("50 Mbit/s"));
    assert!(
        found.iter().any(|note| note.contains("125 % of the time of the control stage are asked for")),
        "{found:?}"
    );
    let found = notes(&template, &edits("30 Mbit/s"));
    assert!(!found.iter().any(|note| note.contains("control stage")), "{found:?}");
}
