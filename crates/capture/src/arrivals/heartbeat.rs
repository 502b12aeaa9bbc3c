//! Send on change with throttle and heartbeat: gaps are exponential, cut off at both ends.
//!
//! Changes of the value are a Poisson process, so that the time to the next one is exponential with mean `change`. A gap
//! is that time, at least the min send time and at most the max send time: the share 1 − exp(−min/change) of the gaps
//! has the min send time exactly, the share exp(−max/change) the max send time exactly.

use super::distance::{distance, quantile};
use super::{Fit, Law};

/// Share of the gaps at an end, above which the end is a timer and not the edge of the sample.
const CLUSTER: f64 = 0.04;

/// Timers are the medians of the clusters at both ends, the change rate the maximum of the likelihood of gaps that are
/// censored there.
pub(super) fn fit(gaps: &[f64], smear: f64) -> Option<Fit> {
    let (shortest, longest) = (quantile(gaps, 0.005), *gaps.last()?);
    if shortest <= 0.0 || longest <= shortest {
        return None;
    }
    let near = (2.0 * smear).min(0.1 * (longest - shortest));
    let at_min = gaps.iter().filter(|&&gap| gap <= shortest + near).count();
    if (at_min as f64) < CLUSTER * gaps.len() as f64 {
        return None;
    }
    let min = quantile(&gaps[..at_min], 0.5);
    let at_max = gaps.iter().rev().take_while(|&&gap| gap >= longest - near).count();
    let max_seen = at_max >= 3 && at_min + at_max <= gaps.len();
    let max = if max_seen { quantile(&gaps[gaps.len() - at_max..], 0.5) } else { longest };
    let at_max = if max_seen { at_max } else { 0 };
    let change = change_interval(gaps, (min, at_min), (max, at_max))?;
    let cdf = |gap: f64| match gap {
        gap if gap < min => 0.0,
        gap if gap >= max && max_seen => 1.0,
        gap => -libm::expm1(-gap / change),
    };
    let below = |gap: f64| match gap {
        gap if gap <= min => 0.0,
        gap if gap > max && max_seen => 1.0,
        gap => -libm::expm1(-gap / change),
    };
    let law = Law::Heartbeat { max_interval: max, max_seen, min_interval: min, change_interval: change };
    Some(Fit { law, distance: distance(gaps, near, cdf, below), gaps: gaps.len() })
}

/// Mean time between changes from the number of gaps at each timer and the gaps between: the zero of the derivative of
/// the likelihood, which falls with the rate.
fn change_interval(gaps: &[f64], (min, at_min): (f64, usize), (max, at_max): (f64, usize)) -> Option<f64> {
    let between = gaps.get(at_min..gaps.len().checked_sub(at_max)?)?;
    let total: f64 = between.iter().sum::<f64>() + at_max as f64 * max;
    let (at_min, count) = (at_min as f64, between.len() as f64);
    let derivative = |rate: f64| at_min * min / libm::expm1(rate * min) + count / rate - total;
    let (mut low, mut high) = (1e-9 / max, 1e3 / min);
    if derivative(low) < 0.0 || derivative(high) > 0.0 {
        return None;
    }
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if derivative(middle) > 0.0 { low = middle } else { high = middle }
    }
    Some(1.0 / low)
}
