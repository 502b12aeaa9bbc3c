//! Send on change with throttle and heartbeat: exponential gaps, truncated at both ends.
//!
//! Changes of the value are a Poisson process, so the time to the next change is exponential with mean `change`. A
//! gap is that time, clamped to the min send time and the max send time: a share 1 − exp(−min/change) of the gaps
//! equals the min send time exactly, and a share exp(−max/change) the max send time.

use super::distance::{distance, quantile};
use super::{Fit, Law};

/// Share of the gaps at the min send time, above which it is a timer and not the edge of the sample.
const CLUSTER: f64 = 0.04;
/// Gaps at the max send time that make it a timer, and how many times denser they are than the gaps around.
const AT_MAX: usize = 5;
const DENSER: f64 = 4.0;
/// Share of the gaps that may exceed the max send time: those with a message that was lost before it was captured.
const LOST: f64 = 0.1;

/// Timers are the medians of the clusters of gaps, the change rate the maximum of the likelihood of gaps that are censored
/// there.
pub(super) fn fit(gaps: &[f64], smear: f64) -> Option<Fit> {
    let (shortest, longest) = (quantile(gaps, 0.005), *gaps.last()?);
    if shortest <= 0.0 || longest <= shortest {
        return None;
    }
    let near = (2.0 * smear).min(0.1 * (longest - shortest));
    let at_min = gaps.partition_point(|&gap| gap <= shortest + near);
    if (at_min as f64) < CLUSTER * gaps.len() as f64 {
        return None;
    }
    let min = quantile(&gaps[..at_min], 0.5);
    let cluster = densest(&gaps[at_min..], near).map(|(start, end)| (at_min + start, at_min + end));
    let cluster = cluster.filter(|&(_, end)| ((gaps.len() - end) as f64) <= LOST * gaps.len() as f64);
    let max_seen = cluster.is_some();
    let (below_max, end) = cluster.unwrap_or((gaps.len(), gaps.len()));
    let max = if max_seen { quantile(&gaps[below_max..end], 0.5) } else { longest };
    let change = change_interval(&gaps[at_min..below_max], (min, at_min), (max, end - below_max))?;
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

/// The cluster of gaps no wider than `near` that is densest in comparison with the gaps around it, as a range.
fn densest(gaps: &[f64], near: f64) -> Option<(usize, usize)> {
    let mut best: Option<(f64, (usize, usize))> = None;
    for (start, &gap) in gaps.iter().enumerate() {
        let end = gaps.partition_point(|&other| other <= gap + near);
        let around = gaps.partition_point(|&other| other <= gap + 6.0 * near)
            - gaps.partition_point(|&other| other < gap - 5.0 * near);
        let usual = (around - (end - start)) as f64 / 10.0;
        let density = (end - start) as f64 / (1.0 + usual);
        if end - start >= AT_MAX && density > DENSER && best.is_none_or(|(most, _)| density > most) {
            best = Some((density, (start, end)));
        }
    }
    best.map(|(_, range)| range)
}

/// Mean time between changes from the number of gaps at each timer and the gaps between: the zero of the derivative of
/// the likelihood, which falls with the rate.
fn change_interval(between: &[f64], (min, at_min): (f64, usize), (max, at_max): (f64, usize)) -> Option<f64> {
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
