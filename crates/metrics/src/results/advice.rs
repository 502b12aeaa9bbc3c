//! Results of a comparison of changes.

use serde::{Deserialize, Serialize};

use super::metric::required;
use crate::interval::Interval;

/// Which of several changes is best. Values are in the unit of the metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AdviceSummary {
    /// The metric and field by which they are compared: `response_time.p99`.
    pub objective: String,
    /// Unit of its values.
    pub unit: String,
    /// `"lower"` or `"higher"`: which values are better.
    pub better: String,
    /// What the selected one must meet, as written; empty without conditions.
    pub conditions: Vec<String>,
    /// Whether the options are those that the network proposes: the scenario has none of its own.
    #[serde(default)]
    pub proposed: bool,
    /// The smallest difference that counts; null where no replication gave a value.
    #[serde(deserialize_with = "required")]
    pub indifference: Option<f64>,
    /// Probability that the selected one is the best, if it is better than the others by the indifference: 0.95.
    pub confidence: f64,
    /// `"selected"`; `"none"` where no alternative meets the conditions; `"undecided"` where the budget was spent before.
    pub outcome: String,
    /// The selected alternative, by its place in `alternatives`; null without one.
    #[serde(deserialize_with = "required")]
    pub selected: Option<usize>,
    /// Replications of all alternatives.
    pub replications: u64,
    /// Replications of all alternatives if each had as many as the one with most.
    pub equal_allocation: u64,
    /// The scenario as it is, then each change, in the order of the points.
    pub alternatives: Vec<AlternativeSummary>,
}

/// The scenario as it is, or with one or several options.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AlternativeSummary {
    /// Its name: those of its options.
    pub name: String,
    /// Its options; empty of the scenario as it is.
    pub options: Vec<String>,
    /// The sum of their costs; null where no option has a cost.
    #[serde(deserialize_with = "required")]
    pub cost: Option<f64>,
    /// Mean of the objective over its replications; null where a replication has none.
    #[serde(deserialize_with = "required")]
    pub value: Option<f64>,
    /// Its 95 % interval; null where it is not known.
    #[serde(deserialize_with = "required")]
    pub ci95: Option<Interval>,
    /// Whether it meets all conditions; null where that is not decided.
    #[serde(deserialize_with = "required")]
    pub met: Option<bool>,
    /// Its replications.
    pub replications: u32,
    /// `"selected"`, `"worse"` than another, `"equal"` within the indifference, `"misses"` a condition, `"dearer"` and better than
    /// the selected one, `"unstable"`, `"open"` where the budget was spent before, `"failed"`.
    pub status: String,
    /// The alternative that eliminated it, by its place; null otherwise.
    #[serde(deserialize_with = "required")]
    pub eliminated_by: Option<usize>,
    /// Its difference from the selected one in the replications of both, as a share of the selected one's value: above 0 where it is worse;
    /// null where that is not known.
    #[serde(deserialize_with = "required")]
    pub difference: Option<f64>,
    /// Its 95 % interval.
    #[serde(deserialize_with = "required")]
    pub difference_ci95: Option<Interval>,
    /// Why it is out, where its status does not say all: the condition that it misses, the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
