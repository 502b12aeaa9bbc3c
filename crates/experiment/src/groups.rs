//! Bistable systems: their replications fall into two groups, those that broke down and those that did not. The mean
//! or a pooled percentile of both describes neither; the share of replications in each group does.
//!
//! Two groups are reported only if a test rejects a single population (the [`dip`] test, 1 %) and each replication
//! has enough samples for the field: the p99 of a dozen samples is their maximum, and whether that was a retry says
//! nothing about the network.

use serde::Serialize;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::exact;
use sojourn_metrics::quantile_interval::Replications;

use crate::dip;

/// Two groups of replications, separated by their values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Groups {
    /// Least and largest value of the lower group, in SI units.
    pub lower: [f64; 2],
    /// Least and largest value of the upper group.
    pub upper: [f64; 2],
    /// Replications in the upper group.
    pub in_upper: usize,
    /// Number of replications in both groups.
    pub of: usize,
    /// 95 % confidence interval of the share of replications in the upper group (Clopper-Pearson).
    pub share: [f64; 2],
}

/// The upper group begins at this multiple of the lower group's largest value.
const APART: f64 = 2.0;

/// The independent samples beyond a quantile that each replication has.
const FEWEST_BEYOND: f64 = 10.0;

impl Groups {
    /// The groups of some positive values, where the gap between them is wider than either and no single population has
    /// it.
    pub fn of(values: &[f64]) -> Option<Groups> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        if sorted.len() < 2 || sorted[0] <= 0.0 {
            return None;
        }
        let ratio = |split: &usize| sorted[*split] / sorted[split - 1];
        let split = (1..sorted.len()).max_by(|one, other| ratio(one).total_cmp(&ratio(other)))?;
        let (lower, upper) = sorted.split_at(split);
        let ends = |group: &[f64]| [group[0], group[group.len() - 1]];
        let spread = |[least, largest]: [f64; 2]| largest / least;
        let (lower_ends, upper_ends) = (ends(lower), ends(upper));
        let distinct = ratio(&split) >= APART && ratio(&split) > spread(lower_ends).max(spread(upper_ends));
        // what is compared are ratios
        let logarithms: Vec<f64> = sorted.iter().map(|&value| libm::log(value)).collect();
        let (in_upper, of) = (upper.len(), sorted.len());
        let share = exact::of_share(in_upper as u64, of as u64);
        let groups = Groups { lower: lower_ends, upper: upper_ends, in_upper, of, share };
        (distinct && dip::is_multimodal(&logarithms)).then_some(groups)
    }

    /// The groups of a quantile, by the value of each replication and its samples; `None` where the replications of
    /// either group have too few samples beyond it. They are counted within each group: the groups themselves would make
    /// all samples of a replication one cluster.
    pub fn of_quantile(q: f64, replications: &[(f64, &Distribution)]) -> Option<Groups> {
        let groups = Groups::of(&replications.iter().map(|&(value, _)| value).collect::<Vec<f64>>())?;
        let is_well_sampled = |in_upper: bool| {
            let of: Vec<&Distribution> = replications
                .iter()
                .filter(|(value, _)| (*value >= groups.upper[0]) == in_upper)
                .map(|&(_, samples)| samples)
                .collect();
            let count = of.len() as f64;
            Replications::new(of.into_iter()).is_some_and(|group| group.expected_beyond(q) >= FEWEST_BEYOND * count)
        };
        (is_well_sampled(false) && is_well_sampled(true)).then_some(groups)
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::time::Duration;
    use sojourn_core::{Stream, Streams};

    use super::*;

    fn stream(replication: u32) -> Stream {
        Streams::new(1, replication).stream("groups")
    }

    /// Values of this many replications; every third replication breaks down.
    fn breaking_down(stream: &mut Stream, replications: usize) -> Vec<f64> {
        let value = |stream: &mut Stream| {
            let place = if stream.unit() < 1.0 / 3.0 { 0.14 } else { 0.018 };
            place * (1.0 + 0.2 * stream.unit())
        };
        (0..replications).map(|_| value(stream)).collect()
    }

    #[test]
    fn a_floor_that_breaks_down_in_some_runs_has_two_groups() {
        let lower = (0..14).map(|step| 0.017 + 0.0001 * f64::from(step));
        let upper = (0..6).map(|step| 0.138 + 0.0001 * f64::from(step));
        let groups = Groups::of(&lower.chain(upper).collect::<Vec<f64>>()).unwrap();
        assert_eq!((groups.lower, groups.upper[0], groups.in_upper, groups.of), ([0.017, 0.0183], 0.138, 6, 20));
    }

    #[test]
    fn values_that_scatter_are_one_group() {
        assert_eq!(Groups::of(&[0.10, 0.13, 0.17, 0.12, 0.22, 0.16, 0.11, 0.31]), None);
        assert_eq!(Groups::of(&[0.1, 0.1, 0.1, 0.1, 0.1, 0.1]), None);
    }

    #[test]
    fn a_run_or_two_apart_are_outliers_that_one_population_may_have() {
        assert_eq!(Groups::of(&[0.10, 0.11, 0.12, 0.11, 0.9]), None);
        assert_eq!(Groups::of(&[0.018, 0.140, 0.019, 0.017, 0.018, 0.138, 0.018]), None);
    }

    #[test]
    fn few_values_or_zeros_have_no_groups() {
        assert_eq!(Groups::of(&[0.1, 0.1, 0.9]), None);
        assert_eq!(Groups::of(&[0.0, 0.0, 1.0, 1.0, 1.0]), None);
    }

    #[test]
    fn of_a_thousand_unimodal_networks_ten_at_most_are_said_to_break_down() {
        for replications in [10, 20, 40] {
            let heavy = |seed| {
                let mut stream = stream(seed);
                let values = (0..replications).map(|_| libm::exp(-2.0 * libm::log(stream.unit())));
                Groups::of(&values.collect::<Vec<f64>>()).is_some()
            };
            let said = (0..1000).filter(|&seed| heavy(seed)).count();
            assert!(said <= 10, "{said} of 1000 with {replications} replications");
        }
    }

    #[test]
    fn nineteen_of_twenty_networks_that_break_down_in_a_third_of_forty_runs_are_said_to() {
        let said = (0..1000).filter(|&seed| Groups::of(&breaking_down(&mut stream(seed), 40)).is_some()).count();
        assert!(said >= 950, "{said} of 1000");
    }

    fn samples(values: impl Iterator<Item = f64>) -> Distribution {
        let mut samples = Distribution::default();
        values.for_each(|value| samples.record(Duration::from_picoseconds((value * 1e12) as u64)));
        samples
    }

    /// The p99 of each of forty replications of this many requests, and the requests.
    fn of_forty(seed: u32, requests: usize, request: impl Fn(&mut Stream, bool) -> f64) -> Vec<(f64, Distribution)> {
        let mut stream = stream(seed);
        let replication = |stream: &mut Stream| {
            let breaks_down = stream.unit() < 1.0 / 3.0;
            let found = samples((0..requests).map(|_| request(stream, breaks_down)));
            let p99 = found.quantile(0.99).map_or(0.0, |span| span.picoseconds() as f64 / 1e12);
            (p99, found)
        };
        (0..40).map(|_| replication(&mut stream)).collect()
    }

    fn said(seed: u32, requests: usize, request: impl Fn(&mut Stream, bool) -> f64) -> bool {
        let replications = of_forty(seed, requests, request);
        let borrowed: Vec<(f64, &Distribution)> = replications.iter().map(|(value, of)| (*value, of)).collect();
        Groups::of_quantile(0.99, &borrowed).is_some()
    }

    #[test]
    fn a_percentile_beyond_the_samples_of_a_replication_never_has_groups() {
        // of a dozen requests the p99 is the largest: it shows whether one was repeated
        let retried =
            |stream: &mut Stream, _: bool| if stream.unit() < 0.03 { 0.14 } else { 0.017 + 0.01 * stream.unit() };
        let replications = of_forty(1, 12, retried);
        assert!(Groups::of(&replications.iter().map(|(value, _)| *value).collect::<Vec<f64>>()).is_some());
        assert_eq!((0..1000).filter(|&seed| said(seed, 12, retried)).count(), 0);
    }

    #[test]
    fn nine_of_ten_networks_that_break_down_in_a_third_of_their_runs_have_groups_of_percentiles() {
        let request =
            |stream: &mut Stream, breaks_down: bool| if breaks_down { 0.14 } else { 0.017 } * (1.0 + 0.5 * stream.unit());
        let found = (0..100).filter(|&seed| said(seed, 2000, request)).count();
        assert!(found >= 90, "{found} of 100");
    }
}
