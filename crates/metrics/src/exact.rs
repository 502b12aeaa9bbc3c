//! Exact 95 % intervals of counts and of shares: from events and trials alone, zero events included.

use crate::interval::{CONFIDENCE, Interval};
use crate::special::{first_at, incomplete_beta, incomplete_gamma};

/// Probability beyond each end.
const TAIL: f64 = 0.5 * (1.0 - CONFIDENCE);

/// The exact interval of the mean of a Poisson distribution of which `events` were counted (Garwood, Biometrika 28,
/// 1936): `[0, 3.69]` of none.
pub fn of_count(events: u64) -> Interval {
    count_at(events, TAIL)
}

/// The same with another probability beyond each end, from 1e-8 to 0.5.
pub fn count_at(events: u64, tail: f64) -> Interval {
    let events = events as f64;
    let far = events + 10.0 * libm::sqrt(events + 1.0) + 10.0;
    let low =
        if events == 0.0 { 0.0 } else { first_at(0.0, events, |mean| 1.0 - incomplete_gamma(events, mean) >= tail) };
    [low, first_at(events, far, |mean| incomplete_gamma(events + 1.0, mean) <= tail)]
}

/// The exact interval of a probability by which `part` of `of` independent trials came out (Clopper and Pearson,
/// Biometrika 26, 1934): `[0, 0.0362]` of none in 100. Of no trial, all shares are possible.
pub fn of_share(part: u64, of: u64) -> Interval {
    let (x, n) = (part as f64, of as f64);
    let low =
        if part == 0 { 0.0 } else { first_at(0.0, x / n, |share| incomplete_beta(x, n - x + 1.0, share) >= TAIL) };
    let high = if part >= of {
        1.0
    } else {
        first_at(x / n, 1.0, |share| 1.0 - incomplete_beta(x + 1.0, n - x, share) <= TAIL)
    };
    [low, high]
}

/// The events that a Poisson distribution exceeds with 95 % certainty when none was counted: -ln 0.05, the rule of three.
pub const NONE_SEEN: f64 = 2.995_732_273_553_991;

#[cfg(test)]
mod tests {
    use super::*;

    fn close([low, high]: Interval, expected: [f64; 2]) -> bool {
        (low - expected[0]).abs() < 5e-4 && (high - expected[1]).abs() < 5e-4
    }

    #[test]
    fn counts_have_the_limits_of_the_printed_table() {
        // Garwood's table, as in Johnson, Kotz and Kemp, Univariate Discrete Distributions, table 4.1
        assert!(close(of_count(0), [0.0, 3.689]), "{:?}", of_count(0));
        assert!(close(of_count(1), [0.0253, 5.572]), "{:?}", of_count(1));
        assert!(close(of_count(10), [4.795, 18.390]), "{:?}", of_count(10));
        assert!(close(of_count(50), [37.111, 65.919]), "{:?}", of_count(50));
    }

    #[test]
    fn none_counted_excludes_more_the_less_certain_it_has_to_be() {
        // a Poisson distribution of mean m has no event with a probability of e^-m
        for tail in [0.05, 0.001] {
            let [low, high] = count_at(0, tail);
            assert!(low == 0.0 && (high + libm::log(tail)).abs() < 1e-9, "{high}");
        }
        assert!((count_at(0, 0.05)[1] - NONE_SEEN).abs() < 1e-9);
    }

    #[test]
    fn a_large_count_has_nearly_the_interval_of_the_normal_distribution() {
        let [low, high] = of_count(1_000_000);
        assert!((low - 998_040.0).abs() < 3.0 && (high - 1_001_962.0).abs() < 3.0, "{low} {high}");
    }

    #[test]
    fn shares_have_the_limits_of_the_printed_table() {
        assert!(close(of_share(0, 100), [0.0, 0.0362]), "{:?}", of_share(0, 100));
        assert!(close(of_share(3, 10), [0.0667, 0.6525]), "{:?}", of_share(3, 10));
        assert!(close(of_share(10, 10), [0.6915, 1.0]), "{:?}", of_share(10, 10));
    }

    #[test]
    fn no_trial_excludes_nothing() {
        assert_eq!(of_share(0, 0), [0.0, 1.0]);
    }
}
