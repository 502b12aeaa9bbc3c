//! Wires that stations share, from the text of a scenario.

use crate::support::{metrics, model, scenario, value};

/// Three hosts on a wire of 10 Mbit/s, and an echo between two of them.
const WIRE: &str = r#"
    [network]
    kind = "switched-lan"
    [lan]
    framing = "packets"
    [[medium]]
    name = "wire"
    kind = "shared"
    length = "20 m"
    [[station]]
    name = "node"
    count = 3
    on = "wire"
    costs = { packet = "0 s", per_byte = "0 s", ack = "0 s", receive_delay = "0 s" }
    tcp = { profile = "modern" }
    [[flow]]
    name = "echo"
    from = "node-1"
    to = "node-2"
    service = "echo"
    size = "18 B"
    think = "1 ms"
    probe = true
    [run]
    duration = "1 s"
    warm_up = "10 ms"
    seed = 1
"#;

const STREAMS: &str = r#"
    [[flow]]
    name = "load"
    from = ["node-3", "node-2"]
    to = "node-1"
    service = "stream"
    size = "800 B"
    arrivals = { kind = "poisson", rate = "500 /s" }
"#;

fn errors(edits: &[(&str, &str)], text: &str) -> String {
    match scenario(text, edits) {
        Err(problems) => problems.to_string(),
        Ok(scenario) => match model(&scenario) {
            Err(problems) => problems.to_string(),
            Ok(_) => panic!("{edits:?} is accepted"),
        },
    }
}

#[test]
fn an_echo_alone_takes_two_frames_and_twice_the_distance() {
    let found = metrics(WIRE, &[]);
    // 576 bits of 100 ns in each direction, and 10 m at 5 ns; the answer waits for the gap
    let expected = 2.0 * (57.6e-6 + 50e-9) + 9.6e-6;
    for field in ["min", "max"] {
        let time = value(&found, "response_time", field);
        assert!((time - expected).abs() < 1e-9, "{field}: {time}");
    }
    assert_eq!(value(&found, "collisions", "value"), 0.0);
    let budget = |component: &str| value(&found, &format!("delay_budget/{component}"), "mean");
    assert!((budget("transmission") - 115.2e-6).abs() < 1e-9 && (budget("access") - 9.6e-6).abs() < 1e-9);
    assert!((budget("propagation") - 0.1e-6).abs() < 1e-12);
}

#[test]
fn the_delay_budget_adds_up_beside_collisions_and_turns() {
    for access in ["csma-cd", "plca"] {
        let found = metrics(&format!("{WIRE}{STREAMS}"), &[("medium.wire.access", access)]);
        let components = found.iter().filter(|(name, _)| name.starts_with("delay_budget/"));
        let sum: f64 = components.map(|(name, _)| value(&found, name, "mean")).sum();
        assert!((sum - value(&found, "response_time", "mean")).abs() < 1e-12, "{access}");
        assert_eq!(value(&found, "collisions", "value") > 0.0, access == "csma-cd");
        assert!(value(&found, "utilisation", "value") > 0.5);
    }
}

#[test]
fn tcp_goes_over_a_wire_in_both_directions() {
    let bulk = "
    [[flow]]
    name = \"file\"
    from = \"node-3\"
    to = \"node-2\"
    service = \"bulk\"
    ";
    for (access, least) in [("csma-cd", 5e6), ("plca", 8e6)] {
        let found = metrics(&format!("{WIRE}{bulk}"), &[("medium.wire.access", access)]);
        let rate = value(&found, "throughput/file", "value");
        assert!((least..9.5e6).contains(&rate), "{access}: {rate}");
    }
}

#[test]
fn response_times_stay_below_their_bound_with_plca_and_have_none_with_csma_cd() {
    let streams =
        STREAMS.replace("{ kind = \"poisson\", rate = \"500 /s\" }", "{ kind = \"periodic\", interval = \"10 ms\" }");
    let text = format!("{WIRE}{streams}");
    let bounds = |access: &str| {
        let scenario = scenario(&text, &[("medium.wire.access", access)]).unwrap();
        let network = sojourn_lan::NETWORKS.find("switched-lan").unwrap();
        network.bounds(&scenario).unwrap()
    };
    let bound = format!("{:?}", bounds("plca"));
    assert!(bound.contains("a turn in each cycle of PLCA"), "{bound}");
    assert!(format!("{:?}", bounds("csma-cd")).contains("no bound exists"));
}

#[test]
fn a_node_beyond_the_node_count_never_sends_and_unused_turns_only_cost_time() {
    let few = metrics(&format!("{WIRE}{STREAMS}"), &[("medium.wire.access", "plca"), ("medium.wire.node_count", "2")]);
    assert_eq!(value(&few, "frames_sent/node-3", "value"), 0.0);
    assert!(value(&few, "frames_sent/node-2", "value") > 100.0);
    let cycle = |count| {
        let found = metrics(WIRE, &[("medium.wire.access", "plca"), ("medium.wire.node_count", count)]);
        value(&found, "cycle_length", "min")
    };
    // 20 bits and 32 for each turn
    assert!((cycle("3") - 11.6e-6).abs() < 2e-7 && (cycle("20") - 66e-6).abs() < 2e-7);
}

#[test]
fn two_nodes_of_one_id_collide_on_the_wire_and_a_node_without_plca_does() {
    let plca = ("medium.wire.access", "plca");
    let text = format!("{WIRE}{STREAMS}");
    let right = metrics(&text, &[plca]);
    assert_eq!(value(&right, "collisions", "value"), 0.0);
    let twice = text.replace("count = 3", "count = 3\n    wire = { plca_id = 0, same_id = true }");
    assert!(value(&metrics(&twice, &[plca]), "collisions", "value") > 0.0);
    let without = format!("{text}\n[station.member.node-3]\nwire = {{ plca_id = 255 }}\n");
    assert!(value(&metrics(&without, &[plca]), "collisions", "value") > 0.0);
}

#[test]
fn nodes_collide_where_an_opportunity_ends_before_a_signal_has_crossed_the_wire_and_returned() {
    // 20 m and back are 200 ns, two bits
    let plca = ("medium.wire.access", "plca");
    let collisions = |bits| {
        let found = metrics(&format!("{WIRE}{STREAMS}"), &[plca, ("medium.wire.to_timer", bits)]);
        value(&found, "collisions", "value")
    };
    assert!(collisions("1") > 0.0);
    assert_eq!(collisions("8"), 0.0);
}

#[test]
fn without_power_at_node_0_the_others_fall_back_to_csma_cd_and_return_with_it() {
    let event = "
    [[event]]
    name = \"outage\"
    at = \"300 ms\"
    duration = \"300 ms\"
    stations = \"node-1\"
    action = \"power-down\"
    ";
    let text = WIRE.replace("from = \"node-1\"\n    to = \"node-2\"", "from = \"node-3\"\n    to = \"node-2\"");
    let found = metrics(&format!("{text}{event}"), &[("medium.wire.access", "plca")]);
    // two nodes leave PLCA and return to it
    assert_eq!(value(&found, "plca_changes", "value"), 4.0);
    assert!(value(&found, "response_time", "count") > 700.0);
    assert_eq!(value(&found, "loss", "value"), 0.0);
}

#[test]
fn what_a_wire_cannot_have_is_refused_with_what_to_write() {
    let plca = ("medium.wire.access", "plca");
    assert!(
        errors(&[("medium.wire.node_count", "3")], WIRE).contains("`node_count` is of PLCA, and access is by CSMA/CD")
    );
    assert!(
        errors(&[plca, ("station.node.wire.plca_id", "1")], WIRE).contains("no station on `wire` has the ID 0 of PLCA")
    );
    assert!(
        errors(&[("medium.wire.kind", "link"), plca], WIRE).contains("is of a shared wire, and this medium is links")
    );
    assert!(errors(&[("station.node.wire.position", "30 m")], WIRE).contains("`node-1` is at 30 m of a wire of 20 m"));
    let twice = WIRE
        .replace("[[flow]]", "[[station]]\nname = \"other\"\non = \"wire\"\nwire = { plca_id = 1 }\n[[flow]]")
        .replace("count = 3", "count = 3\nwire = { plca_id = 0 }");
    assert!(errors(&[plca], &twice).contains("`node-2` and `other` have the ID 1 of PLCA"));
    assert!(errors(&[("medium.wire.jitter", "1 ms")], WIRE).contains("`jitter` is of links"));
    assert!(errors(&[("lan.framing", "cells")], WIRE).contains("is of packets, and this LAN carries cells"));
}
