//! The narrowband E-model, ITU-T G.107 (06/2015), without the codec.
//!
//! - `Ro`, signal-to-noise ratio (7.2), and `Is`, simultaneous impairments (7.3), are constants of the defaults;
//! - `Id`, delay impairment (7.4): talker echo, listener echo and absolute delay, with the default delay sensitivity. The
//!   connection is four-wire and symmetric: `T = Ta` is the mouth-to-ear delay and `Tr = 2 Ta` the round trip.

use libm::{exp, log10, pow};

use super::delay::{self, TELR, root_of_sum};

// Table 2 of G.107: the defaults that the rating depends on.

/// Send loudness rating, dB.
const SLR: f64 = 8.0;
/// Receive loudness rating, dB.
pub const RLR: f64 = 2.0;
/// Sidetone masking rating, dB.
const STMR: f64 = 15.0;
/// Listener sidetone rating, dB.
const LSTR: f64 = 18.0;
/// D-value of the telephone at the send side.
const DS: f64 = 3.0;
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

/// `R` without equipment impairment.
pub fn rating(delay_ms: f64) -> f64 {
    let unimpaired = signal_to_noise() - simultaneous_impairment(delay_ms);
    unimpaired - delay_impairment(delay_ms)
}

/// `No`: the sum of all noise, dBm0p (7.2), with this noise floor at the receive side, dBmp.
pub fn noise(floor: f64) -> f64 {
    let overall = SLR + RLR;
    let send = PS - SLR - DS - 100.0 + 0.004 * pow(PS - overall - DS - 14.0, 2.0);
    let effective_room = PR + 10.0 * log10(1.0 + pow(10.0, (10.0 - LSTR) / 10.0));
    let receive = RLR - 121.0 + effective_room + 0.008 * pow(effective_room - 35.0, 2.0);
    let powers = [NC, send, receive, floor + RLR].map(|level| pow(10.0, level / 10.0));
    10.0 * log10(powers.iter().sum())
}

/// `Ro` (7.2).
fn signal_to_noise() -> f64 {
    15.0 - 1.5 * (SLR + noise(NFOR))
}

/// `Is`: loudness, sidetone and quantizing distortion (7.3).
fn simultaneous_impairment(delay_ms: f64) -> f64 {
    let level = (SLR + RLR + 0.2 * (64.0 + noise(NFOR) - RLR)) / 8.0;
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
    talker_echo(delay_ms) + delay::listener_echo(signal_to_noise(), 2.0 * delay_ms) + delay::absolute(delay_ms)
}

/// `Idte`; the default sidetone lies where it takes no further correction.
fn talker_echo(delay_ms: f64) -> f64 {
    if delay_ms < 1.0 {
        return 0.0;
    }
    let echo_rating = 80.0 + 2.5 * (delay::talker_echo_loudness(delay_ms) - 14.0);
    delay::talker_echo(-1.5 * (noise(NFOR) - RLR), echo_rating, delay_ms)
}
