//! Replications until all that a scenario expects is decided, or a budget of events is spent.
//!
//! A point is looked at after its own number of replications, and then after half as many again each time. Repeated
//! looks err more often than one: an early one decides by a wider interval, of 99 %, and only where the budget ends the
//! 95 % interval does (J. L. Haybittle, Brit. J. Radiology 44, 1971; R. Peto et al., Brit. J. Cancer 34, 1976).
//! The number of replications follows from the scenario, its seed and the budget, not from time: it is the same on every machine.

use std::collections::BTreeMap;

use sojourn_engine::stopping::{MOST_REPLICATIONS, half_as_many_again};
use sojourn_metrics::interval;
use sojourn_metrics::merge::merge_metric;
use sojourn_metrics::record::Record;
use sojourn_metrics::results::{Metric, Stability};
use sojourn_scenario::{Expectation, Scenario};

use crate::Runs;
use crate::condition::has_interval;
use crate::stability;
use crate::verdict::{Verdict, judge, judge_wider};

/// Events of all points together unless a budget is given: three to eight seconds of a core in the networks there are.
pub const EVENTS: u64 = 50_000_000;

/// Confidence of the interval by which an early look decides.
const EARLY: f64 = 0.99;

/// Why replications of a point ended that are added until its expectations are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// All of them are decided.
    Decided,
    /// The budget of events, or the largest number of replications, is used up.
    Spent,
    /// What is left open no number of replications decides.
    Undecidable,
}

impl Stop {
    /// The word of results.
    pub fn word(self) -> &'static str {
        match self {
            Stop::Decided => "expectations",
            Stop::Spent => "budget",
            Stop::Undecidable => "replications",
        }
    }
}

/// What a look shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Replications up to this number, then another look.
    RunUntil(u32),
    /// There are enough.
    Enough(Stop),
}

/// Replications of a point until its expectations are decided.
#[derive(Clone, Debug)]
pub struct Deciding {
    expectations: Vec<Expectation>,
    /// Events of all its replications, at most, unless the first ones take more.
    pub events: u64,
}

impl Deciding {
    /// What a scenario expects; `None` where it expects nothing or the number of replications is given.
    pub fn of(runs: &Runs, scenario: &Scenario) -> Option<Deciding> {
        let events = runs.budget.unwrap_or(EVENTS);
        let is_open = events > 0 && runs.replications.is_none() && runs.precision.is_none();
        let expectations = scenario.expectations().to_vec();
        (is_open && !expectations.is_empty()).then_some(Deciding { expectations, events })
    }

    /// What to do after these replications, in their order.
    pub fn look(&self, records: &[Record]) -> Look {
        let stability = sojourn_metrics::stability::of(records);
        // a bound follows from no replication
        let expected = self.expectations.iter().filter(|expected| expected.field != "bound");
        let judged: Vec<Judged<'_>> = expected.map(|expected| Judged::by(expected, records, &stability)).collect();
        // without a steady state more of the same shows nothing
        let is_steady = stability::overloaded(&stability).is_none();
        if is_steady && judged.iter().any(|one| one.is_open(records.len())) {
            return self.afforded(records).map_or(Look::Enough(Stop::Spent), Look::RunUntil);
        }
        let is_decided = judged.iter().all(Judged::is_decided);
        Look::Enough(if is_decided { Stop::Decided } else { Stop::Undecidable })
    }

    /// Half as many replications again, as far as the budget reaches.
    fn afforded(&self, records: &[Record]) -> Option<u32> {
        let done = records.len() as u32;
        let events: u64 = records.iter().map(|record| record.events).sum();
        let budget = u128::from(self.events) * u128::from(done);
        let afforded = budget.checked_div(events.into()).map_or(u32::MAX, |most| most.min(u32::MAX.into()) as u32);
        let next = half_as_many_again(done).min(afforded).min(MOST_REPLICATIONS);
        (next > done).then_some(next)
    }
}

/// An expectation and what some replications show of its metric.
struct Judged<'a> {
    expected: &'a Expectation,
    metrics: BTreeMap<String, Metric>,
    verdict: Verdict,
}

impl<'a> Judged<'a> {
    fn by(expected: &'a Expectation, records: &[Record], stability: &[Stability]) -> Judged<'a> {
        let metric = merge_metric(&expected.metric, records);
        let metrics = metric.map(|metric| (expected.metric.clone(), metric)).into_iter().collect();
        let verdict = stability::corrected(expected, judge(expected, &metrics), stability).verdict;
        Judged { expected, metrics, verdict }
    }

    fn is_decided(&self) -> bool {
        self.verdict != Verdict::Undecided
    }

    /// Whether more replications may decide it, or confirm what they decide by now.
    fn is_open(&self, replications: usize) -> bool {
        let wider = || judge_wider(self.expected, &self.metrics, interval::wider(replications, EARLY)).verdict;
        if self.is_decided() { wider() == Verdict::Undecided } else { has_interval(&self.expected.field) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_metrics::load::Load;

    /// Replications of 100 events whose utilisation is 40 % and 60 % in turn.
    fn replications(count: usize) -> Vec<Record> {
        let record = |index: usize| {
            let mut record = Record { events: 100, ..Record::default() };
            record.scalar("utilisation", if index.is_multiple_of(2) { 0.4 } else { 0.6 });
            record
        };
        (0..count).map(record).collect()
    }

    fn deciding(expected: &[&str], events: u64) -> Deciding {
        let expectations = expected.iter().map(|text| Expectation::parse(text).unwrap()).collect();
        Deciding { expectations, events }
    }

    #[test]
    fn a_value_far_from_its_limit_is_decided_by_the_first_replications() {
        // s = 0.1054: t(9) = 3.250 of 99 % gives 50 % ± 10.8 %
        assert_eq!(deciding(&["utilisation < 62 %"], EVENTS).look(&replications(10)), Look::Enough(Stop::Decided));
        assert_eq!(deciding(&["utilisation < 38 %"], EVENTS).look(&replications(10)), Look::Enough(Stop::Decided));
    }

    #[test]
    fn an_early_look_does_not_stop_on_what_only_the_95_percent_interval_decides() {
        // t(9) = 2.262 of 95 % gives 50 % ± 7.5 %
        let near = deciding(&["utilisation < 59 %"], EVENTS);
        assert_eq!(near.look(&replications(10)), Look::RunUntil(15));
        // s = 0.1035, t(14) = 2.977: 50 % ± 8 % decides
        assert_eq!(near.look(&replications(15)), Look::Enough(Stop::Decided));
    }

    #[test]
    fn all_that_is_expected_is_to_be_decided() {
        let both = deciding(&["utilisation < 90 %", "utilisation > 49 %"], EVENTS);
        assert_eq!(both.look(&replications(10)), Look::RunUntil(15));
    }

    #[test]
    fn the_last_replications_are_those_that_the_budget_affords() {
        let open = deciding(&["utilisation < 50.1 %"], 2500);
        assert_eq!(open.look(&replications(10)), Look::RunUntil(15));
        assert_eq!(open.look(&replications(23)), Look::RunUntil(25));
        assert_eq!(open.look(&replications(25)), Look::Enough(Stop::Spent));
        assert_eq!(deciding(&["utilisation < 50.1 %"], 500).look(&replications(10)), Look::Enough(Stop::Spent));
    }

    #[test]
    fn a_limit_is_missed_by_a_queue_that_grows_without_end_and_what_it_does_not_decide_is_not_waited_for() {
        let mut records = replications(10);
        for record in &mut records {
            // 1.5 s of work arrive in a second
            let load = Load { demand: Some(1.5), ..Load::of_jobs("customers/s", [10, 0], 0.0, 1.0, 1.0) };
            record.load("server", load);
            record.scalar("loss", record.value("utilisation"));
        }
        assert_eq!(deciding(&["loss < 50.1 %"], EVENTS).look(&records), Look::Enough(Stop::Decided));
        assert_eq!(deciding(&["loss > 50.1 %"], EVENTS).look(&records), Look::Enough(Stop::Undecidable));
    }

    #[test]
    fn one_replication_gives_no_interval_and_a_second_one_is_made() {
        assert_eq!(deciding(&["utilisation < 90 %"], EVENTS).look(&replications(1)), Look::RunUntil(2));
    }

    #[test]
    fn nothing_is_spent_on_what_no_number_of_replications_decides() {
        let mut records = replications(10);
        for record in &mut records {
            let level = sojourn_metrics::record::Observation::TimeWeighted { mean: 2.0, max: 7.0 };
            record.observe("queue_length", level);
        }
        assert_eq!(deciding(&["queue_length.max < 9"], EVENTS).look(&records), Look::Enough(Stop::Undecidable));
    }
}
