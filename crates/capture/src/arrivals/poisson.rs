//! Poisson process: exponential gaps.

use super::distance::distance;
use super::{Fit, Law, SendTimes};

/// The mean is that of all gaps, not only of the sample.
pub(super) fn fit(times: &SendTimes, gaps: &[f64], smear: f64) -> Option<Fit> {
    let interval = times.mean_gap();
    if interval <= 0.0 {
        return None;
    }
    let cdf = |gap: f64| if gap <= 0.0 { 0.0 } else { -libm::expm1(-gap / interval) };
    // a smear beyond a tenth of the mean would let any gaps pass
    let distance = distance(gaps, smear.min(0.1 * interval), cdf, cdf);
    Some(Fit { law: Law::Poisson { interval }, distance, gaps: gaps.len() })
}
