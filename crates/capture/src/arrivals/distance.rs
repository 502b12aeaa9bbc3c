//! The distance between a law and the measured gaps, and quantiles of sorted values.

/// Largest difference of the distribution functions of `gaps` (ascending) and of a law, after each gap may be moved by up
/// to `smear` seconds towards the law. `cdf` is the law's, continuous from the right; `below` its limit from the left.
pub(super) fn distance(gaps: &[f64], smear: f64, cdf: impl Fn(f64) -> f64, below: impl Fn(f64) -> f64) -> f64 {
    let n = gaps.len() as f64;
    let differences = gaps.iter().enumerate().map(|(index, &gap)| {
        let above = (index + 1) as f64 / n - cdf(gap + smear);
        let under = below(gap - smear) - index as f64 / n;
        above.max(under)
    });
    differences.fold(0.0, f64::max)
}

/// The value that a share `q` of ascending `values` does not exceed, interpolated; 0 of none.
pub(super) fn quantile(values: &[f64], q: f64) -> f64 {
    let Some(last) = values.len().checked_sub(1) else { return 0.0 };
    let place = q * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    values[below] + (place - below as f64) * (values[above] - values[below])
}
