//! Intervals of a single run, such as a measurement, from batches of consecutive samples (batch means).
//!
//! The number of batches is halved until the means of neighbouring batches are uncorrelated (Law and Carson, 1979),
//! from 32 to 8. The batches then stand for replications: the mean has their Student's t interval, a quantile the
//! interval of [`quantile_interval`](crate::quantile_interval). All samples are in a batch, so that the mean is within its
//! interval. Neither covers what changes from one measurement to
//! the next.

use std::collections::BTreeMap;

use sojourn_core::Duration;

use crate::distribution::Distribution;
use crate::interval::{self, Part};
use crate::quantile_interval::Replications;
use crate::record::{Observation, Record};
use crate::results::Metric;

/// Batches at first, and at least.
const MOST: usize = 32;
const FEWEST: usize = 8;

/// Samples of a batch, at least.
const SAMPLES: usize = 10;

/// Correlation of neighbouring batches above which they are too short.
const CORRELATED: f64 = 0.2;

/// Gives the distributions among the metrics of a point the intervals that one run of it bears.
pub fn add_intervals(metrics: &mut BTreeMap<String, Metric>, record: &Record) {
    for (name, metric) in metrics {
        let (Metric::Distribution(summary), Some(Observation::Distribution(observed))) =
            (metric, record.metrics.get(name))
        else {
            continue;
        };
        let Some(batches) = batches(observed) else {
            // of more samples than are stored one by one, the sums of batches are
            if observed.samples().is_none() {
                let mean = summary.mean;
                let of_parts = || interval_of_parts(mean?, |count| observed.all_parts(count));
                summary.ci95 = summary.ci95.or_else(of_parts);
            }
            continue;
        };
        let parts: Vec<Part> = batches.iter().filter_map(part).collect();
        summary.ci95 = summary.mean.and_then(|mean| interval::of_parts(mean, &parts));
        let replications = Replications::new(batches.iter());
        let of = |q| {
            let (low, high) = replications.as_ref()?.interval(q)?;
            Some((low * 1e-12, high.map(|high| high * 1e-12)))
        };
        let reached = |value: Option<f64>, q| value.and_then(|_| of(q));
        summary.p50_ci95 = reached(summary.p50, 0.5);
        summary.p90_ci95 = reached(summary.p90, 0.9);
        summary.p95_ci95 = reached(summary.p95, 0.95);
        summary.p99_ci95 = reached(summary.p99, 0.99);
        summary.p999_ci95 = reached(summary.p999, 0.999);
    }
}

/// The interval of the `mean` of a run whose `parts` give it in this many consecutive parts; `None` where they do not.
pub fn interval_of_parts(mean: f64, parts: impl Fn(usize) -> Option<Vec<Part>>) -> Option<interval::Interval> {
    let mut count = MOST;
    loop {
        match parts(count) {
            Some(parts) if count == FEWEST || correlation(&means_of(&parts)) <= CORRELATED => {
                return interval::of_parts(mean, &parts);
            }
            _ if count == FEWEST => return None,
            _ => count /= 2,
        }
    }
}

fn means_of(parts: &[Part]) -> Vec<f64> {
    parts.iter().filter(|part| part.size > 0.0).map(|part| part.sum / part.size).collect()
}

/// A batch as a part of its run, in seconds.
fn part(batch: &Distribution) -> Option<Part> {
    Some(Part { sum: batch.mean()? * batch.count() as f64, size: batch.count() as f64 })
}

/// The samples in as many batches as are uncorrelated; `None` of too few, or where not all were stored.
///
/// Samples that never came back have no place among the others: all of them are in the last batch, as of one burst, the
/// case that says least.
fn batches(observed: &Distribution) -> Option<Vec<Distribution>> {
    let samples = observed.samples()?;
    let mut count = MOST;
    while count > FEWEST && (samples.len() < SAMPLES * count || correlation(&means(samples, count)) > CORRELATED) {
        count /= 2;
    }
    if samples.len() < SAMPLES * count {
        return None;
    }
    let mut batches: Vec<Distribution> = parts(samples, count)
        .map(|part| {
            let mut batch = Distribution::new();
            part.iter().for_each(|&sample| batch.record(Duration::from_picoseconds(sample)));
            batch
        })
        .collect();
    batches.last_mut()?.censor(observed.censored());
    Some(batches)
}

fn parts(samples: &[u64], count: usize) -> impl Iterator<Item = &[u64]> {
    let end = move |part: usize| samples.len() * part / count;
    (0..count).map(move |part| &samples[end(part)..end(part + 1)])
}

fn means(samples: &[u64], count: usize) -> Vec<f64> {
    parts(samples, count)
        .map(|part| part.iter().map(|&sample| sample as f64).sum::<f64>() / part.len() as f64)
        .collect()
}

/// The correlation of neighbouring values; 0 of values that are all alike.
fn correlation(values: &[f64]) -> f64 {
    let centre = values.iter().sum::<f64>() / values.len() as f64;
    let square: f64 = values.iter().map(|value| (value - centre) * (value - centre)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum();
    if square > 0.0 { products / square } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;
    use crate::merge::merge;
    use crate::results::DistributionSummary;

    /// A run of 2000 samples around 10 ms, each of which keeps a share of the one before.
    fn run(index: u32, share: f64, lost: u64) -> DistributionSummary {
        let mut stream = Streams::new(5, index).stream("one run");
        let (mut state, mut observed) = (0.0, Distribution::new());
        for _ in 0..2000 {
            state = share * state + (1.0 - share) * (stream.unit() - 0.5);
            observed.record(Duration::from_picoseconds((1e9 * (10.0 + state)) as u64));
        }
        observed.censor(lost);
        let mut record = Record::default();
        record.observe("response_time", Observation::Distribution(observed));
        let mut metrics = merge(std::slice::from_ref(&record));
        add_intervals(&mut metrics, &record);
        match metrics.remove("response_time") {
            Some(Metric::Distribution(summary)) => summary,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn intervals_of_one_run_hold_the_mean_and_the_median_of_dependent_samples() {
        for share in [0.0, 0.9] {
            let (mut means, mut medians) = (0, 0);
            for index in 0..200 {
                let summary = run(index, share, 0);
                let [low, high] = summary.ci95.expect("an interval of the mean");
                means += u32::from(low <= 10e-3 && 10e-3 <= high);
                let (low, high) = summary.p50_ci95.expect("an interval of the median");
                medians += u32::from(low <= 10e-3 && high.is_none_or(|high| 10e-3 <= high));
            }
            assert!((182..=198).contains(&means), "{means} of 200 means at {share}");
            assert!((182..=199).contains(&medians), "{medians} of 200 medians at {share}");
        }
    }

    #[test]
    fn a_quantile_above_which_all_may_be_lost_has_no_upper_end() {
        let summary = run(1, 0.0, 15);
        assert_eq!(summary.p99_ci95.map(|(_, high)| high), Some(None), "0.7 % are lost, perhaps in one burst");
        assert!(summary.p50_ci95.is_some_and(|(_, high)| high.is_some()));
        assert_eq!(run(1, 0.0, 40).p99_ci95, None, "2 % are lost: p99 is not reached");
    }

    #[test]
    fn more_samples_than_are_stored_have_the_interval_of_the_sums_of_their_batches() {
        let mut stream = Streams::new(5, 0).stream("one run");
        let mut observed = Distribution::new();
        for _ in 0..3 * crate::distribution::EXACT_SAMPLES {
            observed.record(Duration::from_picoseconds((1e9 * (9.5 + stream.unit())) as u64));
        }
        assert_eq!(observed.samples(), None);
        let mut record = Record::default();
        record.observe("response_time", Observation::Distribution(observed));
        let mut metrics = merge(std::slice::from_ref(&record));
        add_intervals(&mut metrics, &record);
        let [low, high] = metrics["response_time"].interval("mean").map(|(low, high)| [low, high.unwrap()]).unwrap();
        assert!(low < 10e-3 && 10e-3 < high && high - low < 0.05e-3, "{low} to {high}");
    }

    #[test]
    fn a_late_slow_sample_is_in_the_mean_and_in_its_interval() {
        for count in [2_000_u64, 10_000] {
            let mut observed = Distribution::new();
            (0..count).for_each(|number| observed.record(Duration::from_micros(8_000 + number % 7)));
            observed.record(Duration::from_secs(20));
            let mut record = Record::default();
            record.observe("response_time", Observation::Distribution(observed));
            let mut metrics = merge(std::slice::from_ref(&record));
            add_intervals(&mut metrics, &record);
            let Some(Metric::Distribution(summary)) = metrics.remove("response_time") else { panic!() };
            let ([low, high], mean) = (summary.ci95.unwrap(), summary.mean.unwrap());
            assert!(low <= mean && mean <= high, "{mean} of {count} in {low} to {high}");
            assert!(low < 8.1e-3 && high > 20.0 / count as f64 + 8e-3, "{low} to {high}");
        }
    }

    #[test]
    fn few_samples_have_no_interval() {
        let mut record = Record::default();
        let mut observed = Distribution::new();
        observed.record_many(Duration::from_millis(1), 79);
        record.observe("response_time", Observation::Distribution(observed));
        let mut metrics = merge(std::slice::from_ref(&record));
        let before = metrics.clone();
        add_intervals(&mut metrics, &record);
        assert_eq!(metrics, before);
    }
}
