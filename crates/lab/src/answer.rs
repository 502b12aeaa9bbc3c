//! What a search answers.

use serde::Serialize;
use sojourn_scenario::{Axis, Setting};

use crate::search::Trial;
use crate::verdict::{Judgement, Verdict};

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// The key varied.
    pub key: String,
    /// Its SI unit.
    pub unit: Option<String>,
    /// The conditions as written.
    pub text: String,
    /// The question the scenario asks, in its words.
    pub question: Option<String>,
    /// `found`, `always`, `never`, or `undecided` when no value surely meets and none surely misses it.
    pub outcome: &'static str,
    /// Whether the answer is the `largest` or the `smallest` value; null when nothing was found.
    pub direction: Option<&'static str>,
    /// The answer in SI units; null when nothing was found.
    pub value: Option<f64>,
    /// The answer in the unit of the range.
    pub value_text: Option<String>,
    /// The nearest value that surely meets the condition, in SI units; null when none was found.
    pub surely_met: Option<f64>,
    /// The nearest value that surely misses it.
    pub surely_missed: Option<f64>,
    /// Between those two, lower first, in SI units; where one is null, up to that end of the range.
    pub interval: Option<[f64; 2]>,
    /// The same in the unit of the range.
    pub interval_text: Option<[String; 2]>,
    /// What the value asked about says, if one was.
    pub asked: Option<Tried>,
    /// What the scenario as it is written says, if a value was asked about and it has one.
    pub written: Option<Tried>,
    /// What the answer itself says.
    pub found: Option<Tried>,
    /// How many values were tried.
    pub tried: usize,
}

/// What one value of the key says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// The value in SI units.
    pub value: Option<f64>,
    /// The value as written.
    pub value_text: String,
    /// All conditions together: missed if one is, else undecided if one is.
    pub verdict: Verdict,
    /// Each condition.
    pub conditions: Vec<Condition>,
}

/// What one value of the key says of one condition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Condition {
    /// As written: `response_time.p99 < 100 ms`.
    pub text: String,
    /// The metric it speaks of.
    pub metric: String,
    /// Its field.
    pub field: String,
    /// Its unit.
    pub unit: &'static str,
    /// What the field is held against, in SI units.
    pub limit: f64,
    /// What the point says.
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
            surely_met: None,
            surely_missed: None,
            interval: None,
            interval_text: None,
            asked: None,
            written: None,
            found: None,
            tried,
        }
    }
}

impl Tried {
    pub(crate) fn new(setting: &Setting, conditions: Vec<Condition>) -> Tried {
        let verdicts = || conditions.iter().map(|condition| condition.judgement.verdict);
        let verdict = match () {
            () if verdicts().any(|verdict| verdict == Verdict::Missed) => Verdict::Missed,
            () if verdicts().any(|verdict| verdict == Verdict::Undecided) => Verdict::Undecided,
            () => Verdict::Met,
        };
        Tried { value: setting.json.as_f64(), value_text: setting.text.clone(), verdict, conditions }
    }

    /// What the bisection needs of it.
    pub(crate) fn trial(&self) -> Trial {
        let holds = self.conditions.iter().all(|condition| condition.judgement.holds);
        Trial { holds, verdict: self.verdict }
    }
}
