//! The results schema (schema 1) of `results.json`.
//!
//! Rust writes it; everything else only reads it. It holds no time of day, host or elapsed time, so the same
//! build, scenario and seed give the same bytes. A metric that does not apply is an object of its shape with
//! `"applies": false` whose values are null; an interval is null below two replications, except of counts and
//! shares, whose exact intervals need one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use advice::{AdviceSummary, AlternativeSummary};
pub use bounds::{BoundRow, Bounds, PriorityRow};
pub use metric::{
    BudgetSummary, ByReplication, ControlVariates, DistributionSummary, LevelSummary, Metric, ScalarSummary,
    TimelineSummary,
};
pub use risk::{RiskLevel, RiskSummary, TailSummary};
pub use role::Role;
pub use slowest::NotableTransaction;

mod advice;
mod bounds;
mod metric;
mod risk;
mod role;
mod slowest;

/// The version of this schema. Scripts outside the project rely on its names: they change only with it.
pub const SCHEMA: u32 = 1;

/// The contents of `results.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Version of the results schema, [`SCHEMA`].
    pub schema: u32,
    /// Version of Sojourn that wrote it.
    pub sojourn: String,
    /// Short commit of the build, with `-dirty` if so.
    pub commit: String,
    /// Name of the study, or of the scenario's file.
    pub study: String,
    /// Kind of the network.
    pub network: String,
    /// `"simulated"` or `"live"`: virtual or real time.
    pub world: String,
    /// Seed of every point.
    pub seed: u64,
    /// Hash over the points' hashes.
    pub scenario_hash: String,
    /// Method of the confidence intervals.
    pub method: String,
    /// The keys that vary.
    pub axes: BTreeMap<String, Axis>,
    /// The limit of a key, where one was searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitSummary>,
    /// The worst cases of the only point, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Vec<BoundRow>>,
    /// What those rest on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bound_assumptions: Vec<String>,
    /// An order of priorities that meets all deadlines, where it was looked for and there is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bound_priorities: Vec<PriorityRow>,
    /// How often a rare event occurs, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskSummary>,
    /// Which of several changes is best, where that was asked: a point for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<AdviceSummary>,
    /// An extreme quantile of the only point, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<TailSummary>,
    /// What the path did to packets, of a timed measurement: empty where nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Vec<PathFinding>>,
    /// The slowest transactions of a capture, where they were asked for, the slowest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowest: Option<Vec<NotableTransaction>>,
    /// Who serves in the flows of a capture of IP, the busiest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<Role>>,
    /// The points, in the order of the plan.
    pub points: Vec<Point>,
}

/// The limit of a key up to which conditions hold. Values are in SI units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitSummary {
    /// Path of the key.
    pub key: String,
    /// The estimate; null where the replications do not decide it.
    pub value: Option<f64>,
    /// Its confidence interval, lower end first; an end is null where the replications do not decide it.
    pub interval: [Option<f64>; 2],
    /// Confidence of the interval: 0.95.
    pub confidence: f64,
    /// Replications of the estimate that meet the conditions by themselves; null where that is not defined.
    pub met: Option<u64>,
    /// Replications of the estimate.
    pub of: Option<u64>,
    /// Whether both ends of the interval are decided.
    pub decided: bool,
}

/// A key that varies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// SI unit, as `"1/s"`; null for words.
    pub unit: Option<String>,
}

/// A value of an axis: a number in SI units, or a word of the scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A flag of the scenario.
    Flag(bool),
    /// A whole number, as bytes and counts are.
    Integer(i64),
    /// A number in SI units.
    Number(f64),
    /// A word of the scenario.
    Word(String),
}

/// One point of a plan: its settings and the metrics of its replications.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Id of the experiment, `"<id>+<variant>"` for a sensitivity run.
    pub experiment: String,
    /// Exactly the keys that vary.
    pub set: BTreeMap<String, Setting>,
    /// `"ok"`, or `"failed: ..."`.
    pub status: String,
    /// Number of replications run.
    pub replications: u32,
    /// What ended them, where they are added until all that is expected is decided: `expectations` that are, the `budget` of
    /// events, or `replications` where no number of them decides what is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// Observed seconds of each replication, after the warm-up.
    pub duration: f64,
    /// Seconds dropped at the start of each replication.
    pub warm_up: f64,
    /// SHA-256 of the canonical scenario of this point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario_hash: Option<String>,
    /// Metrics by name, members included.
    pub metrics: BTreeMap<String, Metric>,
    /// What each resource that serves was offered and carried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stability: Vec<Stability>,
    /// What the scenario's events do at times that are known before the run; at most a hundred of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventSummary>,
    /// Of a measurement: times without a response, in the order of replications.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<OutageSummary>,
}

/// A resource that serves: a link, a queue, a processor, a channel. Means of the replications, after the warm-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// Its name.
    pub resource: String,
    /// What arrived a second, what was lost included.
    pub offered: f64,
    /// What was served a second.
    pub carried: f64,
    /// Unit of both: `"packets/s"`; `"1"` for shares of its time.
    pub unit: String,
    /// Share of its time that it was busy; null where that cannot be seen, as of the peer of a measurement.
    pub utilisation: Option<f64>,
    /// The work that arrived and was not lost, as a share of what it can do; null where those who send wait for answers.
    pub demand: Option<f64>,
    /// Whether less work arrives than it can do: else there is no steady state. Null where that is not decided.
    pub stable: Option<bool>,
}

/// One time that an event of the scenario happens. Times are in seconds from the start of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventSummary {
    /// Its name.
    pub name: String,
    /// The word of its action.
    pub action: String,
    /// When it begins.
    pub begin: f64,
    /// When it ends; null where it has no end.
    pub end: Option<f64>,
}

/// A time without a response. One that lasts beyond a phase is listed with each, as far as it is within.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutageSummary {
    /// The replication, from 0.
    pub replication: u32,
    /// When the first request without a response was sent, in seconds from the start of the first phase.
    pub begin: f64,
    /// When the next request with a response was sent; null if there was none until the end.
    pub end: Option<f64>,
    /// Its length in seconds, to its end or that of the measurement.
    pub duration: f64,
    /// Requests without a response.
    pub requests: u64,
    /// The last error of the network or the operating system; null where there was only silence.
    pub cause: Option<String>,
}

/// What the path did to packets. Values are in SI units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathFinding {
    /// `"mtu"`, `"dscp"`, `"ecn"`, `"rebinding"`, `"reordering"` or `"queue"`.
    pub finding: String,
    /// `"forward"` or `"return"`; null where packets show no direction.
    pub direction: Option<String>,
    /// Phase of the measurement; null of all of it.
    pub experiment: Option<String>,
    /// When, in seconds from the start of the first phase; null of what has no time.
    pub at: Option<f64>,
    /// In words.
    pub text: String,
    /// Its numbers and words, by name.
    pub values: BTreeMap<String, Setting>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_keeps_its_kind() {
        let settings = r#"[300.5,256,"acknowledged",true]"#;
        let read: Vec<Setting> = serde_json::from_str(settings).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), settings);
    }
}
