//! The limit that a search finds, and what each value tried gave.

use serde::Serialize;
use sojourn_scenario::{Axis, Setting};

use crate::bisection::StepVerdict;
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
    /// `found`, `always`, `never`, or `undecided` when the intervals decide no value.
    pub outcome: &'static str,
    /// Whether the answer is the `largest` or the `smallest` value; null when nothing was found.
    pub direction: Option<&'static str>,
    /// The answer in SI units; null when nothing was found.
    pub value: Option<f64>,
    /// The answer in the unit of the range.
    pub value_text: Option<String>,
    /// The nearest value that meets the condition over the whole 95 % interval, in SI units; null when none was found.
    pub decided_met: Option<f64>,
    /// The nearest value that misses it over the whole interval.
    pub decided_missed: Option<f64>,
    /// Between those two, lower first, in SI units; where one is null, up to that end of the range.
    pub interval: Option<[f64; 2]>,
    /// The same in the unit of the range.
    pub interval_text: Option<[String; 2]>,
    /// The trial of the value to judge, if there is one.
    pub asked: Option<Trial>,
    /// The trial of the value that the scenario has, where there is a value to judge.
    pub written: Option<Trial>,
    /// The trial of the limit itself.
    pub found: Option<Trial>,
    /// The trial of the first value beyond the limit.
    pub beyond: Option<Trial>,
    /// How many values were tried.
    pub tried: usize,
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
    pub runs: Option<Runs>,
    /// The judgement of each condition.
    pub conditions: Vec<Condition>,
}

/// How many of the runs (replications) of a value meet all conditions by themselves. Where some do and others do
/// not, the runs may differ in kind (a network that breaks down in some of them), and an interval around their mean
/// describes none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Runs {
    /// Those that meet them.
    pub met: usize,
    /// All runs of the value.
    pub of: usize,
}

impl Runs {
    /// Counts the runs in which every condition holds.
    pub(crate) fn count(by_condition: &[Vec<bool>]) -> Option<Runs> {
        let of = by_condition.first()?.len();
        let met = (0..of).filter(|&run| by_condition.iter().all(|holds| holds.get(run) == Some(&true))).count();
        Some(Runs { met, of })
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
    /// The verdict and the value it is based on.
    #[serde(flatten)]
    pub judgement: Judgement,
}

impl Limit {
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
            decided_met: None,
            decided_missed: None,
            interval: None,
            interval_text: None,
            asked: None,
            written: None,
            found: None,
            beyond: None,
            tried,
        }
    }
}

impl Trial {
    pub(crate) fn new(setting: &Setting, conditions: Vec<Condition>, runs: Option<Runs>) -> Trial {
        let verdicts = || conditions.iter().map(|condition| condition.judgement.verdict);
        let verdict = match () {
            () if verdicts().any(|verdict| verdict == Verdict::Missed) => Verdict::Missed,
            () if verdicts().any(|verdict| verdict == Verdict::Undecided) => Verdict::Undecided,
            () => Verdict::Met,
        };
        Trial { value: setting.json.as_f64(), value_text: setting.text.clone(), verdict, runs, conditions }
    }

    /// What the bisection needs of it.
    pub(crate) fn step(&self) -> StepVerdict {
        let holds = self.conditions.iter().all(|condition| condition.judgement.holds);
        StepVerdict { holds, verdict: self.verdict }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_counts_when_every_condition_holds_in_it() {
        let counted = Runs::count(&[vec![true, true, false], vec![true, false, false]]);
        assert_eq!(counted, Some(Runs { met: 1, of: 3 }));
        assert_eq!(Runs::count(&[]), None);
    }
}
