//! Explicit congestion notification from end to end: transfers through queues that mark.

use crate::support::{metrics, scenario, value};

/// One transfer over 20 Mbit/s and 20 ms through CoDel that marks; the sender alone may ask for it.
const THROUGH_CODEL: &str = r#"
[network]
kind = "ip"
[[medium]]
name = "near"
rate = "1 Gbit/s"
[[medium]]
name = "far"
rate = "20 Mbit/s"
delay = "10 ms"
queue = { kind = "codel", ecn = true }
[[station]]
name = "router"
type = "router"
on = ["near", "far"]
[[station]]
name = "sender"
on = "near"
tcp = { ecn = "classic" }
[[station]]
name = "receiver"
on = "far"
[background]
from = "sender"
to = "receiver"
[run]
warm_up = "5 s"
duration = "25 s"
"#;

/// The sender's line with these keys of TCP in place of classic ECN.
fn with(keys: &str) -> String {
    THROUGH_CODEL.replace("ecn = \"classic\"", keys)
}

/// Marks, drops and share of the link of a transfer.
fn through_codel(text: &str) -> [f64; 3] {
    let found = metrics(text, &[]);
    let [marks, drops] = ["marks", "drops"].map(|name| value(&found, &format!("{name}/router/receiver"), "value"));
    [marks, drops, value(&found, "throughput", "value") / (20e6 * 1448.0 / 1538.0)]
}

#[test]
fn a_transfer_that_asks_is_marked_and_loses_nothing() {
    for keys in ["ecn = \"classic\"", "ecn = \"accurate\"", "ecn = \"classic\", congestion = \"newreno\", abe = true"] {
        let [marks, drops, share] = through_codel(&with(keys));
        assert!(marks > 0.0 && drops == 0.0, "{keys}: {marks} marks and {drops} drops");
        assert!(share > 0.9, "{keys}: {share}");
    }
}

#[test]
fn a_transfer_that_does_not_ask_is_dropped_as_before_even_if_both_ends_would_accept() {
    for keys in ["ecn = \"off\"", "ecn = \"passive\"", "nagle = true"] {
        let [marks, drops, _] = through_codel(&with(keys));
        assert!(marks == 0.0 && drops > 0.0, "{keys}: {marks} marks and {drops} drops");
    }
}

#[test]
fn scalable_senders_are_marked_more_often_than_classic_ones_and_keep_the_link_as_busy() {
    let [classic, ..] = through_codel(THROUGH_CODEL);
    for congestion in ["dctcp", "prague"] {
        let [marks, drops, share] = through_codel(&with(&format!("congestion = \"{congestion}\"")));
        assert!(marks > 3.0 * classic && drops == 0.0, "{congestion}: {marks} marks beside {classic}, {drops} drops");
        assert!(share > 0.9, "{congestion}: {share}");
    }
}

#[test]
fn a_transfer_that_detects_losses_by_times_fills_the_link_as_well() {
    let [marks, drops, share] = through_codel(&with("ecn = \"classic\", recovery = \"rack\", pacing = true"));
    assert!(marks > 0.0 && drops == 0.0 && share > 0.9, "{marks} marks, {drops} drops, {share}");
    let refused = scenario(&with("recovery = \"rack\", sack = false"), &[]).err().expect("it needs SACK");
    assert!(refused.render(false, 200).contains("sack = true"));
}

#[test]
fn congestion_control_that_needs_marks_refuses_to_go_without() {
    for (congestion, ecn, expected) in
        [("dctcp", "passive", "classic or accurate"), ("prague", "classic", "write accurate")]
    {
        let text = with(&format!("congestion = \"{congestion}\", ecn = \"{ecn}\""));
        let refused = scenario(&text, &[]).err().expect("there are no marks to react to");
        let said = refused.render(false, 200);
        assert!(said.contains(expected), "{said}");
    }
    assert!(scenario(&with("congestion = \"dctcp\", ecn = \"classic\""), &[]).is_ok());
}
