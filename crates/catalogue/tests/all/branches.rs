//! Points that differ in their events alone, begun with a copy of one world: to the bytes those of each alone.

use sojourn_metrics::record::Record;
use sojourn_scenario::{Scenario, WarmUp};

use sojourn_catalogue::NETWORKS;
use sojourn_core::Duration;
use sojourn_model::Replication;

const RING: &str = include_str!("../../../../examples/fddi-outage.toml");
const NIGHT: &str = include_str!("../../../../examples/packet-radio-night.toml");
const OUTAGE: &str = include_str!("../../../../examples/outage.toml");
const POWER: &str = include_str!("../../../../examples/lontalk-power.toml");

/// Requests and a bulk transfer share a trunk between two switches, which fails and loses cells or packets.
const TRUNK: &str = r#"
    [network]
    kind = "switched-lan"
    [lan]
    framing = "cells"
    [[medium]]
    name = "left"
    [[medium]]
    name = "trunk"
    [[medium]]
    name = "right"
    [[station]]
    name = "s1"
    type = "switch"
    on = ["left", "trunk"]
    [[station]]
    name = "s2"
    type = "switch"
    on = ["trunk", "right"]
    [[station]]
    name = "client"
    on = "left"
    [[station]]
    name = "server"
    on = "right"
    [[flow]]
    name = "echo"
    service = "echo"
    from = "client"
    to = "server"
    probe = true
    [[flow]]
    name = "file"
    service = "bulk"
    from = "client"
    to = "server"
    [[event]]
    name = "cut"
    media = "trunk"
    action = "down"
    at = "3 s"
    duration = "200 ms"
    [[event]]
    name = "noise"
    action = "set"
    set = { "medium.trunk.loss" = "1 %" }
    at = "5 s"
    duration = "1 s"
    [run]
    duration = "7 s"
    warm_up = "1 s"
"#;

/// Each of some edits of a scenario gives alone the record that it gives together with the others; how much of the run they
/// have in common.
fn assert_alike(text: &str, edits: &[&[(&str, &str)]]) -> Duration {
    let scenarios: Vec<Scenario> = edits.iter().map(|edits| NETWORKS.checked(text, edits)).collect();
    let together: Vec<&Scenario> = scenarios.iter().collect();
    let network = NETWORKS.find(scenarios[0].kind).unwrap();
    let model = network.together(&together).expect("they differ in their events alone");
    let run = scenarios[0].run();
    let WarmUp::Fixed(warm_up) = run.warm_up else { panic!("a warm-up") };
    for (index, traces) in [(0, true), (1, false)] {
        let replication = || Replication { index, traces, warm_up, seed: 7, ..Replication::alone(run.duration) };
        let alone: Vec<Record> =
            scenarios.iter().map(|scenario| network.model(scenario).unwrap().replicate(replication())).collect();
        let numbers: Vec<usize> = (0..alone.len()).collect();
        assert!(model.replicate(&replication(), &numbers) == alone, "replication {index}");
        assert!(model.replicate(&replication(), &[1]) == alone[1..2], "one of them");
        assert!(alone[0] != alone[1], "they differ");
    }
    model.in_common(warm_up, run.duration)
}

const SHORT: (&str, &str) = ("run.duration", "60 s");

#[test]
fn outages_of_a_link_of_different_lengths_begin_alike() {
    let lengths = ["1 s", "10 s", "25 s"].map(|length| [SHORT, ("event.outage.duration", length)]);
    let lengths: Vec<&[_]> = lengths.iter().map(|edits| edits.as_slice()).collect();
    assert_eq!(assert_alike(OUTAGE, &lengths), Duration::from_secs(30));
}

#[test]
fn events_at_different_times_share_what_is_before_the_first() {
    let times = ["11 s", "30 s", "20 s"].map(|at| [SHORT, ("event.outage.at", at)]);
    let times: Vec<&[_]> = times.iter().map(|edits| edits.as_slice()).collect();
    assert_eq!(assert_alike(OUTAGE, &times), Duration::from_secs(11));
}

#[test]
fn random_failures_share_the_warm_up() {
    let text = OUTAGE.replace("at = \"30 s\"", "mean_time_between = \"5 s\"");
    let text = text.replace("duration = \"10 s\"", "mean_time_to_repair = \"2 s\"");
    let repairs: [&[_]; 2] = [&[SHORT], &[SHORT, ("event.outage.mean_time_to_repair", "5 s")]];
    assert_eq!(assert_alike(&text, &repairs), Duration::from_secs(10));
}

#[test]
fn a_second_event_that_differs_leaves_the_first_in_common() {
    // 10 devices on a floor instead of 50
    let text = POWER.replace("count = 50", "count = 10");
    let spreads: [&[_]; 3] = [&[], &[("event.power.spread", "20 s")], &[("event.power.duration", "20 s")]];
    assert_eq!(assert_alike(&text, &spreads), Duration::from_secs(20 * 60));
}

#[test]
fn cells_and_frames_are_lost_alike_until_the_loss_differs() {
    let set = |loss: &str| format!("{{ \"medium.trunk.loss\" = \"{loss}\" }}");
    let (low, high) = (set("0.01 %"), set("5 %"));
    for framing in ["cells", "packets"] {
        let framing = ("lan.framing", framing);
        let losses: [&[_]; 2] = [&[framing, ("event.noise.set", &low)], &[framing, ("event.noise.set", &high)]];
        assert_eq!(assert_alike(TRUNK, &losses), Duration::from_secs(5));
    }
}

#[test]
fn rings_are_interrupted_alike_until_the_second_interruption_is_longer() {
    let lengths: [&[_]; 2] = [&[], &[("event.cut-fibre.duration", "3 s")]];
    assert_eq!(assert_alike(RING, &lengths), Duration::from_secs(40));
}

#[test]
fn a_valley_of_packet_radio_is_the_same_until_its_mailboxes_forward() {
    let short = ("run.duration", "100 min");
    let ends: [&[_]; 2] = [&[short], &[short, ("event.night.until", "90 min")]];
    assert_eq!(assert_alike(NIGHT, &ends), Duration::from_secs(3600));
}

#[test]
fn flows_that_begin_in_different_states_and_other_events_are_not_simulated_together() {
    let started =
        OUTAGE.replace("media = \"backbone\"\naction = \"down\"", "flows = \"background\"\naction = \"start\"");
    let stopped = started.replace("action = \"start\"", "action = \"stop\"");
    let named =
        OUTAGE.replace("name = \"outage\"", "name = \"cut\"").replace("recovery_time/outage", "recovery_time/cut");
    let of = |text: &str| NETWORKS.checked(text, &[]);
    let [outage, started, stopped, named] = [OUTAGE, &started, &stopped, &named].map(of);
    let network = NETWORKS.find("ip").unwrap();
    assert!(network.together(&[&started, &stopped]).is_none());
    assert!(network.together(&[&outage, &named]).is_none());
    assert!(network.together(&[&outage, &outage]).is_some());
}
