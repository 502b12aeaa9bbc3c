//! Links and switches of switched LANs that fail, with cells and with frames.

use sojourn_metrics::record::Record;

use crate::support::{event, record, replication, requests, scenario};

/// Two switches and a trunk between them: an echo a hundred times a second.
const LAN: &str = r#"
    [network]
    kind = "switched-lan"
    [[medium]]
    name = "left"
    [[medium]]
    name = "right"
    [[medium]]
    name = "trunk"
    [[station]]
    name = "s1"
    type = "switch"
    on = ["left", "trunk"]
    [[station]]
    name = "s2"
    type = "switch"
    on = ["right", "trunk"]
    [[station]]
    name = "client"
    on = "left"
    [[station]]
    name = "server"
    on = "right"
    [probe]
    from = "client"
    to = "server"
    size = "64 B"
    think = "10 ms"
    think_spread = "0 s"
    timeout = "100 ms"
    [run]
    duration = "20 s"
    warm_up = "1 s"
"#;

const TRANSFERS: &str = r#"
    [background]
    from = "client"
    to = "server"
    streams = 1
    direction = "forward"
"#;

const FRAMINGS: [&str; 2] = ["cells", "packets"];

fn with(framing: &str, more: &str) -> Record {
    replication(&format!("{LAN}{more}"), &[("lan.framing", framing)], 0)
}

#[test]
fn nothing_passes_a_trunk_that_is_down_and_all_does_before_and_after() {
    for framing in FRAMINGS {
        let record = with(framing, &event("at = \"5 s\"\nduration = \"5 s\"\nmedia = \"trunk\"\naction = \"down\""));
        let [sent, answered] = requests(&record, 1.0, 5.0);
        assert_eq!(sent, answered, "{framing}");
        let [sent, answered] = requests(&record, 5.0, 10.0);
        // one at a time: a timeout of 100 ms and 10 ms of thinking
        assert!((45..=46).contains(&sent) && answered == 0, "{framing}: {answered} of {sent}");
        let [sent, answered] = requests(&record, 10.0, 21.0);
        assert!(sent > 900 && sent - answered <= 1, "{framing}: {answered} of {sent}");
        let recovery = record.distribution("recovery_time/it");
        let after = recovery.max().expect("it recovers").seconds() - 5.0;
        assert!((0.0..0.11).contains(&after), "{framing}: with the next request, {after} s");
    }
}

#[test]
fn a_switch_without_power_is_as_if_all_its_links_were_down() {
    for framing in FRAMINGS {
        let times = "at = \"5 s\"\nduration = \"2 s\"\n";
        let off = with(framing, &(event(&format!("{times}stations = \"s1\"\naction = \"power-down\"")) + TRANSFERS));
        let links = event(&format!("{times}media = [\"left\", \"trunk\"]\naction = \"down\""));
        assert_eq!(off.metrics, with(framing, &(links + TRANSFERS)).metrics, "{framing}");
        assert_eq!(requests(&off, 5.0, 7.0)[1], 0, "{framing}");
    }
}

#[test]
fn a_link_that_comes_up_between_switches_without_power_carries_nothing_until_both_have_it() {
    for framing in FRAMINGS {
        let link = event("at = \"5 s\"\nuntil = \"8 s\"\nmedia = \"trunk\"\naction = \"down\"");
        let power = |switch: &str, from: &str, until: &str| {
            format!(
                "[[event]]\nname = \"{switch}\"\nat = \"{from}\"\nuntil = \"{until}\"\nstations = \"{switch}\"\naction = \"power-down\"\n"
            )
        };
        let record = with(framing, &[link, power("s1", "7 s", "10 s"), power("s2", "6 s", "12 s")].concat());
        assert_eq!(requests(&record, 5.0, 12.0)[1], 0, "{framing}");
        let [sent, answered] = requests(&record, 12.0, 21.0);
        assert!(sent > 800 && sent - answered <= 1, "{framing}: {answered} of {sent}");
    }
}

#[test]
fn cells_that_a_trunk_begins_to_lose_lose_the_echoes_that_independent_cells_give() {
    let keys = "at = \"1 s\"\naction = \"set\"\nset = { \"medium.trunk.loss\" = \"2 %\" }";
    let text = format!("{LAN}{}", event(keys));
    let record = replication(&text, &[("run.duration", "200 s"), ("probe.timeout", "10 ms")], 0);
    let [sent, answered] = requests(&record, 1.0, 201.0);
    // UDP and IP headers, LLC and SNAP, AAL5 trailer: 108 octets in three cells, requests and responses; and the cell that ended the
    // datagram before, without which that one runs into this one (I.363.5)
    let expected = 1.0 - libm::pow(0.98, 8.0);
    let (sent, lost) = (sent as f64, (sent - answered) as f64);
    let deviation = (expected * (1.0 - expected) * sent).sqrt();
    assert!((lost - expected * sent).abs() < 3.0 * deviation, "{lost} of {sent}, {expected} ± {deviation}");
}

#[test]
fn a_flow_that_starts_was_silent_before_and_one_that_stops_sends_no_more() {
    for framing in FRAMINGS {
        let keys = "at = \"5 s\"\nuntil = \"10 s\"\nflows = \"background\"\naction = \"start\"";
        let record = with(framing, &(event(keys) + TRANSFERS));
        let rate = |from: f64, to: f64| crate::support::mean_level(&record, "throughput/timeline", from, to);
        assert!(rate(1.0, 5.0) < 1e6 && rate(11.0, 21.0) < 1e6, "{framing}");
        assert!(rate(6.0, 10.0) > 20e6, "{framing}: {}", rate(6.0, 10.0));
    }
}

#[test]
fn power_of_a_host_and_a_delay_of_cells_that_changes_are_refused_with_what_can_be_done() {
    let refused = |keys: &str, framing: &str| {
        let scenario =
            scenario(&format!("{LAN}{}", event(keys)), &[("lan.framing", framing)]).expect("keys that exist");
        match crate::support::model(&scenario) {
            Err(problems) => problems.render(false, 100),
            Ok(_) => panic!("{keys} is taken"),
        }
    };
    let found = refused("at = \"5 s\"\nstations = [\"s1\", \"client\"]\naction = \"power-down\"", "packets");
    assert!(found.contains("`client` is a host") && found.contains("test.toml"), "{found}");
    assert!(found.contains("action = \"down\""), "{found}");
    let delay = "at = \"5 s\"\naction = \"set\"\nset = { \"medium.trunk.delay\" = \"1 ms\" }";
    assert!(refused(delay, "cells").contains("its `loss` can"));
}

#[test]
fn events_that_change_nothing_leave_every_other_metric_as_it_is() {
    for framing in FRAMINGS {
        let keys = "at = \"5 s\"\naction = \"set\"\nset = { \"medium.trunk.loss\" = \"0 %\" }";
        let (timed, without) = (with(framing, &(event(keys) + TRANSFERS)), with(framing, TRANSFERS));
        for (name, observation) in &without.metrics {
            assert_eq!(timed.metrics.get(name), Some(observation), "{framing}: {name}");
        }
    }
    assert!(record(LAN, &[]).metrics.keys().all(|name| !name.ends_with("/timeline")));
}
