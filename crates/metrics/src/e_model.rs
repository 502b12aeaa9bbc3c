//! Voice quality by the E-model, ITU-T G.107 (06/2015).
//!
//! The rating is `R = Ro - Is - Id - Ie,eff + A` (clause 7.1). Delay, codec and loss are those of the connection, every other
//! parameter is at the default of Table 2, and the advantage factor `A` is 0:
//!
//! - `Ro`, signal-to-noise ratio (7.2), and `Is`, simultaneous impairments (7.3), are constants of the defaults;
//! - `Id`, delay impairment (7.4): talker echo, listener echo and absolute delay, with the default delay sensitivity. The
//!   connection is four-wire and symmetric: `T = Ta` is the mouth-to-ear delay and `Tr = 2 Ta` the round trip;
//! - `Ie,eff`, equipment impairment (7.5): `Ie + (95 - Ie) Ppl / (Ppl / BurstR + Bpl)`, loss in per cent, with `Ie` and
//!   `Bpl` of the codec (ITU-T G.113, Appendix I).
//!
//! The recommendation covers losses up to 20 %; beyond, the formula is extrapolated. Packets that a jitter buffer
//! discards count as lost; its delay is part of the mouth-to-ear delay.

use libm::{exp, log2, log10, pow, sqrt};
use sojourn_core::Duration;

// Table 2 of G.107: the defaults that the rating depends on.

/// Send loudness rating, dB.
const SLR: f64 = 8.0;
/// Receive loudness rating, dB.
const RLR: f64 = 2.0;
/// Sidetone masking rating, dB.
const STMR: f64 = 15.0;
/// Listener sidetone rating, dB.
const LSTR: f64 = 18.0;
/// D-value of the telephone at the send side.
const DS: f64 = 3.0;
/// Talker echo loudness rating, dB.
const TELR: f64 = 65.0;
/// Weighted echo path loss, dB.
const WEPL: f64 = 110.0;
/// Quantizing distortion units.
const QDU: f64 = 1.0;
/// Circuit noise referred to the 0 dBr point, dBm0p.
const NC: f64 = -70.0;
/// Noise floor at the receive side, dBmp.
const NFOR: f64 = -64.0;
/// Room noise at the send side, dB(A).
const PS: f64 = 35.0;
/// Room noise at the receive side, dB(A).
const PR: f64 = 35.0;
/// Minimum perceivable delay `mT`, ms (Table 1: default class).
const MINIMUM_PERCEIVABLE_DELAY_MS: f64 = 100.0;
/// Delay sensitivity `sT` (Table 1: default class).
const DELAY_SENSITIVITY: f64 = 1.0;

/// The impairments of a codec (ITU-T G.113, Appendix I).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodecImpairment {
    /// Equipment impairment factor `Ie` without loss, 0 to 40.
    pub impairment: f64,
    /// Packet-loss robustness factor `Bpl`, above 0 to 40.
    pub robustness: f64,
}

/// Delay and loss of a voice stream, jitter buffer included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transmission {
    /// Mouth-to-ear delay `Ta` of ITU-T G.107.
    pub delay: Duration,
    /// Share of the packets that were not played, 0 to 1.
    pub loss: f64,
    /// Burst ratio `BurstR`: mean length of loss bursts over that under random loss; 1 for random or no loss.
    pub burst_ratio: f64,
}

/// The transmission rating factor R: 93.2 without delay, loss or codec impairment, at least 0.
pub fn r_factor(codec: CodecImpairment, transmission: Transmission) -> f64 {
    let delay_ms = transmission.delay.seconds() * 1e3;
    let unimpaired = signal_to_noise() - simultaneous_impairment(delay_ms);
    (unimpaired - delay_impairment(delay_ms) - equipment_impairment(codec, transmission)).max(0.0)
}

/// The mean opinion score (MOS) of an R factor, 1 (bad) to 4.5 (G.107, Annex B).
pub fn mos(rating: f64) -> f64 {
    let rating = rating.clamp(0.0, 100.0);
    // the cubic dips below 1 for ratings under 6.5
    (1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6).max(1.0)
}

/// `No`: the sum of all noise, dBm0p (7.2).
fn noise() -> f64 {
    let overall = SLR + RLR;
    let send = PS - SLR - DS - 100.0 + 0.004 * pow(PS - overall - DS - 14.0, 2.0);
    let effective_room = PR + 10.0 * log10(1.0 + pow(10.0, (10.0 - LSTR) / 10.0));
    let receive = RLR - 121.0 + effective_room + 0.008 * pow(effective_room - 35.0, 2.0);
    let powers = [NC, send, receive, NFOR + RLR].map(|level| pow(10.0, level / 10.0));
    10.0 * log10(powers.iter().sum())
}

/// `Ro` (7.2).
fn signal_to_noise() -> f64 {
    15.0 - 1.5 * (SLR + noise())
}

/// `Is`: loudness, sidetone and quantizing distortion (7.3).
fn simultaneous_impairment(delay_ms: f64) -> f64 {
    let level = (SLR + RLR + 0.2 * (64.0 + noise() - RLR)) / 8.0;
    let loudness = 20.0 * (root_of_sum(level, 8.0) - level);
    let quality = 37.0 - 15.0 * log10(QDU);
    let g = 1.07 + 0.258 * quality + 0.0602 * quality * quality;
    let y = (signal_to_noise() - 100.0) / 15.0 + 46.0 / 8.4 - g / 9.0;
    let z = 46.0 / 30.0 - g / 40.0;
    let quantizing = 15.0 * log10(1.0 + pow(10.0, y) + pow(10.0, z));
    loudness + sidetone_impairment(delay_ms) + quantizing
}

/// `Ist` (7.3).
fn sidetone_impairment(delay_ms: f64) -> f64 {
    let echo = exp(-delay_ms / 4.0) * pow(10.0, -TELR / 10.0);
    let sidetone = -10.0 * log10(pow(10.0, -STMR / 10.0) + echo);
    12.0 * root_of_sum((sidetone - 13.0) / 6.0, 8.0)
        - 28.0 * root_of_sum((sidetone + 1.0) / 19.4, 35.0)
        - 13.0 * root_of_sum((sidetone - 3.0) / 33.0, 13.0)
        + 29.0
}

/// `Id`: talker echo, listener echo and absolute delay (7.4).
fn delay_impairment(delay_ms: f64) -> f64 {
    talker_echo(delay_ms) + listener_echo(2.0 * delay_ms) + absolute_delay(delay_ms)
}

/// `Idte`; the default sidetone lies where it takes no further correction.
fn talker_echo(delay_ms: f64) -> f64 {
    if delay_ms < 1.0 {
        return 0.0;
    }
    let masking = 6.0 * exp(-0.3 * delay_ms * delay_ms);
    let loudness = TELR - 40.0 * log10((1.0 + delay_ms / 10.0) / (1.0 + delay_ms / 150.0)) + masking;
    let echo_rating = 80.0 + 2.5 * (loudness - 14.0);
    let half = (-1.5 * (noise() - RLR) - echo_rating) / 2.0;
    (half + sqrt(half * half + 100.0) - 1.0) * (1.0 - exp(-delay_ms))
}

/// `Idle`.
fn listener_echo(round_trip_ms: f64) -> f64 {
    let echo_rating = 10.5 * (WEPL + 7.0) * pow(round_trip_ms + 1.0, -0.25);
    let half = (signal_to_noise() - echo_rating) / 2.0;
    half + sqrt(half * half + 169.0)
}

/// `Idd`.
fn absolute_delay(delay_ms: f64) -> f64 {
    if delay_ms <= MINIMUM_PERCEIVABLE_DELAY_MS {
        return 0.0;
    }
    let doublings = log2(delay_ms / MINIMUM_PERCEIVABLE_DELAY_MS);
    let power = 6.0 * DELAY_SENSITIVITY;
    25.0 * (root_of_sum(doublings, power) - 3.0 * root_of_sum(doublings / 3.0, power) + 2.0)
}

/// `(1 + x^n)^(1/n)`.
fn root_of_sum(x: f64, n: f64) -> f64 {
    pow(1.0 + pow(x, n), 1.0 / n)
}

fn equipment_impairment(codec: CodecImpairment, transmission: Transmission) -> f64 {
    let percent = 100.0 * transmission.loss;
    let share = percent / (percent / transmission.burst_ratio + codec.robustness);
    codec.impairment + (95.0 - codec.impairment) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    const G711: CodecImpairment = CodecImpairment { impairment: 0.0, robustness: 4.3 };
    const G729A: CodecImpairment = CodecImpairment { impairment: 11.0, robustness: 19.0 };

    fn rated(codec: CodecImpairment, delay_ms: u64, loss: f64, burst_ratio: f64) -> f64 {
        r_factor(codec, Transmission { delay: Duration::from_millis(delay_ms), loss, burst_ratio })
    }

    #[test]
    fn opinions_are_those_of_the_recommendations_table() {
        // G.107, Table B.1: lower limits of the classes of quality
        for (rating, score) in [(90.0, 4.34), (80.0, 4.03), (70.0, 3.60), (60.0, 3.10), (50.0, 2.58)] {
            assert!((mos(rating) - score).abs() < 0.0085, "{rating}: {}", mos(rating));
        }
        assert_eq!((mos(0.0), mos(5.0), mos(100.0)), (1.0, 1.0, 4.5));
    }

    #[test]
    fn a_connection_without_faults_is_worth_the_default_rating() {
        // G.107, 7.7: R = 93.2, MOS 4.41; without rounding 93.206
        assert!((rated(G711, 0, 0.0, 1.0) - 93.206).abs() < 1e-3);
        assert!((mos(rated(G711, 0, 0.0, 1.0)) - 4.41).abs() < 0.005);
        assert!((rated(G729A, 0, 0.0, 1.0) - 82.206).abs() < 1e-3);
    }

    #[test]
    fn the_rating_follows_the_default_curve_of_the_recommendation_up_to_a_second() {
        // the formulas of clauses 7.2 to 7.4 computed apart, in Python
        let curve = [
            (50, 91.756),
            (100, 90.664),
            (150, 89.539),
            (177, 88.075),
            (200, 85.805),
            (250, 79.177),
            (300, 72.666),
            (350, 67.027),
            (400, 62.247),
            (500, 54.803),
            (600, 49.484),
            (800, 42.822),
            (1000, 39.077),
        ];
        for (delay_ms, rating) in curve {
            let found = rated(G711, delay_ms, 0.0, 1.0);
            assert!((found - rating).abs() < 1e-3, "{delay_ms} ms: {found}");
        }
        assert!(rated(G711, 5000, 0.0, 1.0) > 25.0, "the impairment of delay levels off");
    }

    #[test]
    fn loss_costs_what_the_codecs_robustness_leaves_and_more_in_bursts() {
        let clear = |codec| rated(codec, 0, 0.0, 1.0);
        assert!((rated(G711, 0, 0.01, 1.0) - (clear(G711) - 95.0 / 5.3)).abs() < 1e-9);
        assert!((rated(G729A, 0, 0.02, 1.0) - (clear(G729A) - 84.0 * 2.0 / 21.0)).abs() < 1e-9);
        assert!((rated(G711, 0, 0.02, 2.0) - (clear(G711) - 95.0 * 2.0 / 5.3)).abs() < 1e-9);
        assert!(rated(G711, 0, 0.02, 2.0) < rated(G711, 0, 0.02, 1.0));
        assert_eq!(rated(G729A, 1000, 0.5, 1.0), 0.0, "a rating is never negative");
    }
}
