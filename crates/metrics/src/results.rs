//! The results schema (schema 1) of `results.json`.
//!
//! Rust writes it; everything else only reads it. It holds no time of day, host or elapsed time, so the same
//! build, scenario and seed give the same bytes. A metric that does not apply is an object of its shape with
//! `count` or `value` 0 and its other fields null; an interval is null below two replications, except of counts and
//! shares, whose exact intervals need one.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::interval::{Interval, QuantileInterval};

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
    /// How often a rare event occurs, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskSummary>,
    /// An extreme quantile of the only point, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<TailSummary>,
    /// The points, in the order of the plan.
    pub points: Vec<Point>,
}

/// Worst cases of a scenario: what no run exceeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Delays of flows, whole and by hop, then queues.
    pub rows: Vec<BoundRow>,
    /// What the bounds rest on.
    pub assumptions: Vec<String>,
}

/// The bound of one delay or queue, beside what the simulation has seen of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundRow {
    /// The flow, or `all flows`.
    pub flow: String,
    /// Server, output or queue; `end to end` for a whole path.
    pub hop: String,
    /// Unit of all values: `"s"` of a delay, `"packets"` or another of what a queue holds.
    pub unit: String,
    /// The delay that is never exceeded; null where there is no bound, or where the row is about a queue.
    pub delay: Option<f64>,
    /// What a queue never exceeds; null where there is no bound, or where the row is about a delay.
    pub buffer: Option<f64>,
    /// The theorem that the bound follows from.
    pub theorem: Option<String>,
    /// Where the theorem is proved.
    pub source: Option<String>,
    /// Why there is no bound.
    pub why: Option<String>,
    /// The metric that the simulation observes of the same; null where it observes none.
    pub metric: Option<String>,
    /// The largest value simulated.
    pub simulated_max: Option<f64>,
    /// The largest value measured on a real network, where one was.
    pub measured_max: Option<f64>,
    /// The median of what was simulated.
    pub p50: Option<f64>,
    /// The 99 % quantile of what was simulated.
    pub p99: Option<f64>,
    /// The 99.9 % quantile of what was simulated.
    pub p999: Option<f64>,
    /// The largest value simulated as a share of the bound.
    pub tightness: Option<f64>,
}

impl BoundRow {
    /// What is never exceeded; `None` where there is no bound.
    pub fn bound(&self) -> Option<f64> {
        self.delay.or(self.buffer)
    }
}

impl Bounds {
    /// The bound of a metric; `None` where it has none.
    pub fn of(&self, metric: &str) -> Option<f64> {
        self.rows.iter().find(|row| row.metric.as_deref() == Some(metric))?.bound()
    }

    /// Puts what a measurement has seen beside the bounds; `largest` gives the largest value of a metric.
    pub fn measured(&mut self, largest: impl Fn(&str) -> Option<f64>) {
        for row in &mut self.rows {
            row.measured_max = row.metric.as_deref().and_then(&largest);
        }
    }

    /// Puts what a simulation has seen beside the bounds, and the bounds into its metrics.
    pub fn compare(&mut self, metrics: &mut BTreeMap<String, Metric>) {
        for row in &mut self.rows {
            let Some(metric) = row.metric.as_ref().and_then(|name| metrics.get_mut(name)) else { continue };
            let field = |name: &str| metric.field(name);
            (row.simulated_max, row.p50, row.p99, row.p999) = (field("max"), field("p50"), field("p99"), field("p999"));
            let comparable = row.bound().filter(|bound| *bound > 0.0).zip(row.simulated_max);
            row.tightness = comparable.map(|(bound, largest)| largest / bound);
            if let Metric::TimeWeighted(level) = metric {
                row.unit.clone_from(&level.unit);
            }
            metric.set_bound(row.bound());
        }
    }
}

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
    /// Observed seconds of each replication, after the warm-up.
    pub duration: f64,
    /// Seconds dropped at the start of each replication.
    pub warm_up: f64,
    /// SHA-256 of the canonical scenario of this point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario_hash: Option<String>,
    /// Metrics by name, members included.
    pub metrics: BTreeMap<String, Metric>,
    /// What the scenario's events do at times that are known before the run; at most a hundred of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventSummary>,
    /// Of a measurement: times without a response, in the order of replications.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<OutageSummary>,
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

/// One value per replication, by field (`"mean"`, `"p99"`, `"value"`); null where a replication has none.
pub type ByReplication = BTreeMap<String, Vec<Option<f64>>>;

/// A metric in one of the five shapes. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Metric {
    /// Samples of a duration.
    Distribution(DistributionSummary),
    /// A count or a rate.
    Scalar(ScalarSummary),
    /// A component of a delay budget.
    Budget(BudgetSummary),
    /// A level over time.
    TimeWeighted(LevelSummary),
    /// A metric in windows of time.
    Timeline(TimelineSummary),
}

/// What control variates did to a mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControlVariates {
    /// How many times as many replications the mean without them would need for the same interval; below 1 where they do harm.
    pub saved: f64,
    /// Mean of the replications' means.
    pub plain_mean: f64,
    /// 95 % interval of that mean.
    pub plain_ci95: Interval,
    /// What was drawn, of known expectation.
    pub variates: Vec<String>,
}

/// A distribution: pooled quantiles, means over replications.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DistributionSummary {
    /// Unit of all values.
    pub unit: String,
    /// Samples in all replications: what came back.
    pub count: u64,
    /// Samples sent: those and the ones that failed, timed out or were open at the end, older than the largest.
    #[serde(default)]
    pub sent: u64,
    /// Minimum over all replications.
    #[serde(deserialize_with = "required")]
    pub min: Option<f64>,
    /// Mean of the replications' minima.
    #[serde(deserialize_with = "required")]
    pub min_mean: Option<f64>,
    /// Mean of the replications' means.
    #[serde(deserialize_with = "required")]
    pub mean: Option<f64>,
    /// Maximum over all replications.
    #[serde(deserialize_with = "required")]
    pub max: Option<f64>,
    /// Mean of the replications' maxima.
    #[serde(deserialize_with = "required")]
    pub max_mean: Option<f64>,
    /// Standard deviation of all samples.
    #[serde(deserialize_with = "required")]
    pub sd: Option<f64>,
    /// Error bound of every value, where a clock of unknown offset has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// What no run exceeds, where the worst case was asked for and is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The mean as it is without control variates, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_variates: Option<Box<ControlVariates>>,
    /// Of recovery times: events after which there was no recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<u64>,
    /// Median of all samples sent; null where it is not reached.
    #[serde(deserialize_with = "required")]
    pub p50: Option<f64>,
    /// 90 % quantile of all samples sent; null where it is not reached.
    #[serde(deserialize_with = "required")]
    pub p90: Option<f64>,
    /// 99 % quantile of all samples sent; null where it is not reached.
    #[serde(deserialize_with = "required")]
    pub p99: Option<f64>,
    /// 99.9 % quantile of all samples sent; null where it is not reached.
    #[serde(deserialize_with = "required")]
    pub p999: Option<f64>,
    /// 95 % interval of the mean.
    #[serde(deserialize_with = "required")]
    pub ci95: Option<Interval>,
    /// 95 % interval of the median; its upper end is null where the samples bear "at least" only.
    #[serde(default)]
    pub p50_ci95: Option<QuantileInterval>,
    /// 95 % interval of the 90 % quantile; its upper end is null where the samples bear "at least" only.
    #[serde(default)]
    pub p90_ci95: Option<QuantileInterval>,
    /// 95 % interval of the 99 % quantile; its upper end is null where the samples bear "at least" only.
    #[serde(default)]
    pub p99_ci95: Option<QuantileInterval>,
    /// 95 % interval of the 99.9 % quantile; its upper end is null where the samples bear "at least" only.
    #[serde(default)]
    pub p999_ci95: Option<QuantileInterval>,
    /// Quantiles that are not reached: more than their share of the samples sent never came back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_reached: Vec<String>,
    /// Quantiles with fewer than ten effective samples beyond them: samples that come in clusters count as one each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weak: Vec<String>,
    /// Fields `mean`, `p50`, `p90`, `p99`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_replication: ByReplication,
}

/// A count (value: the total) or a rate (value: the mean over replications).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScalarSummary {
    /// Unit of the value.
    pub unit: String,
    /// Total of a count, mean of anything else.
    pub value: f64,
    /// 95 % interval of the value.
    #[serde(deserialize_with = "required")]
    pub ci95: Option<Interval>,
    /// Field `value` of each replication.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_replication: ByReplication,
}

/// A level over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelSummary {
    /// Unit of the level.
    pub unit: String,
    /// Time average after the warm-up, mean over replications.
    #[serde(deserialize_with = "required")]
    pub mean: Option<f64>,
    /// Maximum from time 0, over all replications.
    #[serde(deserialize_with = "required")]
    pub max: Option<f64>,
    /// What no run exceeds, where the worst case was asked for and is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// 95 % interval of the mean.
    #[serde(deserialize_with = "required")]
    pub ci95: Option<Interval>,
    /// The mean as it is without control variates, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_variates: Option<Box<ControlVariates>>,
    /// Field `mean` of each replication.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_replication: ByReplication,
}

/// A metric in windows of time: of requests, which belong to the window in which they were sent, or of a level. Lists have
/// a value for each window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineSummary {
    /// Unit of the quantiles and means.
    pub unit: String,
    /// Begin of each window, in seconds from the start of the run.
    pub start: Vec<f64>,
    /// End of each window.
    pub end: Vec<f64>,
    /// Requests sent in all replications.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<u64>,
    /// Of these, those that were answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delivered: Vec<u64>,
    /// Of those sent, those in flight at the end of their run: neither answered nor lost.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_flight: Vec<u64>,
    /// Mean over replications: of response times, or of the level.
    pub mean: Vec<Option<f64>>,
    /// 95 % interval of the mean.
    pub ci95: Vec<Option<Interval>>,
    /// Median of the response times; null where it is not reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p50: Vec<Option<f64>>,
    /// 95 % interval of the median.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p50_ci95: Vec<Option<QuantileInterval>>,
    /// 99 % quantile of the response times; null where it is not reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p99: Vec<Option<f64>>,
    /// 95 % interval of the 99 % quantile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p99_ci95: Vec<Option<QuantileInterval>>,
}

/// One component of a delay budget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BudgetSummary {
    /// Unit of the means.
    pub unit: String,
    /// Mean over all transactions (of the replications' means).
    #[serde(deserialize_with = "required")]
    pub mean: Option<f64>,
    /// Its share of the mean response time.
    #[serde(deserialize_with = "required")]
    pub share: Option<f64>,
    /// Mean over the slowest hundredth of all transactions.
    #[serde(deserialize_with = "required")]
    pub slowest_mean: Option<f64>,
    /// Its share of the slowest hundredth's mean response time.
    #[serde(deserialize_with = "required")]
    pub slowest_share: Option<f64>,
    /// Field `mean` of each replication.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_replication: ByReplication,
}

/// A field that may be null but not absent, by which shapes are distinguished when reading.
fn required<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

impl Metric {
    fn set_bound(&mut self, bound: Option<f64>) {
        match self {
            Metric::Distribution(summary) => summary.bound = bound,
            Metric::TimeWeighted(level) => level.bound = bound,
            Metric::Scalar(_) | Metric::Budget(_) | Metric::Timeline(_) => {}
        }
    }

    /// The unit of all its values.
    pub fn unit(&self) -> &str {
        match self {
            Metric::Distribution(summary) => &summary.unit,
            Metric::Scalar(summary) => &summary.unit,
            Metric::TimeWeighted(summary) => &summary.unit,
            Metric::Budget(summary) => &summary.unit,
            Metric::Timeline(summary) => &summary.unit,
        }
    }

    /// A field's value; `None` for a field that the shape lacks or that is null.
    pub fn field(&self, name: &str) -> Option<f64> {
        match (self, name) {
            (Metric::Distribution(d), "count") => Some(d.count as f64),
            (Metric::Distribution(d), "never") => d.never.map(|never| never as f64),
            (Metric::Distribution(d), "sent") => Some(d.sent as f64),
            (Metric::Distribution(d), "min") => d.min,
            (Metric::Distribution(d), "min_mean") => d.min_mean,
            (Metric::Distribution(d), "mean") => d.mean,
            (Metric::Distribution(d), "max") => d.max,
            (Metric::Distribution(d), "max_mean") => d.max_mean,
            (Metric::Distribution(d), "sd") => d.sd,
            (Metric::Distribution(d), "p50") => d.p50,
            (Metric::Distribution(d), "p90") => d.p90,
            (Metric::Distribution(d), "p99") => d.p99,
            (Metric::Distribution(d), "p999") => d.p999,
            (Metric::Scalar(s), "value") => Some(s.value),
            (Metric::TimeWeighted(l), "mean") => l.mean,
            (Metric::TimeWeighted(l), "max") => l.max,
            (Metric::Distribution(d), "bound") => d.bound,
            (Metric::TimeWeighted(l), "bound") => l.bound,
            (Metric::Budget(b), "mean") => b.mean,
            (Metric::Budget(b), "share") => b.share,
            (Metric::Budget(b), "slowest_mean") => b.slowest_mean,
            (Metric::Budget(b), "slowest_share") => b.slowest_share,
            _ => None,
        }
    }

    /// The 95 % interval of a field, where there is one; no upper end where the samples bear "at least" only.
    ///
    /// The largest sample seen is a lower bound of the largest possible one, the smallest an upper bound.
    pub fn interval(&self, field: &str) -> Option<QuantileInterval> {
        let closed = |[low, high]: Interval| (low, Some(high));
        match (self, field) {
            (Metric::Distribution(d), "mean") => d.ci95.map(closed),
            (Metric::Distribution(d), "p50") => d.p50_ci95,
            (Metric::Distribution(d), "p90") => d.p90_ci95,
            (Metric::Distribution(d), "p99") => d.p99_ci95,
            (Metric::Distribution(d), "p999") => d.p999_ci95,
            (Metric::Distribution(d), "max") => Some((d.max?, None)),
            (Metric::Distribution(d), "min") => Some((0.0, Some(d.min?))),
            (Metric::Scalar(s), "value") => s.ci95.map(closed),
            (Metric::TimeWeighted(l), "mean") => l.ci95.map(closed),
            // a bound is no estimate
            (_, "bound") => self.field(field).map(|bound| (bound, Some(bound))),
            _ => None,
        }
    }

    /// Whether a field is a quantile that is not reached: more than its share of the samples never came back.
    pub fn is_not_reached(&self, field: &str) -> bool {
        matches!(self, Metric::Distribution(d) if d.not_reached.iter().any(|name| name == field))
    }

    /// One value per replication, by field.
    pub fn by_replication(&self) -> &ByReplication {
        static NONE: ByReplication = ByReplication::new();
        match self {
            Metric::Timeline(_) => &NONE,
            Metric::Distribution(summary) => &summary.by_replication,
            Metric::Scalar(summary) => &summary.by_replication,
            Metric::TimeWeighted(summary) => &summary.by_replication,
            Metric::Budget(summary) => &summary.by_replication,
        }
    }

    /// Leaves the values by replication out, where there is one replication and they repeat the metric.
    pub fn forget_replications(&mut self) {
        match self {
            Metric::Timeline(_) => {}
            Metric::Distribution(summary) => summary.by_replication.clear(),
            Metric::Scalar(summary) => summary.by_replication.clear(),
            Metric::TimeWeighted(summary) => summary.by_replication.clear(),
            Metric::Budget(summary) => summary.by_replication.clear(),
        }
    }

    /// The field that a metric's name alone stands for: `value` of a scalar, else `mean`.
    pub fn main_field(&self) -> &'static str {
        match self {
            Metric::Scalar(_) => "value",
            _ => "mean",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Metric {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn shapes_are_distinguished_by_their_fields_even_if_null() {
        assert!(matches!(read(r#"{"unit":"s","value":0.0,"ci95":null}"#), Metric::Scalar(_)));
        assert!(matches!(read(r#"{"unit":"1","mean":null,"max":null,"ci95":null}"#), Metric::TimeWeighted(_)));
        let budget = r#"{"unit":"s","mean":null,"share":null,"slowest_mean":null,"slowest_share":null}"#;
        assert!(matches!(read(budget), Metric::Budget(_)));
    }

    #[test]
    fn metrics_round_trip_through_json() {
        let metrics = [
            Metric::Distribution(DistributionSummary {
                unit: "s".into(),
                count: 3,
                mean: Some(0.1 + 0.2),
                ci95: Some([0.1, 0.7]),
                weak: vec!["p999".into()],
                ..Default::default()
            }),
            Metric::Scalar(ScalarSummary { unit: "1/s".into(), value: 1e-7, ..Default::default() }),
            Metric::TimeWeighted(LevelSummary { unit: "cells".into(), mean: Some(2.5), ..Default::default() }),
            Metric::Budget(BudgetSummary { unit: "s".into(), share: Some(0.25), ..Default::default() }),
        ];
        for metric in metrics {
            assert_eq!(read(&serde_json::to_string(&metric).unwrap()), metric);
        }
    }

    #[test]
    fn a_setting_keeps_its_kind() {
        let settings = r#"[300.5,256,"acknowledged",true]"#;
        let read: Vec<Setting> = serde_json::from_str(settings).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), settings);
    }
}
