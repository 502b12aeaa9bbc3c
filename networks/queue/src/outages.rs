//! Closed forms of outages, and what must hold in every run.

use sojourn_core::Duration;
use sojourn_metrics::Record;
use sojourn_metrics::merge::merge;
use sojourn_metrics::record::Observation;
use sojourn_metrics::timeline::Windows;
use sojourn_scenario::check;

use sojourn_model::{Model, Network, Replication};

/// A customer every 10 ms, served for 8 ms.
const PERIODIC: &str = r#"
    [network]
    kind = "queue"
    [[station]]
    name = "desk"
    service = { kind = "deterministic", mean = "8 ms" }
    [[flow]]
    name = "customers"
    path = ["desk"]
    arrivals = { kind = "periodic", interval = "10 ms", start = "at-once" }
    [run]
    duration = "20 s"
    warm_up = "1 s"
"#;

/// Exponential times at 80 % utilisation.
const RANDOM: &str = r#"
    [network]
    kind = "queue"
    [[station]]
    name = "desk"
    servers = 2
    service = { kind = "exponential", mean = "16 ms" }
    [[flow]]
    name = "customers"
    path = ["desk"]
    arrivals = { kind = "poisson", interval = "10 ms" }
    [run]
    duration = "100 s"
    warm_up = "1 s"
"#;

fn model(text: &str) -> Box<dyn Model> {
    let scenario = crate::NETWORKS.kinds().parse("test.toml", text).and_then(|document| check(&document));
    let scenario = scenario.unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    crate::QueueNetwork.model(&scenario).unwrap_or_else(|problems| panic!("{problems}"))
}

fn replicate(text: &str, index: u32, seconds: u64) -> Record {
    let warm_up = Duration::from_secs(1);
    model(text).replicate(Replication {
        index,
        warm_up,
        traces: true,
        ..Replication::alone(Duration::from_secs(seconds))
    })
}

/// Outage from 5 s for 1 s.
const OUTAGE: &str = r#"
    [[event]]
    name = "outage"
    at = "5 s"
    duration = "1 s"
    stations = "desk"
    action = "down"
"#;

#[test]
fn a_periodic_queue_drains_after_an_outage_at_the_packet_that_arithmetic_gives() {
    let record = replicate(&format!("{PERIODIC}{OUTAGE}"), 0, 20);
    // The customer of 5.000 s comes when the servers have just stopped, and its service ends at 6.008 s. The n-th after it
    // comes at 5 + n/100 s and leaves at 6.008 + 0.008 n s, so its response is 1.008 s - 2 ms * n: 8 ms again from n = 500 on.
    let response = record.distribution("response_time");
    assert_eq!(response.max(), Some(Duration::from_millis(1008)));
    let recovery = record.distribution("recovery_time/outage");
    assert_eq!((recovery.count(), recovery.max()), (1, Some(Duration::from_secs(5))));
    // those of 5.00 s to 6.00 s wait when the servers go on
    let Observation::TimeWeighted { max, .. } = record.metrics["queue_length"] else { panic!("a level") };
    assert_eq!(max, 101.0);
    // 500 customers wait longer: 2 ms * (1 + 2 + ... + 500) in all
    let waiting: f64 = (1..=500).map(|n| 0.002 * f64::from(n)).sum();
    let count = response.count() as f64;
    assert!((response.mean().unwrap() - (0.008 + waiting / count)).abs() < 1e-9);
    assert_eq!(record.value("loss"), 0.0);
}

#[test]
fn windows_are_aligned_to_the_outage_and_hold_what_happened_in_them() {
    let record = replicate(&format!("{PERIODIC}{OUTAGE}"), 0, 20);
    let Observation::Timeline(timeline) = &record.metrics["utilisation/timeline"] else { panic!("a timeline") };
    let second = |edge: &u64| *edge as f64 * 1e-12;
    let edges: Vec<f64> = timeline.edges.iter().map(second).collect();
    let Windows::Level(levels) = &timeline.windows else { panic!("a level") };
    for (window, level) in levels.iter().enumerate() {
        let (from, to) = (edges[window], edges[window + 1]);
        if from >= 5.0 && to <= 6.0 {
            assert_eq!(*level, 0.0, "down from {from} s");
        }
        if from >= 6.0 && to <= 10.0 {
            assert!((level - 1.0).abs() < 1e-12, "it drains from {from} s");
        }
    }
    let Observation::Timeline(timeline) = &record.metrics["response_time/timeline"] else { panic!("a timeline") };
    let Windows::Requests(windows) = &timeline.windows else { panic!("requests") };
    let sent: u64 = windows.iter().map(|window| window.sent).sum();
    assert_eq!(sent, 2001, "from 1 s to 21 s, both included");
    let first_after = edges.iter().position(|edge| *edge == 5.0).expect("an outage begins a window");
    assert_eq!(windows[first_after].responses.max(), Some(Duration::from_millis(1008)));
}

#[test]
fn an_event_that_changes_nothing_leaves_every_response_as_it_was() {
    let event = r#"
        [[event]]
        name = "nothing"
        at = "10 s"
        duration = "10 s"
        action = "set"
        set = { "station.desk.service.mean" = "16 ms" }
    "#;
    for index in 0..3 {
        let (plain, timed) = (replicate(RANDOM, index, 100), replicate(&format!("{RANDOM}{event}"), index, 100));
        for name in ["response_time", "utilisation", "queue_length", "delay_budget", "loss", "transaction_rate"] {
            if let (Observation::TimeWeighted { mean, max }, Observation::TimeWeighted { mean: there, max: most }) =
                (&plain.metrics[name], &timed.metrics[name])
            {
                assert!((mean - there).abs() < 1e-9 && max == most, "{name}");
            } else {
                assert_eq!(plain.metrics[name], timed.metrics[name], "{name}");
            }
        }
        assert_eq!(plain.traces["response_time"], timed.traces["response_time"]);
    }
}

#[test]
fn random_failures_take_the_share_of_capacity_that_their_means_give() {
    let event = r#"
        [[event]]
        name = "breakdown"
        mean_time_between = "3 s"
        mean_time_to_repair = "1 s"
        stations = "desk"
        action = "down"
    "#;
    let text = PERIODIC.replace("\"8 ms\"", "\"20 ms\"");
    let records: Vec<_> = (0..40).map(|index| replicate(&format!("{text}{event}"), index, 200)).collect();
    let metrics = merge(&records);
    // a queue that never empties is busy whenever its server works: 3 s of 4 s
    let (low, high) = metrics["utilisation"].interval("value").unwrap();
    let (middle, half) = (0.5 * (low + high.unwrap()), 0.5 * (high.unwrap() - low));
    assert!(half < 0.02 && (middle - 0.75).abs() < 2.0 * half, "{middle} ± {half}");
}

#[test]
fn a_burst_waits_for_each_other_and_a_flow_begins_and_ends_with_its_events() {
    let events = r#"
        [[flow]]
        name = "rush"
        path = ["desk"]
        arrivals = { kind = "periodic", interval = "100 ms", start = "at-once" }
        probe = true
        [[event]]
        name = "burst"
        at = "3 s"
        flows = "rush"
        action = "burst"
        size = 10
        [[event]]
        name = "rush hour"
        at = "8 s"
        until = "9 s"
        flows = ["rush"]
        action = "start"
    "#
    .replace("rush hour", "rush-hour");
    let record = replicate(&format!("{PERIODIC}{events}"), 0, 20);
    let rush = record.distribution("response_time/rush");
    // ten at once, and from 8 s to before 9 s one every 100 ms
    assert_eq!(rush.count(), 20);
    // nine before it, and the two of the other flow that came at 3 s or meanwhile wait behind it
    assert_eq!(rush.max(), Some(Duration::from_millis(80)));
}
