//! Autocorrelation of consecutive samples: how many of them count as one independent sample.
//!
//! Each replication is cut into eight equal parts. If samples were independent, the variance of the parts' means
//! would be that of the samples divided by the samples per part; the factor by which it is larger is the number of
//! samples that count as one. If neighbouring parts are still correlated, the correlation time exceeds the length of
//! a part: the run is too short.

use crate::distribution::Distribution;
use crate::record::{Observation, Record};

/// Replications from which their spread is a better measure than the parts of each.
pub const REPLICATIONS: usize = 5;

/// Parts of a replication.
const PARTS: usize = 8;

/// A correlation of neighbouring parts above this says that runs are short. Parts of twice the relaxation time have 0.33
/// if the correlation of samples falls exponentially, of five times 0.12.
const ALIKE: f64 = 0.3;

/// How far samples repeat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dependence {
    /// Samples that count as one, at least 1.
    pub repeated: f64,
    /// Correlation of the means of neighbouring parts, -1 to 1.
    pub of_parts: f64,
    /// Pairs of parts it was taken of.
    pub pairs: usize,
}

impl Dependence {
    /// Whether the runs are short against the time the system remembers: neighbouring parts are alike, by more than noise
    /// makes them in 39 of 40 runs.
    pub fn is_short(&self) -> bool {
        self.of_parts > ALIKE.max(2.0 / libm::sqrt(self.pairs as f64))
    }

    /// The relaxation time as a multiple of a replication's length, if the correlation of samples falls exponentially.
    pub fn relaxation(&self) -> f64 {
        // of parts b relaxation times long: (1 - e^-b)^2 / (2 (b - 1 + e^-b)), falling from 1 to 0
        let correlation = |b: f64| {
            let gone = -libm::expm1(-b);
            gone * gone / (2.0 * (b - gone))
        };
        let (mut low, mut high) = (0.01, 1000.0);
        for _ in 0..60 {
            let middle = libm::sqrt(low * high);
            if correlation(middle) > self.of_parts { low = middle } else { high = middle }
        }
        1.0 / (PARTS as f64 * high)
    }
}

/// The distributions of a metric in these replications.
pub fn distributions<'a>(records: &'a [Record], metric: &str) -> Vec<&'a Distribution> {
    let observed = records.iter().filter_map(|record| match record.metrics.get(metric)? {
        Observation::Distribution(found) => Some(found),
        _ => None,
    });
    observed.collect()
}

/// How far the samples of replications repeat; `None` where none has parts.
pub fn of(replications: &[&Distribution]) -> Option<Dependence> {
    let with_parts = replications.iter().filter_map(|one| Some((one.parts(PARTS)?, one.deviation()?)));
    let each: Vec<((Vec<f64>, u64), f64)> = with_parts.filter(|(_, deviation)| *deviation > 0.0).collect();
    let parts = || each.iter().flat_map(|((means, _), _)| means.iter().copied());
    let count = parts().count();
    if count == 0 {
        return None;
    }
    let centre = parts().sum::<f64>() / count as f64;
    let (mut repeated, mut squares, mut products) = (0.0, 0.0, 0.0);
    for ((means, samples), deviation) in &each {
        let own: f64 = means.iter().map(|mean| (mean - centre) * (mean - centre)).sum();
        squares += own;
        products += means.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum::<f64>();
        repeated += own * *samples as f64 / (deviation * deviation);
    }
    let pairs = each.len() * (PARTS - 1);
    let variance = squares / count as f64;
    let of_parts = if variance > 0.0 { products / pairs as f64 / variance } else { 0.0 };
    // one mean was taken from all parts
    Some(Dependence { repeated: (repeated / (count - 1) as f64).max(1.0), of_parts, pairs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::{Duration, Streams};

    /// A replication of samples each of which keeps a share of the one before.
    fn remembering(share: f64, samples: u32, index: u32) -> Distribution {
        let mut stream = Streams::new(5, index).stream("dependence");
        let (mut state, mut distribution) = (0.0, Distribution::new());
        for _ in 0..samples {
            state = share * state + libm::sqrt(1.0 - share * share) * (stream.unit() - 0.5);
            distribution.record(Duration::from_picoseconds((1e9 * (10.0 + state)) as u64));
        }
        distribution
    }

    fn found(share: f64, samples: u32) -> Dependence {
        let replications: Vec<Distribution> = (0..10).map(|index| remembering(share, samples, index)).collect();
        of(&replications.iter().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn independent_samples_count_in_full() {
        let found = found(0.0, 4000);
        assert!(found.repeated < 1.4 && !found.is_short(), "{found:?}");
    }

    #[test]
    fn samples_that_repeat_the_last_one_count_by_their_correlation() {
        // (1 + 0.9) / (1 - 0.9) = 19 count as one
        let found = found(0.9, 4000);
        assert!((14.0..25.0).contains(&found.repeated) && !found.is_short(), "{found:?}");
    }

    #[test]
    fn a_run_of_a_few_relaxation_times_is_short_and_their_number_is_estimated() {
        // correlation e^-1 after 1000 samples, runs of 6400
        let found = found(0.999, 6400);
        assert!(found.is_short(), "{found:?}");
        assert!((0.07..0.4).contains(&found.relaxation()), "{} of 0.156", found.relaxation());
    }

    #[test]
    fn samples_that_were_merged_have_no_parts() {
        let mut merged = remembering(0.0, 100, 0);
        merged.merge(&remembering(0.0, 100, 1));
        assert_eq!(of(&[&merged]), None);
    }
}
