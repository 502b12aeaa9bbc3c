//! Samples, traces and histograms of a point, in columns.

use std::collections::BTreeSet;

use serde::Serialize;
use sojourn_core::Duration;
use sojourn_metrics::merge::pooled;
use sojourn_metrics::record::{Observation, Record};

/// The metrics of a point that have columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Columns {
    /// Metrics whose samples every replication still has, each.
    pub samples: Vec<String>,
    /// Metrics with a trace.
    pub traces: Vec<String>,
    /// Metrics with a histogram.
    pub histograms: Vec<String>,
}

/// Samples in order of replication, then of recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Which replication, from 0.
    pub replication: Vec<u32>,
    /// The sample, in seconds.
    pub value: Vec<f64>,
}

/// A level or sample over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Which replication, from 0.
    pub replication: Vec<u32>,
    /// Seconds since the start of the replication.
    pub time_s: Vec<f64>,
    /// The value, in the metric's unit.
    pub value: Vec<f64>,
}

/// Samples of all replications, binned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Lower edge, included, in seconds.
    pub from_s: Vec<f64>,
    /// Upper edge, in seconds.
    pub to_s: Vec<f64>,
    /// Samples between the edges.
    pub count: Vec<u64>,
}

impl Columns {
    /// The metrics with columns in `records`.
    pub fn of(records: &[Record]) -> Columns {
        let names: BTreeSet<&String> = records.iter().flat_map(|record| record.metrics.keys()).collect();
        let traces: BTreeSet<&String> = records.iter().flat_map(|record| record.traces.keys()).collect();
        let is_distribution = |name: &&&String| {
            records.iter().any(|record| matches!(record.metrics.get(**name), Some(Observation::Distribution(_))))
        };
        let histograms: Vec<&String> = names.iter().filter(is_distribution).copied().collect();
        let whole = histograms.iter().filter(|name| samples(records, name).is_some());
        Columns {
            samples: whole.map(|name| name.to_string()).collect(),
            traces: traces.into_iter().cloned().collect(),
            histograms: histograms.into_iter().cloned().collect(),
        }
    }
}

/// The samples of `metric`; `None` when there are none of it, or a replication had too many to keep.
pub fn samples(records: &[Record], metric: &str) -> Option<Samples> {
    let mut columns = Samples::default();
    let mut found = false;
    for (replication, record) in records.iter().enumerate() {
        let Some(Observation::Distribution(distribution)) = record.metrics.get(metric) else { continue };
        found = true;
        let own = distribution.samples()?;
        columns.replication.extend(std::iter::repeat_n(replication as u32, own.len()));
        columns.value.extend(own.iter().map(|&value| seconds(value)));
    }
    found.then_some(columns)
}

/// The traces of `metric`; empty when none was kept.
pub fn trace(records: &[Record], metric: &str) -> Trace {
    let mut columns = Trace::default();
    for (replication, record) in records.iter().enumerate() {
        for &(time, value) in record.traces.get(metric).map(Vec::as_slice).unwrap_or_default() {
            columns.replication.push(replication as u32);
            columns.time_s.push(seconds(time));
            columns.value.push(value);
        }
    }
    columns
}

/// The histogram of `metric` over all replications, empty bins left out; empty for a metric that is not a distribution.
pub fn histogram(records: &[Record], metric: &str) -> Histogram {
    let mut columns = Histogram::default();
    for (from, to, count) in pooled(metric, records).map(|distribution| distribution.bins()).unwrap_or_default() {
        columns.from_s.push(seconds(from));
        columns.to_s.push(seconds(to));
        columns.count.push(count);
    }
    columns
}

fn seconds(picoseconds: u64) -> f64 {
    Duration::from_picoseconds(picoseconds).seconds()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_metrics::Distribution;

    fn record(micros: &[u64]) -> Record {
        let mut distribution = Distribution::new();
        micros.iter().for_each(|&value| distribution.record(Duration::from_micros(value)));
        let mut record = Record::default();
        record.observe("response_time", Observation::Distribution(distribution));
        record.scalar("utilisation", 0.5);
        record
    }

    #[test]
    fn samples_come_in_order_of_replication_and_histograms_pool_them() {
        let mut records = [record(&[30, 10]), record(&[20])];
        records[0].traces.insert("backlog".into(), vec![(1_000_000, 2.0)]);
        let columns = Columns::of(&records);
        assert_eq!((columns.samples.len(), columns.histograms.len()), (1, 1));
        assert_eq!(columns.traces, ["backlog"]);
        let found = samples(&records, "response_time").unwrap();
        assert_eq!((found.replication, found.value), (vec![0, 0, 1], vec![30e-6, 10e-6, 20e-6]));
        assert_eq!(histogram(&records, "response_time").count.iter().sum::<u64>(), 3);
        assert_eq!(trace(&records, "backlog").time_s, [1e-6]);
    }

    #[test]
    fn a_metric_that_is_no_distribution_has_no_samples() {
        assert_eq!(samples(&[record(&[1])], "utilisation"), None);
        assert_eq!(histogram(&[record(&[1])], "utilisation"), Histogram::default());
    }
}
