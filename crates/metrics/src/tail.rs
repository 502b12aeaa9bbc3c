//! Extreme quantiles: the time that a small share of all requests exceeds, by order statistics of the pooled samples.
//!
//! The quantile is the sample with that share of all samples beyond it; its interval is that of any quantile
//! ([`quantile_interval`]). It is reported only if enough independent samples lie beyond it: no distribution is
//! fitted, as its tail would be an assumption. Where they are too few, the summary proposes a number of replications.
//!
//! [`quantile_interval`]: crate::quantile_interval

use crate::merge::pooled;
use crate::quantile_interval::Replications;
use crate::record::{Observation, Record};
use crate::registry;
use crate::results::TailSummary;

/// Independent samples that have to lie beyond a quantile.
const ENOUGH_BEYOND: f64 = 10.0;

/// The number of replications proposed is enough by this factor, since the samples that they will have are estimated.
const MARGIN: f64 = 1.2;

/// The time that a share `probability` of a metric's samples exceeds; the share is above 0 and below 1.
pub fn tail(metric: &str, probability: f64, records: &[Record]) -> TailSummary {
    let unit = registry::find(metric).map_or("1", |information| information.unit).to_owned();
    let method = "order statistics".to_owned();
    let none = TailSummary { metric: metric.to_owned(), unit, probability, method, ..TailSummary::default() };
    let distributions = records.iter().filter_map(|record| match record.metrics.get(metric) {
        Some(Observation::Distribution(distribution)) => Some(distribution),
        _ => None,
    });
    let (Some(pooled), Some(replications)) = (pooled(metric, records), Replications::new(distributions)) else {
        return TailSummary { why: Some(format!("no {metric} was sampled")), ..none };
    };
    let q = 1.0 - probability;
    let effective_beyond = replications.effective_beyond(q);
    let none = TailSummary { samples: pooled.sent(), effective_beyond, ..none };
    if pooled.count() as f64 * (1.0 + 1e-12) < q * pooled.sent() as f64 {
        let failed = pooled.sent() - pooled.count();
        let why =
            format!("{failed} of {} requests had no response: more than a share of {probability:e}", pooled.sent());
        return TailSummary { why: Some(why), ..none };
    }
    let ci95 = replications.interval(q).map(|(low, high)| (low * 1e-12, high.map(|high| high * 1e-12)));
    let found = pooled.quantiles(&[q]).and_then(|quantiles| Some(quantiles[0]?.seconds()));
    if effective_beyond >= ENOUGH_BEYOND && ci95.is_some_and(|(_, high)| high.is_some()) {
        return TailSummary { quantile: found, ci95, ..none };
    }
    let expected = replications.expected_beyond(q);
    let needed = (records.len() as f64 * MARGIN * ENOUGH_BEYOND / expected).ceil().max(records.len() as f64 + 1.0);
    let beyond = match expected < 1.0 {
        true => "less than one independent sample".to_owned(),
        false => format!("about {expected:.0} independent samples"),
    };
    let why =
        format!("of {} samples, {beyond} can be expected beyond it, and {ENOUGH_BEYOND} are needed", pooled.sent());
    TailSummary { ci95, needed_replications: Some(needed as u64), why: Some(why), ..none }
}

#[cfg(test)]
mod tests {
    use sojourn_core::{Duration, Streams};

    use super::*;
    use crate::distribution::Distribution;

    /// Replications of independent exponential samples of mean 1 s.
    fn exponential(replications: u32, samples: u32, censored: u64) -> Vec<Record> {
        let of = |index| {
            let mut stream = Streams::new(5, index).stream("tail");
            let mut distribution = Distribution::new();
            (0..samples).for_each(|_| {
                let seconds = -libm::log(1.0 - stream.unit());
                distribution.record(Duration::from_seconds(seconds).unwrap());
            });
            distribution.censor(censored);
            let mut record = Record::default();
            record.observe("response_time", Observation::Distribution(distribution));
            record
        };
        (0..replications).map(of).collect()
    }

    #[test]
    fn the_interval_of_an_extreme_quantile_holds_that_of_the_distribution() {
        let found = tail("response_time", 1e-4, &exponential(20, 20_000, 0));
        let (low, high) = found.ci95.unwrap();
        let (truth, high) = (libm::log(1e4), high.unwrap());
        // 40 samples beyond: a standard error of 1 / sqrt(40) s
        assert!(low < truth && truth < high && high - low < 1.2, "{low} to {high}, not {truth}");
        let quantile = found.quantile.unwrap();
        assert!(low <= quantile && quantile <= high && found.samples == 400_000);
        // the spread of 20 replications, by which clusters are measured, is known to within a third
        assert!((20.0..=40.0).contains(&found.effective_beyond), "{}", found.effective_beyond);
        assert_eq!((found.needed_replications, found.why), (None, None));
    }

    #[test]
    fn too_few_samples_give_a_lower_end_and_say_how_many_replications_would_do() {
        let few = tail("response_time", 1e-5, &exponential(20, 20_000, 0));
        assert_eq!(few.quantile, None);
        assert!(few.ci95.is_some_and(|(low, high)| low > 8.0 && high.is_none()), "{:?}", few.ci95);
        let why = few.why.unwrap();
        assert!(why.starts_with("of 400000 samples, about ") && why.ends_with("and 10 are needed"), "{why}");
        let needed = few.needed_replications.unwrap();
        // 12 times 1e5 independent samples, of 20 000 a replication, by clusters of 1 to 2
        assert!((60..=120).contains(&needed), "{needed}");
        let enough = tail("response_time", 1e-5, &exponential(needed as u32, 20_000, 0));
        assert!(enough.quantile.is_some(), "{enough:?}");
    }

    #[test]
    fn requests_without_a_response_are_beyond_every_quantile() {
        let found = tail("response_time", 1e-4, &exponential(20, 20_000, 3));
        assert_eq!((found.quantile, found.ci95, found.needed_replications), (None, None, None));
        assert_eq!(found.why.unwrap(), "60 of 400060 requests had no response: more than a share of 1e-4");
    }

    #[test]
    fn nothing_sampled_and_one_replication_give_no_quantile() {
        let none = tail("response_time", 1e-3, &[Record::default()]);
        assert_eq!((none.quantile, none.why.as_deref()), (None, Some("no response_time was sampled")));
        let one = tail("response_time", 1e-3, &exponential(1, 20_000, 0));
        assert_eq!((one.quantile, one.ci95, one.needed_replications), (None, None, Some(2)));
    }
}
