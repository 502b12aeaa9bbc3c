//! 95 % intervals of quantiles of pooled, dependent samples.
//!
//! A value lies in the interval of the `q` quantile if the replications do not contradict that a share `q` of all
//! samples is at or below it: the interval is that of the share, inverted. Each replication contributes its number of
//! samples at or below the value, less `q` times its samples. The mean of these is 0 at the quantile; its interval
//! ([`interval::of_skewed_mean`]) corrects Student's t for skewness, because samples beyond a high quantile come in a
//! few clusters.
//!
//! Where clusters are so few that their spread over replications is uninformative, the upper end must also pass the
//! exact test of a Poisson number of clusters: the samples expected beyond, divided by the mean cluster size, which
//! is measured at the 90th percentile. If all samples but the largest pass, there is no upper end: the samples
//! support only "at least". `docs/decisions/0033-quantile-intervals.md` has the coverage.

use crate::distribution::Distribution;
use crate::interval::{self, CONFIDENCE, QuantileInterval};
use crate::special::incomplete_gamma;

/// Above this quantile clusters of samples are counted, at it they are measured.
const TAIL_FROM: f64 = 0.9;

/// Probability beyond each end.
const TAIL: f64 = 0.5 * (1.0 - CONFIDENCE);

/// The replications of a distribution, ready to count samples at or below a value.
pub struct Replications {
    each: Vec<Replication>,
    sent: u64,
    min: u64,
    max: u64,
    /// The first replication that has the largest sample.
    largest_in: usize,
}

struct Replication {
    /// Values ascending, and the samples at or below each.
    at_or_below: Vec<(u64, u64)>,
    sent: u64,
}

impl Replications {
    /// Replications that sent anything; `None` where none observed a sample.
    pub fn new<'a>(distributions: impl Iterator<Item = &'a Distribution>) -> Option<Replications> {
        let each: Vec<Replication> = distributions.filter(|one| one.sent() > 0).map(Replication::new).collect();
        let max = each.iter().filter_map(|one| Some(one.at_or_below.last()?.0)).max()?;
        let min = each.iter().filter_map(|one| Some(one.at_or_below.first()?.0)).min()?;
        let largest_in = each.iter().position(|one| one.at_or_below.last().is_some_and(|&(value, _)| value == max))?;
        Some(Replications { sent: each.iter().map(|one| one.sent).sum(), each, min, max, largest_in })
    }

    /// The interval of the `q` quantile, in picoseconds; `None` of fewer than two replications.
    pub fn interval(&self, q: f64) -> Option<QuantileInterval> {
        if self.each.len() < 2 {
            return None;
        }
        let is_low = |value: u64| self.share_interval(q, &self.counts(value))[1] < 0.0;
        if is_low(self.max) {
            return Some((self.max as f64, None));
        }
        let low = first(self.min, self.max, |value| !is_low(value)) as f64;
        let cluster = self.cluster(TAIL_FROM);
        let is_high = |counts: &[u64]| {
            self.share_interval(q, counts)[0] > 0.0 && (q <= TAIL_FROM || self.too_few_beyond(q, counts, cluster))
        };
        let mut all_but_largest = self.counts(self.max);
        all_but_largest[self.largest_in] -= 1;
        let high = is_high(&all_but_largest)
            .then(|| first(self.min, self.max, |value| value == self.max || is_high(&self.counts(value))) as f64);
        Some((low, high))
    }

    /// Samples beyond the `q` quantile that count as independent: all of them divided by the mean cluster.
    pub fn effective_beyond(&self, q: f64) -> f64 {
        let counts = self.counts_at(q);
        let beyond = (self.sent - counts.iter().sum::<u64>()) as f64;
        beyond / self.largest_cluster(q)
    }

    /// Independent samples to which a share `1 - q` of all samples is equivalent, whether or not that many were seen.
    pub fn expected_beyond(&self, q: f64) -> f64 {
        self.sent as f64 * (1.0 - q) / self.largest_cluster(q)
    }

    fn largest_cluster(&self, q: f64) -> f64 {
        if q > TAIL_FROM { self.cluster(q).max(self.cluster(TAIL_FROM)) } else { self.cluster(q) }
    }

    /// The variance of the number of samples beyond the `q` quantile over the replications, as a multiple of what
    /// independent samples have, at least 1: the mean size of clusters that come independently. 1 of one replication.
    fn cluster(&self, q: f64) -> f64 {
        let counts = self.counts_at(q);
        let (replications, sent) = (counts.len() as f64, self.sent as f64);
        let share = 1.0 - counts.iter().sum::<u64>() as f64 / sent;
        if replications < 2.0 || share <= 0.0 || share >= 1.0 {
            return 1.0;
        }
        let beyond =
            self.each.iter().zip(&counts).map(|(one, &count)| (one.sent - count) as f64 - share * one.sent as f64);
        let squares = beyond.map(|difference| difference * difference).sum::<f64>();
        let expected = sent * share * (1.0 - share);
        (squares * replications / (replications - 1.0) / expected).max(1.0)
    }

    /// Whether a Poisson distribution of clusters contradicts that a share `1 - q` of the samples lies beyond.
    fn too_few_beyond(&self, q: f64, counts: &[u64], cluster: f64) -> bool {
        let beyond = (self.sent - counts.iter().sum::<u64>()) as f64 / cluster;
        let expected = self.sent as f64 * (1.0 - q) / cluster;
        beyond >= expected || incomplete_gamma(beyond + 1.0, expected) <= TAIL
    }

    /// The interval of the mean over replications of samples at or below a value less `q` of the samples.
    fn share_interval(&self, q: f64, counts: &[u64]) -> [f64; 2] {
        let differences: Vec<f64> =
            self.each.iter().zip(counts).map(|(one, &count)| count as f64 - q * one.sent as f64).collect();
        interval::of_skewed_mean(&differences).expect("two replications or more")
    }

    /// Samples of each replication at or below a value.
    fn counts(&self, value: u64) -> Vec<u64> {
        self.each.iter().map(|one| one.count(value)).collect()
    }

    /// Samples of each replication at or below the `q` quantile of all.
    fn counts_at(&self, q: f64) -> Vec<u64> {
        let rank = (q * self.sent as f64 - 1e-9).max(1.0);
        let reached = |value: u64| self.each.iter().map(|one| one.count(value)).sum::<u64>() as f64 >= rank;
        self.counts(first(self.min, self.max, |value| value == self.max || reached(value)))
    }
}

impl Replication {
    fn new(distribution: &Distribution) -> Replication {
        let mut below = 0;
        let cumulated = distribution.weighted_values().into_iter().map(|(value, count)| {
            below += count;
            (value, below)
        });
        Replication { at_or_below: cumulated.collect(), sent: distribution.sent() }
    }

    fn count(&self, value: u64) -> u64 {
        let index = self.at_or_below.partition_point(|&(other, _)| other <= value);
        index.checked_sub(1).map_or(0, |index| self.at_or_below[index].1)
    }
}

/// The least value from `low` to `high` for which a condition holds that holds at `high`.
fn first(mut low: u64, mut high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::{Duration, Streams};

    fn of(each: &[Vec<u64>], censored: u64) -> Replications {
        let distributions: Vec<Distribution> = each
            .iter()
            .map(|values| {
                let mut one = Distribution::new();
                values.iter().for_each(|&value| one.record(Duration::from_picoseconds(value)));
                one.censor(censored);
                one
            })
            .collect();
        Replications::new(distributions.iter()).unwrap()
    }

    fn uniform(replications: u32, samples: u64) -> Vec<Vec<u64>> {
        let draws = |index| {
            let mut stream = Streams::new(3, index).stream("quantiles");
            (0..samples).map(|_| (stream.unit() * 1e6) as u64).collect()
        };
        (0..replications).map(draws).collect()
    }

    #[test]
    fn independent_samples_have_an_interval_around_the_true_quantile() {
        let all = of(&uniform(10, 1000), 0);
        for q in [0.5, 0.9, 0.99] {
            let (low, high) = all.interval(q).unwrap();
            let (truth, high) = (q * 1e6, high.unwrap());
            assert!(low < truth && truth < high, "{q}: {low} to {high}");
            let error = 1e6 * libm::sqrt(q * (1.0 - q) / 10_000.0);
            assert!(high - low > 2.0 * error && high - low < 8.0 * error, "{q}: {low} to {high}");
        }
    }

    #[test]
    fn a_quantile_that_few_samples_lie_beyond_is_at_least_its_lower_end() {
        let (low, high) = of(&uniform(10, 30), 0).interval(0.999).unwrap();
        assert!(low > 0.95e6 && high.is_none(), "{low} to {high:?}");
    }

    #[test]
    fn no_end_lies_beyond_the_largest_sample() {
        let each = [vec![1, 2, 3, 140], vec![1, 2, 2, 18], vec![1, 1, 3, 17], vec![2, 2, 3, 139]];
        for q in [0.5, 0.9, 0.99] {
            let (low, high) = of(&each, 0).interval(q).unwrap();
            assert!(low <= 140.0 && high.is_none_or(|high| high <= 140.0), "{q}: {low} to {high:?}");
        }
    }

    /// Ten replications of `samples` each, one after the other in the order of values from 0: every ten neighbours in ten
    /// replications, so that samples beyond any value come independently.
    fn spread(samples: u64) -> Replications {
        of(&(0..10).map(|first| (0..samples).map(|n| 10 * n + first).collect()).collect::<Vec<Vec<u64>>>(), 0)
    }

    #[test]
    fn the_upper_end_of_a_high_quantile_has_no_more_beyond_it_than_chance_allows() {
        // of 20 expected beyond, 11 or fewer are seen with probability 2.14 % (a Poisson distribution), 12 or fewer with 3.90 %,
        // more than the 2.5 % of an end. The replications alone would exclude up to 17: in seven of them 2 lie beyond and in
        // three 1, in the mean 0.3 less than the 2 expected, with a standard error of 0.153
        let beyond = 11.0;
        assert_eq!(spread(200).interval(0.99).unwrap().1, Some(2000.0 - 1.0 - beyond));
        assert_eq!(spread(2000).interval(0.999).unwrap().1, Some(20_000.0 - 1.0 - beyond));
    }

    #[test]
    fn what_only_the_largest_sample_bounds_has_no_upper_end() {
        // with 5 expected beyond, none is seen with probability 0.67 %, but one or none with 4.0 %: were the largest a little
        // longer, nothing would speak against it. With 8 expected these are 0.03 % and 0.30 %
        let (low, high) = spread(50).interval(0.99).unwrap();
        assert!(low < 495.0 && high.is_none(), "{low} to {high:?}");
        assert_eq!(spread(80).interval(0.99).unwrap().1, Some(798.0), "the largest but one of 800");
    }

    #[test]
    fn equal_samples_give_one_value() {
        assert_eq!(of(&vec![vec![7; 1000]; 5], 0).interval(0.9), Some((7.0, Some(7.0))));
    }

    #[test]
    fn samples_that_never_came_back_open_the_upper_end() {
        let (low, high) = of(&uniform(10, 98), 2).interval(0.99).unwrap();
        assert!(low >= 0.9e6 && high.is_none(), "{low} to {high:?}");
    }

    #[test]
    fn one_replication_has_no_interval() {
        assert_eq!(of(&uniform(1, 1000), 0).interval(0.5), None);
    }

    #[test]
    fn samples_in_clusters_count_as_one_each() {
        // each replication sees one value a hundred times
        let each: Vec<Vec<u64>> = (0..20).map(|index| vec![index; 100]).collect();
        let effective = of(&each, 0).effective_beyond(0.5);
        assert!((effective - 10.0).abs() < 1.0, "{effective} of 1000");
        let independent = of(&uniform(20, 100), 0).effective_beyond(0.5);
        assert!(independent > 400.0, "{independent} of 1000");
    }
}
