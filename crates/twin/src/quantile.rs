//! Quantiles of small samples.

/// The value at a share of values, which are put in order; `None` of none.
pub(super) fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    at(values, share)
}

/// The value that a share of ascending ones are below.
pub(super) fn at(sorted: &[f64], share: f64) -> Option<f64> {
    sorted.get((share * sorted.len().saturating_sub(1) as f64) as usize).copied()
}

/// The median of values in any order.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    quantile(&mut values.to_vec(), 0.5)
}
