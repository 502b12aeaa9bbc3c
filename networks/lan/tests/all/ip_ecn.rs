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
        let found = metrics(&with(keys), &[]);
        let drops = value(&found, "drops/router/receiver", "value");
        assert!(drops > 0.0 && !found.contains_key("marks/router/receiver"), "{keys}: {drops} drops");
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
    let refused = scenario(&with("recovery = \"rack\", sack = false"), &[]).expect_err("it needs SACK");
    assert!(refused.render(false, 200).contains("sack = true"));
}

/// Two transfers beside each other over 20 Mbit/s and 40 ms, through a FIFO of `queue` packets.
fn beside_each_other(keys: [&str; 2], queue: u32) -> [f64; 2] {
    let [one, other] = keys;
    let text = format!(
        r#"
[network]
kind = "ip"
[[medium]]
name = "near"
rate = "1 Gbit/s"
[[medium]]
name = "far"
rate = "20 Mbit/s"
delay = "20 ms"
queue = {{ kind = "fifo", limit = {queue} }}
[[station]]
name = "router"
type = "router"
on = ["near", "far"]
[[station]]
name = "one"
on = "near"
tcp = {{ {one} }}
[[station]]
name = "other"
on = "near"
tcp = {{ {other} }}
[[station]]
name = "receiver"
on = "far"
[[flow]]
name = "first"
service = "bulk"
from = "one"
to = "receiver"
[[flow]]
name = "second"
service = "bulk"
from = "other"
to = "receiver"
[run]
warm_up = "20 s"
duration = "80 s"
"#
    );
    let found = metrics(&text, &[]);
    ["first", "second"].map(|flow| value(&found, &format!("throughput/{flow}"), "value") / 20e6)
}

#[test]
fn two_flows_of_bbr_share_a_link_and_fill_it() {
    let [one, other] = beside_each_other(["congestion = \"bbr\"", "congestion = \"bbr\""], 130);
    assert!(one + other > 0.9 && (0.6..1.7).contains(&(one / other)), "{one} and {other}");
}

#[test]
fn behind_a_queue_of_a_bandwidth_delay_product_neither_bbr_nor_cubic_starves_the_other() {
    let [bbr, cubic] = beside_each_other(["congestion = \"bbr\"", "congestion = \"cubic\""], 67);
    assert!(bbr + cubic > 0.9 && bbr > 0.15 && cubic > 0.15, "{bbr} and {cubic}");
}

#[test]
fn marks_are_asked_for_by_senders_that_react_to_them_and_by_no_other() {
    let cases = [
        ("dctcp", "passive", "classic or accurate"),
        ("prague", "classic", "write accurate"),
        ("bbr", "accurate", "does not react"),
    ];
    for (congestion, ecn, expected) in cases {
        let text = with(&format!("congestion = \"{congestion}\", ecn = \"{ecn}\""));
        let refused = scenario(&text, &[]).expect_err("it does not fit");
        let said = refused.render(false, 200);
        assert!(said.contains(expected), "{said}");
    }
    assert!(scenario(&with("congestion = \"dctcp\", ecn = \"classic\""), &[]).is_ok());
}

#[test]
fn queues_drop_packets_of_bbr_where_they_mark_those_of_cubic() {
    // the receiver asks for ECN, and the sender agrees
    let text = with("congestion = \"bbr\"")
        .replace("name = \"receiver\"\non", "name = \"receiver\"\ntcp = { ecn = \"accurate\" }\non");
    let [marks, drops, share] = through_codel(&text);
    assert!(marks == 0.0 && drops > 0.0 && share > 0.8, "{marks} {drops} {share}");
}
