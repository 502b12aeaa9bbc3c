//! Rounds of polls, by closed forms.

use sojourn_lontalk::LonTalkNetwork;
use sojourn_model::Network;

use crate::support::{Metrics, metrics, scenario, value};

const POINTS: f64 = 10.0;

/// A supervisor that polls ten points.
fn poll(pace: &str) -> String {
    format!(
        "[network]
kind = \"lontalk\"
[[medium]]
name = \"m\"
channel = \"TP/FT-10\"
[[station]]
name = \"supervisor\"
[[station]]
name = \"point\"
count = 10
[[flow]]
name = \"poll\"
from = \"supervisor\"
to = \"point\"
service = \"request\"
transaction_timer = \"128 ms\"
retries = 2
probe = true
arrivals = {{ kind = \"poll\", {pace} }}
[run]
duration = \"120 s\"
warm_up = \"5 s\"
"
    )
}

fn with(pace: &str, edits: &[(&str, &str)]) -> Metrics {
    metrics(&poll(pace), edits)
}

#[test]
fn a_cycle_polls_each_receiver_once_and_its_last_after_nine_tenths_of_it() {
    let found = with("cycle = \"2 s\"", &[]);
    // 120 s of 5 polls a second, in 60 rounds: one at either end is not whole
    assert!((f64::abs(value(&found, "transaction_rate", "value") - POINTS / 2.0)) < 0.05);
    assert!((59.0..=60.0).contains(&value(&found, "poll_cycle", "count")));
    // nine intervals of 200 ms, and the exchange with the last
    let exchange = value(&found, "transaction_time", "mean");
    let expected = 0.9 * 2.0 + exchange;
    assert!((value(&found, "poll_cycle", "mean") - expected).abs() < 0.05 * exchange, "{expected}");
    assert!(value(&found, "poll_cycle", "min") > 0.9 * 2.0 + value(&found, "transaction_time", "min") - 1e-9);
    assert_eq!(value(&found, "poll_cycle/poll", "p99"), value(&found, "poll_cycle", "p99"));
}

#[test]
fn a_cycle_is_the_interval_of_its_share() {
    let [cycle, interval] = ["cycle = \"2 s\"", "interval = \"200 ms\""].map(|pace| with(pace, &[]));
    for field in ["mean", "p50", "max"] {
        assert_eq!(value(&cycle, "poll_cycle", field), value(&interval, "poll_cycle", field), "{field}");
    }
}

#[test]
fn a_round_without_pauses_takes_as_long_as_its_exchanges() {
    // the round begins with a question, and the next question follows at once
    let found = with("interval = \"1 us\"", &[]);
    let exchanges = POINTS * value(&found, "transaction_time", "mean");
    let cycle = value(&found, "poll_cycle", "mean");
    assert!((cycle / exchanges - 1.0).abs() < 0.003, "{cycle} {exchanges}");
    let expected = 120.0 / cycle;
    assert!((value(&found, "poll_cycle", "count") / expected - 1.0).abs() < 0.01, "{expected}");
}

#[test]
fn a_round_goes_on_after_receivers_that_fail() {
    let found = with("interval = \"1 us\"", &[("medium.m.bit_error_rate", "0.1")]);
    assert_eq!(value(&found, "response_time", "count"), 0.0);
    // of each receiver two retries and the last wait, 128 ms each, from the end of a packet of a few milliseconds
    let cycle = value(&found, "poll_cycle", "mean");
    let waits = POINTS * 3.0 * 0.128;
    assert!((waits..waits * 1.2).contains(&cycle), "{cycle} {waits}");
}

#[test]
fn a_round_that_is_longer_than_the_run_is_not_reached() {
    let found = with("cycle = \"1 h\"", &[]);
    assert_eq!(value(&found, "poll_cycle", "count"), 0.0);
    assert_eq!(found["poll_cycle"].field("p50"), None);
}

#[test]
fn a_poll_without_cycle_and_interval_is_refused_with_what_to_write() {
    let checked =
        scenario(&poll("start = \"at-once\""), &[]).unwrap_or_else(|found| panic!("{}", found.render(false, 100)));
    let found = LonTalkNetwork.model(&checked).err().expect("it is refused").render(false, 120);
    assert!(
        found.contains("a poll has a `cycle` or an `interval`") && found.contains("write cycle = \"5 s\""),
        "{found}"
    );
}

#[test]
fn a_cycle_can_be_set_as_an_interval_can() {
    let rate = |found: Metrics| value(&found, "transaction_rate", "value");
    let halved = with("cycle = \"2 s\"", &[("flow.poll.arrivals.cycle", "1 s")]);
    assert!((rate(halved) - POINTS).abs() < 0.1);
    // an interval beside it: points at that pace, and a round not before the cycle is over
    let both = with("cycle = \"2 s\"", &[("flow.poll.arrivals.interval", "50 ms")]);
    assert!((value(&both, "poll_cycle", "mean") - 9.0 * 0.05).abs() < 0.05, "{both:?}");
    assert!((rate(both) - POINTS / 2.0).abs() < 0.1);
}
