//! The limit that a search finds, and the outcome at each value tried.

use serde::Serialize;
use sojourn_metrics::interval::CONFIDENCE;
use sojourn_metrics::results::{LimitSummary, Stability};
use sojourn_scenario::{Axis, Setting};

use crate::bisection::StepVerdict;
use crate::claim::NoneSeen;
use crate::groups::Groups;
use crate::stability;
use crate::verdict::{Judgement, Verdict};

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// Path of the key that varies.
    pub key: String,
    /// SI unit of the key; null for words.
    pub unit: Option<String>,
    /// The conditions as written.
    pub text: String,
    /// Text of the scenario's `[question]`.
    pub question: Option<String>,
    /// `found`, `always`, `never`, or `undecided` when the replications do not exclude an end of the range.
    pub outcome: &'static str,
    /// Whether the answer is the `largest` or the `smallest` value; null when the condition holds always or never.
    pub direction: Option<&'static str>,
    /// The estimate in SI units, by a monotone fit of all values tried; null when nothing was found.
    pub value: Option<f64>,
    /// The estimate in the unit of the range.
    pub value_text: Option<String>,
    /// The ends of its 95 % interval, lower first, in SI units; null where replications exclude no more than the range.
    pub interval: [Option<f64>; 2],
    /// The same in the unit of the range.
    pub interval_text: [Option<String>; 2],
    /// Where the end of the interval that meets the conditions is open because it stands on an event that was not
    /// observed there: the value of that end, and the bound of the event.
    pub unseen: Option<Unseen>,
    /// Where more arrives than is served, beside the limit; null where that is not known or beyond the range.
    pub capacity: Option<Capacity>,
    /// What more replications would give; null when the interval is narrow.
    pub narrower: Option<Narrower>,
    /// The trial of the value to judge, if there is one.
    pub asked: Option<Trial>,
    /// The trial of the value that the scenario has, where there is a value to judge.
    pub written: Option<Trial>,
    /// The trial of the estimate.
    pub found: Option<Trial>,
    /// How many values were tried.
    pub tried: usize,
    /// Every value tried, ascending.
    pub trials: Vec<Trial>,
    /// Most replications of a value in the interval.
    pub replications: u32,
}

/// The value of the key beyond which more arrives at a resource than it serves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Capacity {
    /// The value in SI units.
    pub value: f64,
    /// The same in the unit of the range.
    pub value_text: String,
    /// The resource.
    #[serde(flatten)]
    pub load: Load,
}

/// The resource that a value of the key asks most of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Load {
    /// Its name.
    pub resource: String,
    /// The work that arrives as a share of what it can do.
    pub demand: f64,
    /// What it can serve a second.
    pub serves: f64,
    /// Unit of that.
    pub serves_unit: String,
}

impl Load {
    /// That of a value with these resources; `None` where none is known that could be overloaded.
    pub(crate) fn of(stability: &[Stability]) -> Option<Load> {
        let known = stability.iter().filter_map(|row| Some((row, row.demand?)));
        let (row, demand) = known.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let (resource, serves_unit) = (row.resource.clone(), row.unit.clone());
        Some(Load { resource, demand, serves: stability::capacity(row), serves_unit })
    }
}

/// An event that was not observed up to a value of the key.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unseen {
    /// The value, as written.
    pub value_text: String,
    /// Its bound there.
    #[serde(flatten)]
    pub bound: NoneSeen,
}

/// A prediction: intervals narrow with the square root of the number of replications.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Narrower {
    /// Replications of each value.
    pub replications: u32,
    /// About the width of the interval that they give, in SI units.
    pub width: f64,
}

/// One value of the key, judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trial {
    /// The value in SI units.
    pub value: Option<f64>,
    /// The value as written.
    pub value_text: String,
    /// All conditions together: missed if one is, else undecided if one is.
    pub verdict: Verdict,
    /// In how many runs all conditions hold; null where one of them applies to all runs together only.
    pub runs: Option<RunCount>,
    /// The judgement of each condition.
    pub conditions: Vec<Condition>,
    /// The resource that it asks most of.
    pub load: Option<Load>,
    /// Events that a replication took.
    #[serde(skip)]
    pub events: u64,
}

/// How many of the runs (replications) of a value meet all conditions by themselves. Where some do and others do
/// not, the runs may differ in kind (a network that breaks down in some of them), and an interval around their mean
/// describes none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RunCount {
    /// Those that meet them.
    pub met: usize,
    /// All runs of the value.
    pub of: usize,
}

impl RunCount {
    /// Counts the runs in which every condition holds.
    pub(crate) fn count(by_condition: &[Vec<bool>]) -> Option<RunCount> {
        let of = by_condition.first()?.len();
        let met = (0..of).filter(|&run| by_condition.iter().all(|holds| holds.get(run) == Some(&true))).count();
        Some(RunCount { met, of })
    }
}

/// One value of the key, judged by one condition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Condition {
    /// As written: `response_time.p99 < 100 ms`.
    pub text: String,
    /// Name of the metric.
    pub metric: String,
    /// Field of the metric, as `p99`.
    pub field: String,
    /// SI unit of the metric.
    pub unit: &'static str,
    /// The value that the field is compared with, in SI units.
    pub limit: f64,
    /// The bound of an event that the condition excludes and no replication observed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unseen: Option<NoneSeen>,
    /// The groups into which the replications fall, where they do.
    pub groups: Option<Groups>,
    /// The verdict and the value it is based on.
    #[serde(flatten)]
    pub judgement: Judgement,
}

impl Condition {
    /// How far the value lies beyond the required one, as a share of it, within -1 and 1; positive where missed.
    fn excess(&self) -> f64 {
        let sign = if self.judgement.holds { -1.0 } else { 1.0 };
        match self.judgement.value {
            Some(value) if self.limit != 0.0 => sign * ((value - self.limit) / self.limit).abs().min(1.0),
            _ => sign,
        }
    }
}

impl Limit {
    /// Its row in the results.
    pub fn summary(&self) -> LimitSummary {
        let runs = self.found.as_ref().and_then(|found| found.runs);
        let decided = self.outcome == "found";
        LimitSummary {
            key: self.key.clone(),
            value: self.value.filter(|_| decided),
            interval: self.interval,
            confidence: CONFIDENCE,
            met: runs.map(|runs| runs.met as u64),
            of: runs.map(|runs| runs.of as u64),
            decided,
        }
    }

    /// Keeps the limit within what is served: beyond that nothing settles, whatever runs of some length show.
    pub(crate) fn within(&mut self, capacity: Option<Capacity>) {
        self.capacity = capacity;
        let Some(Capacity { value: most, value_text, .. }) = &self.capacity else { return };
        let is_beyond = |value: f64| match self.direction {
            Some("largest") => value > *most,
            Some("smallest") => value < *most,
            _ => false,
        };
        if self.value.is_some_and(is_beyond) {
            (self.value, self.value_text) = (Some(*most), Some(value_text.clone()));
        }
        for (end, text) in self.interval.iter_mut().zip(&mut self.interval_text) {
            if end.is_some_and(is_beyond) {
                (*end, *text) = (Some(*most), Some(value_text.clone()));
            }
        }
    }

    /// Opens the end that stands on an event that was not observed: a rarer one may still occur there, so the
    /// replications give a bound of its rate and no end of the interval.
    pub(crate) fn open_where_unseen(&mut self) {
        if self.unseen.is_none() || self.outcome == "always" {
            return;
        }
        let end = usize::from(self.direction == Some("smallest"));
        self.interval[end] = None;
        self.interval_text[end] = None;
        self.narrower = None;
        self.outcome = "undecided";
    }

    /// An answer that is still to be found.
    pub(crate) fn new(axis: &Axis, text: String, tried: usize) -> Limit {
        Limit {
            key: axis.path.clone(),
            unit: axis.unit.map(str::to_owned),
            text,
            question: None,
            outcome: "found",
            direction: None,
            value: None,
            value_text: None,
            interval: [None; 2],
            interval_text: [None, None],
            unseen: None,
            capacity: None,
            narrower: None,
            asked: None,
            written: None,
            found: None,
            tried,
            trials: Vec::new(),
            replications: 0,
        }
    }
}

impl Trial {
    pub(crate) fn new(setting: &Setting, conditions: Vec<Condition>, runs: Option<RunCount>) -> Trial {
        let verdicts = || conditions.iter().map(|condition| condition.judgement.verdict);
        let verdict = match () {
            () if verdicts().any(|verdict| verdict == Verdict::Missed) => Verdict::Missed,
            () if verdicts().any(|verdict| verdict == Verdict::Undecided) => Verdict::Undecided,
            () => Verdict::Met,
        };
        let (value, value_text) = (setting.json.as_f64(), setting.text.clone());
        Trial { value, value_text, verdict, runs, conditions, load: None, events: 0 }
    }

    /// The event that its verdict stands on, where no replication observed it.
    pub(crate) fn unseen(&self) -> Option<Unseen> {
        let bound = self.conditions.iter().find_map(|condition| condition.unseen.clone())?;
        Some(Unseen { value_text: self.value_text.clone(), bound })
    }

    /// What the search needs of it: of several conditions, the excess of the one that is farthest from being met, or of what arrives
    /// over what is served.
    pub(crate) fn step(&self) -> StepVerdict {
        let beyond = self.load.as_ref().map(|load| load.demand - 1.0).filter(|beyond| *beyond >= 0.0);
        let least = beyond.map_or(-1.0, |beyond| beyond.clamp(f64::MIN_POSITIVE, 1.0));
        let excess = self.conditions.iter().map(Condition::excess).fold(least, f64::max);
        StepVerdict { verdict: self.verdict, excess }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_when_every_condition_holds_in_it() {
        let counted = RunCount::count(&[vec![true, true, false], vec![true, false, false]]);
        assert_eq!(counted, Some(RunCount { met: 1, of: 3 }));
        assert_eq!(RunCount::count(&[]), None);
    }

    fn unseen(outcome: &'static str, direction: Option<&'static str>) -> Limit {
        let axis = Axis { path: "station.device.count".into(), unit: Some("1"), values: Vec::new() };
        let bound = NoneSeen { observed: "no failures in 1.7 h".into(), bound: String::new(), more: String::new() };
        let mut limit = Limit {
            outcome,
            direction,
            interval: [Some(61.0), Some(65.0)],
            unseen: Some(Unseen { value_text: "61".into(), bound }),
            ..Limit::new(&axis, "failures = 0".into(), 9)
        };
        limit.open_where_unseen();
        limit
    }

    #[test]
    fn an_event_that_was_not_observed_is_no_end_of_the_interval() {
        assert_eq!(unseen("found", Some("largest")).interval, [None, Some(65.0)]);
        assert_eq!(unseen("found", Some("smallest")).interval, [Some(61.0), None]);
        assert!(!unseen("found", Some("largest")).summary().decided);
        assert_eq!(unseen("always", None).outcome, "always");
    }
}
