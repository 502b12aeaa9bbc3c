//! Gaps around a mean: periodic messages with uniform jitter, or independent normal gaps.

use super::distance::{distance, quantile};
use super::{Fit, Law, SendTimes};

/// Interquartile range of the difference of two uniform values on (0, 1): 2 − √2.
const TRIANGULAR_QUARTILES: f64 = 0.585_786_437_626_905;
/// Interquartile range of the standard normal distribution.
const NORMAL_QUARTILES: f64 = 1.348_979_500_392_163;
/// Difference of mean and median, as a share, below which they are the same.
const SAME: f64 = 0.02;
/// Correlation of consecutive gaps that lies between that of a period with jitter (−0.5) and of independent gaps (0).
const BETWEEN: f64 = -0.25;

/// A period keeps its phase: an early message follows a late one, and consecutive gaps are correlated. Spread comes from
/// quartiles, so that a few gaps with a lost message do not widen it.
pub(super) fn fit(times: &SendTimes, gaps: &[f64], smear: f64) -> Option<Fit> {
    let median = quantile(gaps, 0.5);
    let quartiles = quantile(gaps, 0.75) - quantile(gaps, 0.25);
    if median <= 0.0 || quartiles > median {
        return None;
    }
    let mean = times.mean_gap();
    // where the mean is another, a period of the median would send more or fewer messages
    let otherwise = (mean / median - 1.0).abs();
    let (interval, otherwise) = if otherwise < SAME { (mean, 0.0) } else { (median, otherwise) };
    let jitter = quartiles / TRIANGULAR_QUARTILES;
    let smear = smear.min(0.25 * interval);
    if jitter <= 2.0 * smear {
        let law = Law::Periodic { interval, jitter: 0.0 };
        let distance = distance(gaps, 2.0 * smear, |gap| step(gap >= interval), |gap| step(gap > interval));
        return Some(Fit { law, distance: distance.max(otherwise), gaps: gaps.len() });
    }
    if times.gap_correlation() < BETWEEN {
        let law = Law::Periodic { interval, jitter };
        let cdf = |gap: f64| triangular((gap - interval) / jitter);
        return Some(Fit { law, distance: distance(gaps, smear, cdf, cdf).max(otherwise), gaps: gaps.len() });
    }
    let deviation = quartiles / NORMAL_QUARTILES;
    let cdf = |gap: f64| normal((gap - interval) / deviation);
    let law = Law::Normal { interval, deviation };
    Some(Fit { law, distance: distance(gaps, smear, cdf, cdf).max(otherwise), gaps: gaps.len() })
}

fn step(reached: bool) -> f64 {
    if reached { 1.0 } else { 0.0 }
}

/// Distribution function of the difference of two uniform values on (0, 1).
fn triangular(x: f64) -> f64 {
    match x {
        x if x <= -1.0 => 0.0,
        x if x <= 0.0 => 0.5 * (1.0 + x) * (1.0 + x),
        x if x < 1.0 => 1.0 - 0.5 * (1.0 - x) * (1.0 - x),
        _ => 1.0,
    }
}

fn normal(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}
