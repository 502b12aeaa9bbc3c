//! Calls over Ethernet and IP: what each listener hears, by closed forms where there are some.

use sojourn_metrics::record::{Observation, Record};

use crate::support::{metrics, record, scenario, value};

const CALLS: &str = include_str!("../../../../examples/ethernet-calls.toml");

/// Twenty phones behind a FIFO that uploads fill.
const OFFICE: &str = include_str!("ip_office.toml");

/// One call without files, hosts that take no time.
const ALONE: [(&str, &str); 4] = [
    ("flow.calls.voice.channels", "1"),
    ("medium.trunk.queue", "{ kind = \"fifo\", limit = 100 }"),
    ("station.costs", "{ packet = \"0 s\", per_byte = \"0 s\", ack = \"0 s\", receive_delay = \"0 s\" }"),
    ("run.duration", "4 s"),
];

/// Octets of time of a packet of 20 ms of G.711: speech, RTP, UDP and IP in a frame.
const PACKET: f64 = 160.0 + 12.0 + 28.0 + 38.0;

fn with<'a>(edits: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    ALONE.into_iter().chain(edits.iter().copied()).collect()
}

/// The call alone: files and terminal begin after the end.
fn alone<'a>(edits: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut all = with(edits);
    all.extend([("flow.files.start", "100 s"), ("flow.terminal.start", "100 s")]);
    all
}

/// Why the model refuses the scenario with these edits.
fn refused(edits: &[(&str, &str)]) -> String {
    let checked = scenario(CALLS, edits).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    crate::support::model(&checked).err().expect("it is refused").render(false, 100)
}

#[test]
fn a_call_alone_is_as_late_as_its_packets_path_and_buffer() {
    let found = metrics(CALLS, &alone(&[("station.switch.latency", "0 s")]));
    let transit = PACKET * 8.0 * (2.0 / 100e6 + 1.0 / 10e6) + 3.0 * 50e-9;
    assert!((value(&found, "one_way_delay", "max") - transit).abs() < 1e-9);
    // 20 ms of packet, 3.75 ms of concealment, 40 ms of playout delay
    let delay = value(&found, "play_out_delay", "value");
    assert!((delay - transit - 63.75e-3).abs() < 1e-9, "{delay}");
    assert_eq!(value(&found, "play_out_loss", "value"), 0.0);
    assert!((value(&found, "r_factor", "value") - 91.45).abs() < 0.05, "{}", value(&found, "r_factor", "value"));
    assert!((value(&found, "mos", "value") - 4.37).abs() < 0.01);
}

#[test]
fn packets_are_those_of_the_codec_and_of_the_packet_time() {
    let packets = |voice: &str| {
        let found = metrics(CALLS, &alone(&[("flow.calls.voice", voice)]));
        value(&found, "packets", "value")
    };
    // each packet on three links, in two directions
    let each = |interval_ms: f64| 3.0 * 2.0 * 4000.0 / interval_ms;
    assert!((packets("{ codec = \"g729a\", packet_time = \"30 ms\" }") - each(30.0)).abs() <= 12.0);
    assert!((packets("{ codec = \"evs-24.4\" }") - each(20.0)).abs() <= 12.0);
    let spurts = packets("{ codec = \"g711\", speech = \"talkspurts\", talkspurt = \"100 ms\", pause = \"100 ms\" }");
    assert!((0.4..0.65).contains(&(spurts / each(20.0))), "{spurts}");
}

#[test]
fn strict_priority_keeps_calls_clear_of_files_and_a_fifo_does_not() {
    // CUBIC leaves slow start before the queue is full, and takes seconds to fill it
    let run = [("run.warm_up", "5 s"), ("run.duration", "5 s")];
    let priority = metrics(CALLS, &run);
    let fifo = metrics(CALLS, &[run[0], run[1], ("medium.trunk.queue", "{ kind = \"fifo\", limit = 100 }")]);
    assert!(value(&priority, "mos", "value") > 4.3, "{}", value(&priority, "mos", "value"));
    // the direction of the files, one of two: 1000 packets a second of calls, the rest full packets; of both the FIFO holds
    // 100, and is half full at least
    let full = (1e7 - 1000.0 * PACKET * 8.0) / (1538.0 * 8.0);
    let most = 100.0 / (1000.0 + full);
    let waits = value(&fifo, "one_way_delay", "p90");
    assert!(waits > most / 2.0 && waits < most * 1.1, "{waits} of {most}");
    let [clear, late] = [&priority, &fifo].map(|found| value(found, "mos", "value"));
    assert!(late < clear - 0.3, "{late} against {clear}");
    // of the highest class: the packet on the trunk, all other calls' packets that come together, twice the hosts
    let most = 1538.0 * 8.0 / 10e6 + 20.0 * PACKET * 8.0 / 10e6 + 2e-3;
    assert!(value(&priority, "one_way_delay", "max") < most);
    assert!(value(&priority, "throughput", "value") > 7e6, "the files take what calls leave");
}

#[test]
fn each_call_has_its_own_rating_and_the_poorest_speaks_for_all() {
    let edits = [("flow.calls.voice.channels", "110"), ("run.duration", "3 s")];
    let found = metrics(CALLS, &edits);
    let mos: Vec<f64> = (1..=110).map(|call| value(&found, &format!("mos/calls/{call}"), "value")).collect();
    let poorest = mos.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(value(&found, "mos", "value"), poorest);
    // 105 calls of 95.2 kbit/s fill the trunk
    assert!(poorest < 4.0, "{poorest}");
    assert!(!found.contains_key("mos/calls/111"));
}

#[test]
fn a_scenario_without_calls_records_nothing_of_them() {
    let text = CALLS.replace("service = \"voice\"", "service = \"echo\"").replace("voice = {", "# ");
    let found = record(&text, &[("run.duration", "1 s")]);
    for name in ["mos", "r_factor", "play_out_delay", "play_out_loss", "one_way_delay", "fifo_underflow"] {
        assert!(!found.metrics.contains_key(name), "{name}");
    }
}

#[test]
fn the_same_calls_pass_routers_of_ip_and_cells_of_atm() {
    // cells have no classes, and no queue discipline before a link
    let of_packets = ["queue", "dscp", "pcp"];
    let lines = CALLS.lines().filter(|line| !of_packets.iter().any(|key| line.starts_with(&format!("{key} = "))));
    let mut edits = alone(&[("lan.framing", "cells")]);
    edits.retain(|(key, _)| *key != "medium.trunk.queue");
    let atm = metrics(&lines.collect::<Vec<_>>().join("\n"), &edits);
    // a packet and LLC, SNAP, AAL5 in 5 cells of 53 octets
    let cells = (200.0f64 + 8.0 + 8.0) / 48.0;
    assert_eq!(cells.ceil(), 5.0);
    assert!(value(&atm, "mos", "value") > 4.3);
    let text = CALLS
        .replace("kind = \"switched-lan\"", "kind = \"ip\"")
        .replace("[lan]\nframing = \"packets\"\n", "")
        .replace("type = \"switch\"", "type = \"router\"");
    let ip = metrics(&text, &[("run.duration", "3 s")]);
    assert!(value(&ip, "mos", "value") > 4.3);
}

#[test]
fn voice_that_no_codec_or_buffer_has_is_refused_where_it_is_written() {
    let of = |voice: &str| refused(&[("flow.calls.voice", voice)]);
    assert!(
        of("{ codec = \"g729a\", packet_time = \"15 ms\" }")
            .contains("a packet of g729a holds whole frames of 10000 µs")
    );
    assert!(of("{ buffer = \"10 ms\" }").contains("a jitter buffer holds at least one packet"));
    let text = CALLS.replace("voice = { codec", "# voice = { codec");
    let checked = scenario(&text, &[]).expect("it is checked");
    let problems = crate::support::model(&checked).err().expect("it is refused").render(false, 100);
    assert!(problems.contains("a voice flow has no `voice`"), "{problems}");
    let unknown = scenario(CALLS, &[("flow.calls.voice.codec", "evs-13")]).expect_err("refused").render(false, 100);
    assert!(unknown.contains("evs-13.2"), "{unknown}");
}

#[test]
fn behind_a_queue_that_fills_an_adaptive_buffer_follows_and_a_fixed_one_says_why_it_is_late() {
    let of = |buffer: &str| {
        let voice = format!("{{ jitter_buffer = \"{buffer}\" }}");
        record(OFFICE, &[("flow.calls.voice", &voice), ("run.duration", "10 s"), ("run.replications", "1")])
    };
    let scalar = |record: &Record, name: &str| match record.metrics[name] {
        Observation::Scalar(value) => value,
        ref other => panic!("{name} is {other:?}"),
    };
    let [fixed, adaptive] = ["fixed", "adaptive"].map(of);
    // the uploads fill 1000 packets of the queue, 240 ms, of which the first packet after the warm-up of 2 s has seen less than half
    assert!(scalar(&fixed, "play_out_loss/late") > 0.5, "{fixed:?}");
    assert!(fixed.notes.iter().any(|note| note.contains("jitter_buffer = \"adaptive\"")), "{:?}", fixed.notes);
    assert!(scalar(&adaptive, "play_out_loss/late") < 0.02, "{adaptive:?}");
    assert!(scalar(&adaptive, "mos") > 3.0, "where the fixed one has 1");
    assert!(adaptive.notes.is_empty(), "{:?}", adaptive.notes);
}
