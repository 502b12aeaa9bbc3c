//! Results about rare events and extreme quantiles.

use serde::{Deserialize, Serialize};

use super::metric::required;
use crate::interval::QuantileInterval;

/// How often a rare event occurs for the first time. Times are in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RiskSummary {
    /// The condition as written.
    pub condition: String,
    /// First occurrences per time; null where there was none.
    pub rate: Option<f64>,
    /// Unit of the rate: `"1/s"`.
    pub unit: String,
    /// 95 % interval of the rate, lower end first; where nothing occurred from 0 to the bound.
    pub ci95: [f64; 2],
    /// Probability that it occurs within `within`; null where no time was asked.
    pub probability: Option<f64>,
    /// 95 % interval of that probability.
    pub probability_ci95: Option<[f64; 2]>,
    /// The time asked about.
    pub within: Option<f64>,
    /// Mean time to the first occurrence, the inverse of the rate; null where there was none.
    pub mean_time: Option<f64>,
    /// Share of the time that it lasts; null of what does not end.
    pub share_of_time: Option<f64>,
    /// 95 % interval of that share.
    pub share_ci95: Option<[f64; 2]>,
    /// `"splitting"` (RESTART) or `"crude"`.
    pub method: String,
    /// The gauge by which paths were split.
    pub importance: String,
    /// The levels; one, from 0, without splitting.
    pub levels: Vec<RiskLevel>,
    /// Independent replications.
    pub replications: u32,
    /// Of these, those in which it occurred.
    pub replications_with_occurrence: u32,
    /// Time simulated for the estimate, on all paths, warm-ups included.
    pub simulated_time: f64,
    /// Time simulated by the pilots that placed the levels.
    pub pilot_time: f64,
    /// Time that runs without splitting would have to simulate for the same interval; null where there was none.
    pub equivalent_time: Option<f64>,
}

/// The time that a small share of all requests exceeds: an extreme quantile. Times are in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TailSummary {
    /// Name of the metric.
    pub metric: String,
    /// Unit of the quantile: `"s"`.
    pub unit: String,
    /// Share of the requests that take longer: 1e-6.
    pub probability: f64,
    /// The quantile; null where the samples do not give it.
    pub quantile: Option<f64>,
    /// Its 95 % interval, lower end first; the upper end is null where the quantile is at least the lower one, the whole where there
    /// are too few replications.
    #[serde(deserialize_with = "required")]
    pub ci95: Option<QuantileInterval>,
    /// `"order statistics"`.
    pub method: String,
    /// Samples in all replications, of failures, too.
    pub samples: u64,
    /// Samples beyond the quantile that count as independent.
    pub effective_beyond: f64,
    /// Replications that give the quantile, about; null where more of them would not.
    pub needed_replications: Option<u64>,
    /// Why the samples do not give it.
    pub why: Option<String>,
}

/// A level of splitting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RiskLevel {
    /// Importance from which on a path is in it.
    pub from: u64,
    /// Paths that go on from it, for each that reaches it.
    pub copies: u32,
    /// Paths that reached it.
    pub entered: u64,
    /// Share of the time in it, of paths by their weights.
    pub share: f64,
    /// Share of the simulated events in it: of balanced levels about the same.
    pub effort: f64,
    /// First occurrences on paths in it.
    pub occurrences: u64,
}
