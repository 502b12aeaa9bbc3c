//! Paths of IP networks: by closed forms where there are some, by what queues promise elsewhere.

use crate::support::{metrics, scenario, value};

const HOME_LINK: &str = include_str!("../../../../examples/ip-home-link.toml");
const FIFO: &str = include_str!("../../../../studies/linux-lan-response-time/fifo.toml");
const BORROW: &str = include_str!("../../../../studies/linux-lan-response-time/borrow.toml");
const ASSURED: &str = include_str!("../../../../studies/linux-lan-response-time/assured.toml");

/// Seconds of a packet of full length on the home's uplink.
const UPLINK_PACKET: f64 = 1538.0 * 8.0 / 20e6;

/// Seconds of a packet of full length in the token bucket of the study.
const BUCKET_PACKET: f64 = 1514.0 * 8.0 / 100e6;

/// Small windows, which lose nothing, and hosts that take no time.
const WINDOWS: [(&str, &str); 4] = [
    ("station.tcp.send_buffer", "64 KiB"),
    ("station.tcp.receive_buffer", "64 KiB"),
    ("station.costs.packet", "0 s"),
    ("run.duration", "2 s"),
];

/// Two links of 100 Mbit/s and 5 ms with a router between them, and one transfer of a small window.
const WINDOW: &str = r#"
[network]
kind = "ip"
[[medium]]
name = "near"
rate = "100 Mbit/s"
length = "0 m"
delay = "5 ms"
[[medium]]
name = "far"
rate = "100 Mbit/s"
length = "0 m"
delay = "5 ms"
[[station]]
name = "router"
type = "router"
on = ["near", "far"]
forwarding_delay = "100 us"
[[station]]
name = "sender"
on = "near"
[[station]]
name = "receiver"
on = "far"
[background]
from = "sender"
to = "receiver"
connection = "established"
start_spread = "0 s"
[run]
duration = "5 s"
"#;

#[test]
fn an_echo_alone_takes_the_unloaded_path_time() {
    let found = metrics(HOME_LINK, &[("background.streams", "0"), ("run.duration", "2 s")]);
    // 92 octets of IP and 38 of framing on each of three links, 50 ns of cable on each, 10 ms of delays; to and fro
    let link = |rate: f64| (92.0 + 38.0) * 8.0 / rate + 50e-9;
    let expected = 2.0 * (link(20e6) + 2.0 * link(1e9) + 10e-3);
    assert!((value(&found, "response_time", "min") - expected).abs() < 1e-9);
    assert!((value(&found, "response_time", "max") - expected).abs() < 1e-9);
}

#[test]
fn an_answer_comes_back_at_the_rate_of_the_other_direction() {
    let slow = ("medium.uplink.rate_back", "2 Mbit/s");
    let found = metrics(HOME_LINK, &[slow, ("background.streams", "0"), ("run.duration", "2 s")]);
    let link = |rate: f64| (92.0 + 38.0) * 8.0 / rate + 50e-9;
    let expected = link(20e6) + link(2e6) + 4.0 * link(1e9) + 20e-3;
    assert!((value(&found, "response_time", "min") - expected).abs() < 1e-9);
}

#[test]
fn downloads_fill_the_queue_of_the_other_direction() {
    let fifo = "{ kind = \"fifo\", limit = 200 }";
    let downloads = [("background.from", "server"), ("background.to", "laptop"), ("run.duration", "10 s")];
    let waits = |queue: &str, back: &str| {
        let both = [("medium.uplink.queue", queue), ("medium.uplink.queue_back", back)];
        value(&metrics(HOME_LINK, &[&both[..], &downloads].concat()), "response_time", "p50") - 20.2e-3
    };
    let (long, short) = (waits("{ kind = \"fq-codel\" }", fifo), waits(fifo, "{ kind = \"fq-codel\" }"));
    assert!(long > 100.0 * UPLINK_PACKET && long < 201.0 * UPLINK_PACKET, "{long}");
    assert!(short > 0.0 && short <= UPLINK_PACKET, "{short}");
}

#[test]
fn beside_uploads_a_fifo_lets_an_echo_wait_for_all_and_fq_codel_for_the_packet_on_the_wire() {
    let queue = "{ kind = \"fifo\", limit = 200 }";
    let fifo = metrics(HOME_LINK, &[("medium.uplink.queue", queue), ("run.duration", "10 s")]);
    let fair = metrics(HOME_LINK, &[("run.duration", "10 s")]);
    let unloaded = 20.2e-3;
    // a FIFO of 200 packets that three transfers fill: between half and all of it stands before an echo
    let waits = value(&fifo, "response_time", "p50") - unloaded;
    assert!(waits > 100.0 * UPLINK_PACKET && waits < 201.0 * UPLINK_PACKET, "{waits}");
    let [most, usual] = ["max", "p90"].map(|field| value(&fair, "response_time", field) - unloaded);
    assert!(usual > 0.0 && usual <= UPLINK_PACKET, "{usual}");
    // a transfer whose queue had run empty is a new flow like the echo: one packet of each may be before it
    assert!(most <= 4.0 * UPLINK_PACKET, "{most}");
    assert!(value(&fair, "utilisation/router/provider", "value") > 0.98, "the uploads do not pay for it");
}

#[test]
fn a_window_below_what_the_path_holds_sends_a_window_a_round_trip() {
    for window in [20_000.0, 60_000.0] {
        let buffer = format!("{window} B");
        let found = metrics(WINDOW, &[("station.tcp.receive_buffer", &buffer), ("station.tcp.send_buffer", "1 MiB")]);
        let segments = (window / 1448.0f64).floor();
        // a segment and its acknowledgement: two links, two delays and the router's, in each direction
        let bits = |octets: f64| 2.0 * (octets + 38.0) * 8.0 / 100e6;
        let round_trip = bits(1500.0) + bits(52.0) + 2.0 * (10e-3 + 100e-6);
        let expected = segments * 1448.0 * 8.0 / round_trip;
        let throughput = value(&found, "throughput", "value");
        // every second segment is acknowledged, so that one may wait for the next
        assert!(throughput < 1.001 * expected, "{throughput} of {expected}");
        assert!(throughput > (1.0 - 1.5 / segments) * expected, "{throughput} of {expected}");
    }
}

#[test]
fn virtual_ethernet_takes_no_time_and_a_token_bucket_adds_none() {
    for text in [FIFO, BORROW, ASSURED] {
        let edits = [("background.streams", "0"), ("station.costs.packet", "40 us"), ("run.duration", "2 s")];
        let found = metrics(text, &edits);
        assert!((value(&found, "response_time", "max") - 80e-6).abs() < 1e-9, "two packets cost 40 us each");
    }
}

#[test]
fn transfers_that_borrow_fill_the_bucket_and_an_echo_waits_for_one_packet_of_each() {
    let found = metrics(BORROW, &WINDOWS);
    let waits = value(&found, "response_time", "p99");
    assert!(waits < 4.0 * BUCKET_PACKET, "{waits}");
    let throughput = value(&found, "throughput", "value");
    assert!((throughput / (100e6 * 1448.0 / 1514.0) - 1.0).abs() < 0.01, "{throughput}");
}

#[test]
fn with_a_quarter_for_sure_an_echo_hardly_waits_and_in_one_fifo_it_waits_for_all() {
    let assured = metrics(ASSURED, &WINDOWS);
    let fifo = metrics(FIFO, &WINDOWS);
    assert!(value(&assured, "response_time", "p50") < 0.1 * BUCKET_PACKET);
    assert!(value(&fifo, "response_time", "p50") > 100.0 * BUCKET_PACKET);
}

#[test]
fn the_echo_of_2048_octets_goes_in_two_fragments_each_direction_and_loses_none() {
    let found = metrics(BORROW, &[("probe.size", "2048 B"), ("run.duration", "2 s")]);
    assert!(value(&found, "response_time", "count") > 300.0);
    assert_eq!(value(&found, "loss", "value"), 0.0);
}

#[test]
fn a_path_on_which_nothing_has_a_rate_is_refused() {
    let endless = scenario(FIFO, &[("medium.trunk.queue", "{ kind = \"fifo\" }")]).expect("its keys are in order");
    let said = crate::support::model(&endless).err().expect("packets would take no time").render(false, 200);
    assert!(said.contains("rate = \"unlimited\"") && said.contains("token bucket"), "{said}");
}

#[test]
fn what_cannot_be_is_refused_where_it_stands() {
    for (key, text, expected) in [
        ("medium.uplink.queue", "{ kind = \"htb\" }", "shaping"),
        ("medium.uplink.queue", "{ kind = \"fifo\", limit = 0 }", "limit"),
        ("medium.uplink.queue", "{ kind = \"fifo\", target = \"5 ms\" }", "target"),
        ("medium.uplink.queue", "{ kind = \"fqcodel\" }", "fq-codel"),
        ("medium.uplink.queue", "{ kind = \"fifo\", limit_bytes = \"1 KiB\" }", "mtu, 1500 B"),
        ("medium.uplink.queue", "{ kind = \"drr\", quantum = \"64.5 B\" }", "whole number"),
        ("medium.uplink.mtu", "60 B", "68 B"),
        ("medium.uplink.loss", "120 %", "100 %"),
        ("medium.uplink.rate", "fast", "unlimited"),
    ] {
        let refused = scenario(HOME_LINK, &[(key, text)]).err();
        let said = refused.unwrap_or_else(|| panic!("{key} = {text} is taken")).render(false, 200);
        assert!(said.contains(expected), "{said}");
    }
}
