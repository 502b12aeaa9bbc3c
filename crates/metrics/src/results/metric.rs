//! The shapes of metrics in results, and their fields.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::interval::{Interval, QuantileInterval};

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
    /// `false` where the metric does not apply to the scenario: its values are null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies: Option<bool>,
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
    /// 95 % quantile of all samples sent; null where it is not reached, absent from results of earlier versions.
    #[serde(default)]
    pub p95: Option<f64>,
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
    /// 95 % interval of the 95 % quantile; its upper end is null where the samples bear "at least" only.
    #[serde(default)]
    pub p95_ci95: Option<QuantileInterval>,
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
    /// Fields `mean`, `p50`, `p90`, `p95`, `p99`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_replication: ByReplication,
}

/// A count (value: the total) or a rate (value: the mean over replications).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScalarSummary {
    /// Unit of the value.
    pub unit: String,
    /// `false` where the metric does not apply to the scenario: its values are null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies: Option<bool>,
    /// Total of a count, mean of anything else; null where nothing was there to be counted.
    #[serde(deserialize_with = "required")]
    pub value: Option<f64>,
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
    /// `false` where the metric does not apply to the scenario: its values are null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies: Option<bool>,
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
    /// 95 % quantile of the response times; null where it is not reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p95: Vec<Option<f64>>,
    /// 95 % interval of the 95 % quantile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub p95_ci95: Vec<Option<QuantileInterval>>,
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
    /// `false` where the metric does not apply to the scenario: its values are null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applies: Option<bool>,
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
pub(super) fn required<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

impl Metric {
    pub(super) fn set_bound(&mut self, bound: Option<f64>) {
        match self {
            Metric::Distribution(summary) => summary.bound = bound,
            Metric::TimeWeighted(level) => level.bound = bound,
            Metric::Scalar(_) | Metric::Budget(_) | Metric::Timeline(_) => {}
        }
    }

    /// Whether the scenario has what the metric is about.
    pub fn applies(&self) -> bool {
        let applies = match self {
            Metric::Distribution(summary) => summary.applies,
            Metric::Scalar(summary) => summary.applies,
            Metric::TimeWeighted(summary) => summary.applies,
            Metric::Budget(summary) => summary.applies,
            Metric::Timeline(_) => None,
        };
        applies != Some(false)
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
            (Metric::Distribution(d), "p95") => d.p95,
            (Metric::Distribution(d), "p99") => d.p99,
            (Metric::Distribution(d), "p999") => d.p999,
            (Metric::Scalar(s), "value") => s.value,
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
            (Metric::Distribution(d), "p95") => d.p95_ci95,
            (Metric::Distribution(d), "p99") => d.p99_ci95,
            (Metric::Distribution(d), "p999") => d.p999_ci95,
            (Metric::Distribution(d), "max") => Some((d.max?, None)),
            (Metric::Distribution(d), "min") => Some((0.0, Some(d.min?))),
            (Metric::Scalar(s), "value") => s.ci95.map(closed),
            (Metric::TimeWeighted(l), "mean") => l.ci95.map(closed),
            // a bound is exact, not an estimate
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
    fn a_distribution_of_a_version_without_the_95_percent_quantile_is_read() {
        let old = r#"{"unit":"s","count":3,"sent":3,"min":0.1,"min_mean":0.1,"mean":0.2,"max":0.3,"max_mean":0.3,"sd":0.1,
            "p50":0.2,"p90":0.3,"p99":0.3,"p999":0.3,"ci95":null}"#;
        let Metric::Distribution(found) = read(old) else { panic!("a distribution") };
        assert_eq!((found.p90, found.p95, found.p95_ci95, found.p99), (Some(0.3), None, None, Some(0.3)));
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
            Metric::Scalar(ScalarSummary { unit: "1/s".into(), value: Some(1e-7), ..Default::default() }),
            Metric::TimeWeighted(LevelSummary { unit: "cells".into(), mean: Some(2.5), ..Default::default() }),
            Metric::Budget(BudgetSummary { unit: "s".into(), share: Some(0.25), ..Default::default() }),
        ];
        for metric in metrics {
            assert_eq!(read(&serde_json::to_string(&metric).unwrap()), metric);
        }
    }
}
