//! Delay impairment, common to the three E-models: talker echo, listener echo, absolute delay.

use libm::{exp, log2, log10, pow, sqrt};

/// Talker echo loudness rating, dB (G.107, Table 2; G.107.1, Table 1).
pub const TELR: f64 = 65.0;
/// Weighted echo path loss, dB.
const WEPL: f64 = 110.0;
/// Minimum perceivable delay `mT`, ms (G.107, Table 1: default class).
const MINIMUM_PERCEIVABLE_DELAY_MS: f64 = 100.0;
/// Delay sensitivity `sT` (G.107, Table 1: default class).
const DELAY_SENSITIVITY: f64 = 1.0;

/// `TERV` without the correction for sidetone, dB.
pub fn talker_echo_loudness(delay_ms: f64) -> f64 {
    let masking = 6.0 * exp(-0.3 * delay_ms * delay_ms);
    TELR - 40.0 * log10((1.0 + delay_ms / 10.0) / (1.0 + delay_ms / 150.0)) + masking
}

/// `Idte` of `Roe` and `Re`.
pub fn talker_echo(signal_to_noise: f64, echo_rating: f64, delay_ms: f64) -> f64 {
    let half = (signal_to_noise - echo_rating) / 2.0;
    (half + sqrt(half * half + 100.0) - 1.0) * (1.0 - exp(-delay_ms))
}

/// `Idle`.
pub fn listener_echo(signal_to_noise: f64, round_trip_ms: f64) -> f64 {
    let echo_rating = 10.5 * (WEPL + 7.0) * pow(round_trip_ms + 1.0, -0.25);
    let half = (signal_to_noise - echo_rating) / 2.0;
    half + sqrt(half * half + 169.0)
}

/// `Idd` of the narrowband scale.
pub fn absolute(delay_ms: f64) -> f64 {
    if delay_ms <= MINIMUM_PERCEIVABLE_DELAY_MS {
        return 0.0;
    }
    let doublings = log2(delay_ms / MINIMUM_PERCEIVABLE_DELAY_MS);
    let power = 6.0 * DELAY_SENSITIVITY;
    25.0 * (root_of_sum(doublings, power) - 3.0 * root_of_sum(doublings / 3.0, power) + 2.0)
}

/// `(1 + x^n)^(1/n)`.
pub fn root_of_sum(x: f64, n: f64) -> f64 {
    pow(1.0 + pow(x, n), 1.0 / n)
}
