//! Elasticity of a metric with respect to a key: the change of its mean in percent for one percent of the key.
//!
//! Both settings are simulated with common random numbers and their replications compared in pairs, so that shared
//! variance cancels (A. M. Law, "Simulation Modeling and Analysis", common random numbers and paired t). The variance
//! of the ratio of the means is that of the residuals of its line through zero (W. G. Cochran, "Sampling Techniques",
//! ratio estimator).

use serde::Serialize;
use sojourn_metrics::interval::Interval;
use sojourn_metrics::student;

/// The probability that all looks at a key cover its elasticity.
const CONFIDENCE: f64 = 0.95;

/// An elasticity and what its replications establish of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Elasticity {
    /// Percent of the mean for one percent of the key.
    pub value: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// The least size within the interval, by which keys are ranked; 0 where it is not distinguishable from 0.
    pub established: f64,
}

/// The elasticity of a key that was raised by a share of its value, from the means of paired replications.
///
/// Who stops as soon as an interval decides looks several times; the intervals of all `looks` together have 95 %
/// confidence. `None` of fewer than two pairs, and where the mean is not positive.
pub fn elasticity(pairs: &[(f64, f64)], share: f64, looks: u32) -> Option<Elasticity> {
    let count = pairs.len() as f64;
    let mean = pairs.iter().map(|(before, _)| before).sum::<f64>() / count;
    if pairs.len() < 2 || !(mean > 0.0 && share > 0.0) {
        return None;
    }
    let change = pairs.iter().map(|(before, after)| after - before).sum::<f64>() / count / mean;
    let residual = |(before, after): &(f64, f64)| after - before - change * before;
    let squares = pairs.iter().map(|pair| residual(pair) * residual(pair)).sum::<f64>();
    let error = (squares / (count - 1.0) / count).sqrt() / mean;
    let beyond = 0.5 * (1.0 - CONFIDENCE) / f64::from(looks.max(1));
    let half = student::quantile(1.0 - beyond, pairs.len() as u64 - 1) * error;
    let interval = [(change - half) / share, (change + half) / share];
    let holds_zero = interval[0] <= 0.0 && interval[1] >= 0.0;
    let established = if holds_zero { 0.0 } else { interval[0].abs().min(interval[1].abs()) };
    (half.is_finite() && change.is_finite()).then_some(Elasticity { value: change / share, interval, established })
}

#[cfg(test)]
mod tests {
    use sojourn_core::{Stream, Streams};

    use super::*;

    #[test]
    fn a_mean_in_proportion_to_the_key_has_an_elasticity_of_one() {
        let found = elasticity(&[(10.0, 11.0), (12.0, 13.2), (8.0, 8.8)], 0.1, 1).unwrap();
        assert!((found.value - 1.0).abs() < 1e-12 && (found.established - 1.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_change_that_differs_between_replications_has_the_interval_of_students_t() {
        // residuals -1, 0 and 1 about a change of 0: t(0.975, 2) = 4.303, standard error sqrt(1/3) / 10
        let found = elasticity(&[(10.0, 9.0), (10.0, 10.0), (10.0, 11.0)], 0.1, 1).unwrap();
        assert!((found.interval[1] - 4.302_653 * 0.577_350 / 10.0 / 0.1).abs() < 1e-5, "{found:?}");
        assert_eq!((found.value, found.established), (0.0, 0.0));
    }

    #[test]
    fn what_falls_has_a_negative_elasticity_and_the_size_of_its_nearer_end() {
        let found = elasticity(&[(10.0, 9.0), (10.0, 9.1), (10.0, 8.9)], 0.1, 1).unwrap();
        assert!(found.value < 0.0 && found.established == -found.interval[1] && found.established > 0.5, "{found:?}");
    }

    #[test]
    fn several_looks_have_wider_intervals_than_one() {
        let pairs = [(10.0, 9.0), (10.0, 10.0), (10.0, 11.0)];
        let width = |looks| elasticity(&pairs, 0.1, looks).unwrap().interval[1];
        assert!(width(3) > 1.5 * width(1));
    }

    #[test]
    fn one_pair_and_a_mean_of_zero_have_none() {
        assert_eq!(elasticity(&[(1.0, 1.1)], 0.1, 1), None);
        assert_eq!(elasticity(&[(0.0, 0.0), (0.0, 0.0)], 0.1, 1), None);
    }

    /// A replication's mean of a scale, with noise of a tenth of it.
    fn noisy(stream: &mut Stream, scale: f64) -> f64 {
        scale * (1.0 + 0.1 * (stream.unit() + stream.unit() - 1.0))
    }

    #[test]
    fn of_a_thousand_keys_without_influence_about_fifty_are_taken_for_influential() {
        let has_influence = |replication: u32| {
            let mut stream = Streams::new(1, replication).stream("elasticity");
            let pairs: Vec<(f64, f64)> = (0..8).map(|_| (noisy(&mut stream, 3.0), noisy(&mut stream, 3.0))).collect();
            elasticity(&pairs, 0.1, 1).unwrap().established > 0.0
        };
        let count = (0..1000).filter(|&replication| has_influence(replication)).count();
        assert!((30..=70).contains(&count), "{count}");
    }
}
