//! What queues that control delay do for an echo beside uploads on a home's uplink.

use sojourn_model::Network;

use crate::support::{metrics, scenario, value};

const HOME_LINK: &str = include_str!("../../../../examples/ip-home-link.toml");

/// Seconds of a packet of full length on the home's uplink, and of an echo alone on its path.
const UPLINK_PACKET: f64 = 1538.0 * 8.0 / 20e6;
const UNLOADED: f64 = 20.2e-3;

/// The median wait of an echo beside uploads, and the share of the uplink in use.
fn beside_uploads(queue: &str) -> (f64, f64) {
    let found = metrics(HOME_LINK, &[("medium.uplink.queue", queue), ("run.duration", "20 s")]);
    (value(&found, "response_time", "p50") - UNLOADED, value(&found, "utilisation/router/provider", "value"))
}

#[test]
fn pie_and_the_classic_queue_of_dualpi2_hold_a_target_of_15_ms() {
    for kind in ["pie", "dualpi2"] {
        let (waits, used) = beside_uploads(&format!("{{ kind = \"{kind}\" }}"));
        assert!((0.005..0.030).contains(&waits), "{kind}: {waits}");
        assert!(used > 0.95, "{kind}: {used}");
    }
}

#[test]
fn red_holds_its_average_between_its_thresholds() {
    let (waits, used) = beside_uploads("{ kind = \"red\", min = \"15 kB\", max = \"45 kB\", probability = 0.1 }");
    let thresholds = [15e3, 45e3].map(|octets: f64| octets * 8.0 / 20e6);
    assert!(waits > 0.5 * thresholds[0] && waits < thresholds[1], "{waits}");
    assert!(used > 0.95, "{used}");
}

#[test]
fn cake_s_shaper_keeps_the_uplink_s_own_queue_empty_and_an_echo_goes_first() {
    let (waits, used) = beside_uploads("{ kind = \"cake\", bandwidth = \"19 Mbit/s\", overhead = \"ethernet\" }");
    assert!(waits <= 20.0 / 19.0 * UPLINK_PACKET, "{waits}");
    // what it counts is what the link carries
    assert!((used - 0.95).abs() < 0.005, "{used}");
}

#[test]
fn a_word_of_cake_is_its_octets_and_what_carries_them() {
    let with = |queue: &str| beside_uploads(&format!("{{ kind = \"cake\", bandwidth = \"15 Mbit/s\", {queue} }}"));
    assert_eq!(with("overhead = \"docsis\""), with("overhead = \"18 B\", mpu = \"64 B\", framing = \"noatm\""));
    assert_eq!(with("overhead = \"pppoe-llcsnap\""), with("overhead = \"40 B\", framing = \"atm\""));
    let (_, used) = with("overhead = \"pppoe-llcsnap\"");
    // 1500 octets and 40 take 33 cells, 1749 octets, and 1538 octets of the link
    let full = 0.75 * 1538.0 / 1749.0;
    assert!((used - full).abs() < 0.02, "{used} for {full}");
}

#[test]
fn cake_alone_may_set_the_rate_of_a_path() {
    let shaped = "{ kind = \"cake\", bandwidth = \"20 Mbit/s\" }";
    let paths = ["home", "uplink", "far"].map(|medium| format!("medium.{medium}.rate"));
    let unlimited = paths.iter().map(|path| (path.as_str(), "unlimited"));
    let known: Vec<(&str, &str)> =
        unlimited.chain([("medium.uplink.queue", shaped), ("run.duration", "5 s")]).collect();
    let found = metrics(HOME_LINK, &known);
    assert!(value(&found, "utilisation/router/provider", "value") > 0.95);
}

#[test]
fn contradictions_are_refused_where_they_stand() {
    for (queue, expected) in [
        ("{ kind = \"cake\", shaping = { rate = \"1 Mbit/s\" } }", "shaping"),
        ("{ kind = \"cake\", overhead = \"pppoe-ptm\", framing = \"atm\" }", "which is ptm"),
        ("{ kind = \"cake\", overhead = \"18.5 B\" }", "whole number"),
        ("{ kind = \"cake\", isolation = \"dual\" }", "dual-srchost"),
        ("{ kind = \"cake\", rtt = \"moon\" }", "satellite"),
        ("{ kind = \"cake\", limit_bytes = \"1 KiB\" }", "mtu, 1500 B"),
        ("{ kind = \"red\", min = \"90 kB\" }", "not below `max`"),
        ("{ kind = \"red\", burst = 10 }", "at least min / avpkt, 30"),
        ("{ kind = \"red\", limit_bytes = \"60 kB\" }", "below `max`"),
        ("{ kind = \"red\", avpkt = \"40 kB\" }", "longer than `min`"),
        ("{ kind = \"pie\", target = \"0 s\" }", "target"),
        ("{ kind = \"dualpi2\", classic_protection = \"10.5 %\" }", "whole percentage"),
        ("{ kind = \"fq-codel\", ce_threshold_selector = \"ect1\" }", "ce_threshold"),
        ("{ kind = \"codel\", ce_threshold_selector = \"ect1\" }", "ce_threshold_selector"),
    ] {
        let refused = scenario(HOME_LINK, &[("medium.uplink.queue", queue)]).err();
        let said = refused.unwrap_or_else(|| panic!("{queue} is taken")).render(false, 200);
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn queues_by_chance_have_no_bound() {
    for kind in ["pie", "dualpi2", "cake", "red"] {
        let scenario =
            scenario(HOME_LINK, &[("medium.uplink.queue", &format!("{{ kind = \"{kind}\" }}"))]).expect("valid");
        let report = sojourn_lan::ip::IpNetwork.bounds(&scenario).expect("a report");
        assert!(format!("{report:?}").contains("random"), "{kind}: {report:?}");
    }
}
