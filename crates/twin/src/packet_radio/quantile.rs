//! Quantiles of small samples.

/// The value at a share of values, which are put in order; `None` of none.
pub(super) fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    values.get((share * last as f64) as usize).copied()
}
