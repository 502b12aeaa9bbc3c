//! Closed loop: the next message follows the completion of the previous one after a think time.

use super::distance::{distance, quantile};
use super::{FEWEST_GAPS, Fit, Law, SendTimes};

/// Share of gaps that need a completion before them: in a closed loop all have one.
const COMPLETED: f64 = 0.9;

/// A closed loop shows in think times that vary less than the gaps: a flow that sends by its own clock has think times
/// as wide as its gaps.
pub(super) fn fit(times: &SendTimes, smear: f64) -> Option<Fit> {
    let mut thinks = times.thinks().values().to_vec();
    let completed = times.thinks().seen() as f64;
    if thinks.len() < FEWEST_GAPS || completed < COMPLETED * times.gaps().seen() as f64 {
        return None;
    }
    thinks.sort_by(f64::total_cmp);
    let (shortest, longest) = (quantile(&thinks, 0.02), quantile(&thinks, 0.98));
    let spread = longest - shortest;
    let mut gaps = times.gaps().values().to_vec();
    gaps.sort_by(f64::total_cmp);
    if spread > 0.5 * (quantile(&gaps, 0.98) - quantile(&gaps, 0.02)) {
        return None;
    }
    let smear = smear.min(0.5 * (longest + f64::EPSILON));
    if spread <= 2.0 * smear {
        let think = quantile(&thinks, 0.5);
        let step = |reached: bool| if reached { 1.0 } else { 0.0 };
        let distance = distance(&thinks, 2.0 * smear, |x| step(x >= think), |x| step(x > think));
        return Some(Fit { law: Law::Saturating { think, spread: 0.0 }, distance, gaps: thinks.len() });
    }
    let cdf = |x: f64| ((x - shortest) / spread).clamp(0.0, 1.0);
    let distance = distance(&thinks, smear, cdf, cdf);
    Some(Fit { law: Law::Saturating { think: shortest, spread }, distance, gaps: thinks.len() })
}
