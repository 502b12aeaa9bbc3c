use super::*;
use sojourn_core::Streams;

const DRAWS: usize = 1_000_000;

fn stream(name: &str) -> Stream {
    Streams::new(1, 0).stream(name)
}

fn moments(mut draw: impl FnMut() -> f64) -> (f64, f64, f64) {
    let draws: Vec<f64> = (0..DRAWS).map(|_| draw()).collect();
    let mean = draws.iter().sum::<f64>() / DRAWS as f64;
    let central = |power| draws.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / DRAWS as f64;
    (mean, central(2), central(4))
}

/// Chi-square of draws over cells of equal probability, by the distribution function.
fn chi_square(cells: usize, mut probability_of_draw: impl FnMut() -> f64) -> f64 {
    let mut counts = vec![0u32; cells];
    for _ in 0..DRAWS {
        counts[(probability_of_draw() * cells as f64) as usize] += 1;
    }
    let wanted = DRAWS as f64 / cells as f64;
    counts.iter().map(|&n| (f64::from(n) - wanted).powi(2) / wanted).sum()
}

#[test]
fn the_layers_close_at_the_top_of_the_density() {
    for ziggurat in [&*EXPONENTIAL, &*NORMAL] {
        let last = LAYERS - 1;
        let area = ziggurat.edge[0] * ziggurat.height[1];
        let left_over = 1.0 - ziggurat.height[last] - area / ziggurat.edge[last];
        assert!(left_over.abs() < 1e-9, "the topmost layer misses the top by {left_over}");
    }
}

#[test]
fn exponential_draws_have_the_moments_of_the_distribution() {
    let mut stream = stream("exponential");
    let (mean, variance, fourth) = moments(|| standard_exponential(&mut stream));
    assert!((mean - 1.0).abs() < 4e-3 && (variance - 1.0).abs() < 1.2e-2 && (fourth - 9.0).abs() < 0.8);
}

#[test]
fn normal_draws_have_the_moments_of_the_distribution() {
    let mut stream = stream("normal");
    let (mean, variance, fourth) = moments(|| standard_normal(&mut stream));
    assert!(mean.abs() < 4e-3 && (variance - 1.0).abs() < 6e-3 && (fourth - 3.0).abs() < 0.04);
}

#[test]
fn draws_fill_their_distributions_evenly() {
    // 999 degrees of freedom: mean 999, deviation 45; within 4 deviations
    let (mut a, mut b) = (stream("exponential"), stream("normal"));
    let exponential = chi_square(1000, || -libm::expm1(-standard_exponential(&mut a)));
    let normal = chi_square(1000, || 0.5 * libm::erfc(-standard_normal(&mut b) * std::f64::consts::FRAC_1_SQRT_2));
    assert!((820.0..1180.0).contains(&exponential), "exponential: {exponential}");
    assert!((820.0..1180.0).contains(&normal), "normal: {normal}");
}

#[test]
fn tails_are_as_heavy_as_they_should_be() {
    let (mut a, mut b) = (stream("exponential"), stream("normal"));
    let beyond = |limit: f64, draw: &mut dyn FnMut() -> f64| (0..DRAWS).filter(|_| draw() > limit).count() as f64;
    // e^-8 = 335 in a million, 1 - Φ(3.7) = 108 in a million; within 4 deviations
    let exponential = beyond(8.0, &mut || standard_exponential(&mut a));
    let normal = beyond(3.7, &mut || standard_normal(&mut b));
    assert!((exponential - 335.5).abs() < 4.0 * 18.3, "{exponential}");
    assert!((normal - 107.8).abs() < 4.0 * 10.4, "{normal}");
}

#[test]
fn the_first_draws_are_these_bits_on_every_machine() {
    let mut stream = stream("golden");
    let mut digest = 0u64;
    for _ in 0..10_000 {
        let draws = standard_exponential(&mut stream).to_bits() ^ standard_normal(&mut stream).to_bits().rotate_left(1);
        digest = digest.rotate_left(5).wrapping_add(draws);
    }
    assert_eq!(digest, 0xfa92_17a2_04c7_0a13, "{digest:#x}");
}

#[test]
fn durations_drawn_together_are_those_drawn_one_by_one() {
    let (mut alone, mut mean) = (stream("exponential"), Duration::from_millis(8));
    let mut together = alone.clone();
    for _ in 0..100 {
        let mut durations = [Duration::ZERO; 64];
        exponentials(&mut together, mean, &mut durations);
        assert!(durations.iter().all(|&duration| duration == exponential(&mut alone, mean)));
        mean += Duration::from_picoseconds(1);
    }
}

#[test]
fn spans_keep_their_mean() {
    let mut stream = stream("spans");
    let mean = Duration::from_millis(7);
    let total: Duration = (0..100_000).map(|_| exponential(&mut stream, mean)).sum();
    assert!((total.seconds() / 700.0 - 1.0).abs() < 0.015);
    let total: Duration = (0..100_000).map(|_| uniform(&mut stream, mean)).sum();
    assert!((total.seconds() / 350.0 - 1.0).abs() < 0.01);
    assert_eq!(uniform(&mut stream, Duration::ZERO), Duration::ZERO);
}
