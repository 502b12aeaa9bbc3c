//! The incomplete beta and gamma functions, which exact intervals need.
//!
//! Computed with `libm`, so that results are bit-identical on all platforms.

/// The regularised incomplete beta function I_x(a, b), by its continued fraction (DLMF 8.17.22) and the
/// symmetry I_x(a, b) = 1 - I_(1-x)(b, a).
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let logarithm = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    libm::exp(logarithm) / (a * beta_fraction(a, b, x))
}

/// The continued fraction 1 + d1/(1 + d2/(1 + ...)), evaluated forwards by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let coefficient = |n: u32| {
        let m = f64::from(n / 2);
        if n.is_multiple_of(2) {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        }
    };
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut value, mut numerator, mut denominator) = (1.0, 1.0, 0.0);
    for n in 1..10_000 {
        let d = coefficient(n);
        denominator = 1.0 / away_from_zero(1.0 + d * denominator);
        numerator = away_from_zero(1.0 + d / numerator);
        let factor = numerator * denominator;
        value *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// The regularised upper incomplete gamma function Q(a, x): the share of a Poisson distribution of mean `x` below `a`
/// events. By its series (DLMF 8.7.1) below `a + 1`, by its continued fraction (DLMF 8.9.2) above.
pub fn incomplete_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let scale = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if x < a + 1.0 { 1.0 - scale * gamma_series(a, x) } else { scale * gamma_fraction(a, x) }
}

/// 1/a + x/(a (a+1)) + x^2/(a (a+1) (a+2)) + ...
fn gamma_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0 / a, 1.0 / a);
    for n in 1..100_000 {
        term *= x / (a + f64::from(n));
        sum += term;
        if term < sum * 1e-16 {
            break;
        }
    }
    sum
}

/// The continued fraction 1/(x+1-a - 1 (1-a)/(x+3-a - ...)), evaluated forwards by Lentz's method.
fn gamma_fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut b = x + 1.0 - a;
    let (mut numerator, mut denominator) = (1.0 / TINY, 1.0 / away_from_zero(b));
    let mut value = denominator;
    for n in 1..100_000 {
        let n = f64::from(n);
        let coefficient = -n * (n - a);
        b += 2.0;
        denominator = 1.0 / away_from_zero(coefficient * denominator + b);
        numerator = away_from_zero(b + coefficient / numerator);
        let factor = numerator * denominator;
        value *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}

/// The least value between `low` and `high` at which a condition holds that holds from some value on, to the last bits
/// of an `f64`, by bisection.
pub fn first_at(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        if holds(middle) { high = middle } else { low = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_gamma_function_is_a_sum_of_poisson_probabilities() {
        for mean in [0.3_f64, 2.0, 7.5, 40.0, 300.0] {
            for events in [1_u32, 3, 12, 50, 290] {
                let (mut term, mut sum) = (libm::exp(-mean), 0.0);
                for n in 0..events {
                    sum += term;
                    term *= mean / f64::from(n + 1);
                }
                let found = incomplete_gamma(f64::from(events), mean);
                assert!((found - sum).abs() < 1e-11, "Q({events}, {mean}) = {found}, not {sum}");
            }
        }
    }

    #[test]
    fn the_beta_function_is_a_sum_of_binomial_probabilities() {
        // P(at least 3 of 10 at 0.2)
        assert!((incomplete_beta(3.0, 8.0, 0.2) - 0.322_200_473_6).abs() < 1e-10);
    }
}
