//! Blocks through NET/ROM nodes.

use crate::support::{Metrics, metrics, record, value};

/// The benchmark of KP4DJT: two terminals, two X-1J nodes between them, wire, COAXLAN and radio.
const X1J: &str = r#"
    [network]
    kind = "packet-radio"
    [[medium]]
    name = "wire"
    type = "wire"
    txdelay = "100 ms"
    [[medium]]
    name = "coaxlan"
    bit_rate = "38.4 kbit/s"
    txdelay = "20 ms"
    txtail = "0 s"
    [[medium]]
    name = "radio"
    bit_rate = "9600 bit/s"
    txdelay = "100 ms"
    [[station]]
    name = "ping"
    callsign = "PING-1"
    on = ["wire"]
    frack = "1 s"
    character_interval = "2.15 ms"
    turnaround = "250 ms"
    persistence = "100 %"
    [[station]]
    name = "node-a"
    type = "node"
    callsign = "NODEA"
    on = ["wire", "coaxlan"]
    frack = "1 s"
    [[station]]
    name = "node-b"
    type = "node"
    callsign = "NODEB"
    on = ["coaxlan", "radio"]
    frack = "1 s"
    [[station]]
    name = "pong"
    callsign = "PONG-1"
    on = ["radio"]
    frack = "1 s"
    character_interval = "2.15 ms"
    turnaround = "250 ms"
    persistence = "100 %"
    [probe]
    from = "ping"
    to = "pong"
    path = ["node-a", "node-b"]
    size = "64 B"
    round_trips = 20
    [run]
    duration = "6 h"
"#;

/// Three nodes in a row on channels of their own, a terminal at either end.
const CHAIN: &str = r#"
    [network]
    kind = "packet-radio"
    [[medium]]
    name = "left"
    type = "wire"
    [[medium]]
    name = "first"
    type = "wire"
    [[medium]]
    name = "second"
    type = "wire"
    [[medium]]
    name = "right"
    type = "wire"
    [[station]]
    name = "ping"
    callsign = "PING-1"
    on = ["left"]
    [[station]]
    name = "node-a"
    type = "node"
    callsign = "NODEA"
    on = ["left", "first"]
    [[station]]
    name = "node-b"
    type = "node"
    callsign = "NODEB"
    on = ["first", "second"]
    [[station]]
    name = "node-c"
    type = "node"
    callsign = "NODEC"
    on = ["second", "right"]
    [[station]]
    name = "pong"
    callsign = "PONG-1"
    on = ["right"]
    [probe]
    from = "ping"
    to = "pong"
    path = ["node-a", "node-c"]
    size = "256 B"
    round_trips = 5
    [run]
    duration = "6 h"
"#;

fn mean(metrics: &Metrics) -> f64 {
    value(metrics, "response_time", "mean")
}

fn of_x1j(size: &str, edits: &[(&str, &str)]) -> Metrics {
    metrics(X1J, &[&[("probe.size", size)], edits].concat())
}

fn all_returned(metrics: &Metrics, round_trips: f64) {
    assert_eq!(value(metrics, "response_time", "count"), round_trips);
    assert_eq!(value(metrics, "failures", "value"), 0.0);
}

#[test]
fn a_block_beyond_the_window_of_a_circuit_waits_for_an_acknowledgement_delay() {
    // 512 octets are four packets of a circuit, 522 five, 1024 eight: one more window in each direction
    let [four, five, eight] = ["512 B", "522 B", "1024 B"].map(|size| of_x1j(size, &[]));
    for found in [&four, &five, &eight] {
        all_returned(found, 20.0);
    }
    let held = |metrics: &Metrics| value(metrics, "delay_budget/network-layers", "mean");
    assert!(held(&four) < 0.2, "{}", held(&four));
    // between one and two seconds in each direction, until the sender's node has the acknowledgement
    assert!((2.0..5.0).contains(&held(&five)), "{}", held(&five));
    assert!(mean(&five) > mean(&four) + 2.0);
    assert!(mean(&eight) > mean(&four) + 2.0);
}

#[test]
fn an_acknowledgement_at_a_full_window_ends_the_wait() {
    let early = [("station.netrom.early_ack", "full")];
    let slower: f64 = mean(&of_x1j("2048 B", &[])) - mean(&of_x1j("2048 B", &early));
    // three more windows in each direction, at least a second each
    assert!(slower > 3.0, "{slower} s");
}

#[test]
fn a_larger_window_and_threshold_end_the_wait() {
    let larger = [("station.netrom.window", "16"), ("station.netrom.congestion_threshold", "16")];
    let held = |metrics: &Metrics| value(metrics, "delay_budget/network-layers", "mean");
    let (usual, larger) = (of_x1j("1024 B", &[]), of_x1j("1024 B", &larger));
    assert!(held(&usual) > 1.0 && held(&larger) < 0.3, "{} and {}", held(&usual), held(&larger));
}

#[test]
fn a_threshold_of_two_forwards_one_frame_of_256_octets_at_a_time() {
    let two = [("station.netrom.congestion_threshold", "2")];
    let (usual, two) = (mean(&of_x1j("512 B", &[])), mean(&of_x1j("512 B", &two)));
    assert!(two > usual + 2.0, "{usual} and {two}");
}

#[test]
fn every_setting_of_a_node_returns_every_block() {
    for (key, words) in [
        ("ack_delay_runs", ["first", "restart"].as_slice()),
        ("ack_delay_grows", &["true", "false"]),
        ("early_ack", &["none", "half", "full"]),
        ("tick", &["0 s", "1 s"]),
        ("window", &["1", "2", "127"]),
        ("congestion_threshold", &["1", "2", "127"]),
        ("choke", &["never", "at-threshold", "with-ack", "at-ack"]),
        ("choke_threshold", &["0", "1", "8"]),
        ("unchoke", &["at-once", "at-ack", "every-second"]),
        ("choke_rewinds", &["true", "false"]),
        ("choked_receiver_discards", &["true", "false"]),
        ("admission", &["true", "false"]),
        ("fragment", &["20 B", "236 B"]),
        ("reassembles", &["true", "false"]),
        ("sequence_modulus", &["128", "256"]),
        ("retransmits", &["all", "oldest"]),
        ("nak", &["at-once", "with-ack", "never"]),
        ("keeps_out_of_order", &["true", "false"]),
        ("resets", &["true", "false"]),
    ] {
        for word in words {
            let key = format!("station.netrom.{key}");
            let found = of_x1j("1024 B", &[(&key, word), ("probe.round_trips", "3")]);
            assert_eq!(value(&found, "response_time", "count"), 3.0, "{key} = {word}");
            assert_eq!(value(&found, "failures", "value"), 0.0, "{key} = {word}");
        }
    }
}

#[test]
fn every_setting_of_busy_clear_returns_every_block() {
    for word in ["silent", "rr", "poll"] {
        all_returned(&of_x1j("4096 B", &[("station.busy_clear", word), ("probe.round_trips", "5")]), 5.0);
    }
}

#[test]
fn a_node_below_its_low_watermark_stops_its_links_and_loses_nothing() {
    let few = [("station.netrom.buffers", "12"), ("probe.round_trips", "5")];
    let (few, many) = (of_x1j("4096 B", &few), of_x1j("4096 B", &few[1..]));
    all_returned(&few, 5.0);
    assert!(mean(&few) > mean(&many), "{} and {}", mean(&few), mean(&many));
}

#[test]
fn a_failed_path_is_set_up_again_after_all_its_links_and_circuits_are_closed() {
    let counts = ["9 s", "10 s", "11 s", "12 s"].map(|timeout| {
        let found = of_x1j("522 B", &[("probe.timeout", timeout)]);
        [value(&found, "response_time", "count"), value(&found, "failures", "value")]
    });
    assert!(counts.iter().all(|[returned, failed]| returned + failed == 20.0), "{counts:?}");
    // where some fail and some return, each does so on a path of its own
    assert!(counts.iter().any(|[returned, failed]| *returned > 3.0 && *failed > 3.0), "{counts:?}");
}

#[test]
fn intermediate_nodes_are_found_by_routing() {
    let found = metrics(CHAIN, &[]);
    all_returned(&found, 5.0);
}

#[test]
fn nodes_that_start_without_routes_learn_them_from_broadcasts() {
    let edits = [("station.netrom.starts_converged", "false"), ("station.netrom.nodes_interval", "60 s")];
    let found = metrics(CHAIN, &edits);
    // connects fail until two rounds of broadcasts
    assert_eq!(value(&found, "response_time", "count") + value(&found, "failures", "value"), 5.0);
    let never = metrics(CHAIN, &[edits[0], ("station.netrom.nodes_interval", "0 s")]);
    assert_eq!(value(&never, "response_time", "count"), 0.0);
    assert_eq!(value(&never, "failures", "value"), 5.0);
}

#[test]
fn impossible_watermarks_and_an_invalid_alias_are_refused() {
    for (key, text, message) in [
        ("station.netrom.buffers", "7", "watermarks 4 and 7 of 7 buffers cannot both be crossed"),
        ("station.node-a.netrom.alias", "TOOLONG", "an alias of 7 characters is longer than 6"),
    ] {
        let made = crate::support::scenario(X1J, &[(key, text)])
            .and_then(|scenario| crate::support::model(&scenario).map(|_| ()));
        let problems = made.expect_err("a mistake").render(false, 200);
        assert!(problems.contains(message), "{problems}");
    }
}

#[test]
fn the_same_seed_gives_the_same_observations() {
    let edits = [("probe.size", "1024 B"), ("medium.radio.bit_error_rate", "2e-5")];
    assert_eq!(record(X1J, &edits), record(X1J, &edits));
}

#[test]
fn a_route_below_the_minimum_quality_is_the_reason_that_nothing_arrives() {
    let edits = [("station.netrom.wire_quality", "100"), ("station.netrom.min_quality", "60")];
    let found = record(CHAIN, &edits);
    let responses = found.distribution("response_time");
    assert!(responses.count() == 0 && responses.sent() > 0, "{} of {}", responses.count(), responses.sent());
    let expected =
        "no route from node-a to node-c: at node-a its quality of 39 is below the minimum of 60 (min_quality)";
    assert_eq!(found.notes, [expected]);
    assert!(record(CHAIN, &[]).notes.is_empty());
}
