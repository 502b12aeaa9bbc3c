//! A rare event of a scenario from its question to its rate.

use std::sync::atomic::AtomicBool;

use sojourn_scenario::Document;

use super::*;
use crate::rounds::{Rounds, WorkItem};

const QUEUE: &str = r#"
[network]
kind = "queue"

[run]
seed = 3
warm_up = "60 s"
duration = "600 s"
replications = 2

[[station]]
name = "server"
service = { kind = "exponential", mean = "1 s" }

[[flow]]
name = "customers"
path = ["server"]
arrivals = { kind = "poisson", interval = "2 s" }
"#;

fn risk(of: &str, within: Option<&str>, replications: Option<u32>) -> Result<Risk, Problems> {
    let base = ScenarioBase::new(Document::parse("queue.toml", QUEUE).unwrap(), "queue".to_owned());
    let asked = Asked { of: of.to_owned(), within: within.map(str::to_owned) };
    Risk::new(base, &asked, &Runs { replications, ..Runs::default() })
}

/// Computes a point here and now.
fn computed(spec: &PointSpec) -> PointResult {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let mut rounds = Rounds::new(0, spec.clone());
    let mut items: Vec<WorkItem> = rounds.begin();
    while let Some(item) = items.pop() {
        let record = spec.model.replicate(spec.key("", item, false).replication(&NEVER));
        items.extend(rounds.ended(item, Ok(record)));
    }
    rounds.finished().unwrap()
}

#[test]
fn the_share_of_time_of_a_long_queue_is_that_of_the_closed_form() {
    let found = risk("queue_length > 15", None, Some(150)).unwrap().run(|spec, _| Some(computed(spec))).unwrap();
    let summary = found.summary;
    assert_eq!(summary.method, "splitting");
    let (share, [low, high]) = (summary.share_of_time.unwrap(), summary.share_ci95.unwrap());
    let expected = 0.5f64.powi(16);
    let half = 0.75 * (high - low);
    assert!((share - expected).abs() < 2.0 * half && half < expected, "{share} in {low}..{high}, not {expected}");
    assert!(summary.equivalent_time.unwrap() > 100.0 * (summary.simulated_time + summary.pilot_time), "{summary:?}");
    assert!(summary.levels.iter().skip(1).all(|level| level.entered > 0 && level.copies >= 2));
    assert_eq!(found.ordinary.records.len(), 2, "the scenario's own run");
}

#[test]
fn a_share_of_1e_9_takes_a_ten_thousandth_of_the_time_of_runs_without_splitting() {
    let found = risk("queue_length > 29", None, Some(30)).unwrap().run(|spec, _| Some(computed(spec))).unwrap();
    let summary = found.summary;
    let (share, [low, high]) = (summary.share_of_time.unwrap(), summary.share_ci95.unwrap());
    let (expected, half) = (0.5f64.powi(30), 0.75 * (high - low));
    assert!((share - expected).abs() < 2.0 * half && half < expected, "{share} in {low}..{high}, not {expected}");
    let took = summary.simulated_time + summary.pilot_time;
    assert!(summary.equivalent_time.unwrap() > 10_000.0 * took, "{summary:?}");
}

#[test]
fn what_occurs_in_every_run_is_simulated_without_splitting() {
    let found = risk("queue_length > 1", Some("10 s"), Some(40)).unwrap().run(|spec, _| Some(computed(spec))).unwrap();
    assert_eq!((found.summary.method.as_str(), found.summary.levels.len()), ("crude", 1));
    let [low, high] = found.summary.probability_ci95.unwrap();
    assert!(low < found.summary.probability.unwrap() && high <= 1.0);
    assert_eq!(found.summary.within, Some(10.0));
}

#[test]
fn what_never_occurs_has_an_upper_bound_and_a_note() {
    let found = risk("failures > 0", None, Some(10)).unwrap().run(|spec, _| Some(computed(spec))).unwrap();
    assert_eq!((found.summary.rate, found.summary.ci95[0]), (None, 0.0));
    assert!((found.summary.ci95[1] - 2.9957 / 6000.0).abs() < 1e-6, "{:?}", found.summary.ci95);
    assert!(found.notes.iter().any(|note| note.contains("upper bound")), "{:?}", found.notes);
}

#[test]
fn a_time_that_is_none_and_a_condition_of_nothing_are_refused() {
    assert!(risk("queue_length > 15", Some("soon"), None).is_err());
    assert!(risk("queue_lengths > 15", None, None).is_err());
}

#[test]
fn a_cancelled_run_finds_nothing() {
    assert!(risk("queue_length > 15", None, None).unwrap().run(|_, _| None).is_none());
}
