use super::*;
use proptest::prelude::*;

fn of(values: &[u64]) -> Distribution {
    let mut distribution = Distribution::new();
    values.iter().for_each(|&value| distribution.record(Duration::from_picoseconds(value)));
    distribution
}

/// The definition, without cleverness.
fn quantile_by_definition(values: &[u64], q: f64) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let enough = |x: u64| sorted.iter().filter(|&&v| v <= x).count() as f64 >= q * sorted.len() as f64 - 1e-9;
    *sorted.iter().find(|&&x| enough(x)).unwrap()
}

#[test]
fn quantiles_of_few_samples_are_samples() {
    let distribution = of(&[30, 10, 20, 40]);
    let quantile = |q| distribution.quantile(q).unwrap().picoseconds();
    assert_eq!([quantile(0.25), quantile(0.26), quantile(0.5), quantile(0.99)], [10, 20, 20, 40]);
}

#[test]
fn moments_are_exact_even_for_long_spans_that_hardly_differ() {
    let base = 3_600_000_000_000_000u64;
    let distribution = of(&[base, base + 2, base + 4]);
    assert!((distribution.deviation().unwrap() - 2e-12).abs() < 1e-24);
    assert_eq!(of(&[base; 10_000]).deviation(), Some(0.0));
}

#[test]
fn samples_are_kept_in_order_until_there_are_many() {
    let mut distribution = of(&(0..EXACT_SAMPLES as u64).rev().collect::<Vec<_>>());
    assert_eq!(distribution.samples().unwrap()[0], EXACT_SAMPLES as u64 - 1);
    distribution.record(Duration::from_picoseconds(5));
    assert!(distribution.samples().is_none());
    assert_eq!(distribution.count(), EXACT_SAMPLES as u64 + 1);
}

#[test]
fn an_empty_distribution_has_no_values() {
    let empty = Distribution::new();
    assert_eq!((empty.min(), empty.mean(), empty.quantile(0.5), empty.deviation()), (None, None, None, None));
}

#[test]
fn the_longest_span_is_recorded_too() {
    let mut distribution = of(&vec![1; EXACT_SAMPLES]);
    distribution.record(Duration::MAX);
    assert_eq!(distribution.max(), Some(Duration::MAX));
    assert_eq!(distribution.quantile(1.0), Some(Duration::MAX));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_binned_quantile_is_within_a_thousandth_of_the_exact_one(
        seeds in prop::collection::vec(1u64..1 << 50, 1..200), q in 0.01f64..1.0
    ) {
        let values: Vec<u64> = (0..EXACT_SAMPLES + 500).map(|n| seeds[n % seeds.len()] >> (n % 7)).collect();
        let found = of(&values).quantile(q).unwrap().picoseconds() as f64;
        let wanted = quantile_by_definition(&values, q) as f64;
        prop_assert!((found - wanted).abs() <= 0.001 * wanted, "{found} for {wanted}");
    }

    #[test]
    fn an_exact_quantile_is_its_definition(values in prop::collection::vec(0u64..1000, 1..60), q in 0.01f64..1.0) {
        prop_assert_eq!(of(&values).quantile(q).unwrap().picoseconds(), quantile_by_definition(&values, q));
    }

    #[test]
    fn a_stored_distribution_reads_back_the_same(n in 0usize..EXACT_SAMPLES + 400, step in 1u64..1 << 40) {
        let distribution = of(&(0..n as u64).map(|i| i * step % 1_000_000_007).collect::<Vec<_>>());
        let text = serde_json::to_string(&distribution).unwrap();
        let back: Distribution = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&back, &distribution);
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), text);
        prop_assert_eq!(back.deviation(), distribution.deviation());
    }

    #[test]
    fn samples_recorded_together_are_those_recorded_one_by_one(
        values in prop::collection::vec(0u64..1 << 50, 1..100), blocks in 1usize..200
    ) {
        let (mut together, mut alone) = (Distribution::new(), Distribution::new());
        for block in 0..blocks {
            let values: Vec<_> = values.iter().map(|&value| Duration::from_picoseconds(value << (block % 9))).collect();
            together.record_all(values.iter().copied());
            values.into_iter().for_each(|value| alone.record(value));
        }
        let stored = |distribution| serde_json::to_string(distribution).unwrap();
        prop_assert_eq!(stored(&together), stored(&alone));
    }

    #[test]
    fn merging_two_is_recording_all(
        a in prop::collection::vec(0u64..1 << 45, 0..100), b in prop::collection::vec(0u64..1 << 45, 0..100), many: bool
    ) {
        let a = if many { a.iter().cycle().take(a.len() * 50).copied().collect() } else { a };
        let mut merged = of(&a);
        merged.merge(&of(&b));
        let whole = of(&[a, b].concat());
        prop_assert_eq!(merged.mean(), whole.mean());
        prop_assert_eq!(merged.deviation(), whole.deviation());
        prop_assert_eq!(merged.weighted_values().iter().map(|(_, n)| n).sum::<u64>(), whole.count());
        prop_assert_eq!((merged.min(), merged.max()), (whole.min(), whole.max()));
    }
}

#[test]
fn readings_of_a_clock_in_steps_have_the_mean_of_the_spans_and_quantiles_on_the_grid() {
    let mut distribution = Distribution::new();
    for span in [120, 150, 199] {
        distribution.record_reading(Duration::from_micros(span), Duration::from_micros(span / 100 * 100));
    }
    assert_eq!(distribution.max(), Some(Duration::from_micros(100)));
    let mean = (120.0 + 150.0 + 199.0) / 3.0 * 1e-6;
    assert!((distribution.mean().unwrap() - mean).abs() < 1e-15);
    let mut twice = distribution.clone();
    twice.merge(&distribution);
    assert!((twice.mean().unwrap() - mean).abs() < 1e-15);
    let stored: Distribution = serde_json::from_str(&serde_json::to_string(&distribution).unwrap()).unwrap();
    assert_eq!(stored, distribution);
}
