//! Durations that vary, from a sample of them.

use super::document::Varying;

/// Values that a distribution is written with.
const VALUES: usize = 50;

/// Ascending durations, of which there is at least one: the median where nine tenths of them are alike, s, else values that are
/// evenly spaced among them.
pub(super) fn varying(sorted: &[f64], alike: f64) -> Varying {
    let at = |share: f64| sorted[((share * sorted.len() as f64) as usize).min(sorted.len() - 1)];
    if at(0.95) - at(0.05) <= alike {
        return Varying::Constant(at(0.5));
    }
    let shown = sorted.len().min(VALUES);
    Varying::Drawn((0..shown).map(|place| sorted[(2 * place + 1) * sorted.len() / (2 * shown)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_that_are_alike_are_one_and_others_are_drawn_from() {
        assert_eq!(varying(&[0.001, 0.0011, 0.0012], 0.0005), Varying::Constant(0.0011));
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        let Varying::Drawn(values) = varying(&many, 0.1) else { panic!("they differ") };
        // the middle of each of fifty parts of twenty
        assert_eq!((values.len(), values[0], values[49]), (50, 10.0, 990.0));
    }
}
