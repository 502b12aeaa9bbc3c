//! The wideband E-model, ITU-T G.107.1 (06/2019, Corrigendum 1 of 01/2020), without the codec.
//!
//! `Ro,WB = 129` (equation 7-2) and `Is,WB = 0` (7-3). The recommendation leaves the noise of talker echo open (`No,WB`); it
//! is the sum of G.107, clause 7.2, with the noise floor of G.107.1, Table 1.

use super::Band;
use super::delay;
use super::narrowband::{RLR, noise};

/// Basic signal-to-noise ratio `Ro,WB` (7-2).
const SIGNAL_TO_NOISE: f64 = 129.0;
/// Noise floor at the receive side, dBmp (Table 1).
const NFOR: f64 = -96.0;

/// `R` without equipment impairment.
pub fn rating(delay_ms: f64) -> f64 {
    let absolute = Band::Wide.scale() * delay::absolute(delay_ms);
    SIGNAL_TO_NOISE - talker_echo(delay_ms) - delay::listener_echo(SIGNAL_TO_NOISE, 2.0 * delay_ms) - absolute
}

/// `Idte,WB` (7-5 to 7-10).
pub fn talker_echo(delay_ms: f64) -> f64 {
    let correction = if delay_ms < 100.0 { 0.08 * delay_ms + 10.0 } else { 18.0 };
    let loudness = delay::talker_echo_loudness(delay_ms) + correction;
    delay::talker_echo(-1.5 * (noise(NFOR) - RLR), 80.0 + 3.0 * (loudness - 14.0), delay_ms)
}
