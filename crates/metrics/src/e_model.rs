//! Voice quality by the E-model: narrowband (ITU-T G.107, 06/2015), wideband (G.107.1, 06/2019) and fullband (G.107.2,
//! 06/2019).
//!
//! The rating is `R = Ro - Is - Id - Ie,eff + A` (clause 7.1 of each). Delay, codec and loss are those of the connection,
//! every other parameter is at the default of its recommendation, and the advantage factor `A` is 0. `Ie,eff` is
//! `Ie + (M - Ie) Ppl / (Ppl / BurstR + Bpl)`, loss in per cent, with `Ie` and `Bpl` of the codec (ITU-T G.113).
//!
//! | | narrowband | wideband | fullband |
//! |---|---|---|---|
//! | speech | 300 to 3400 Hz | 50 to 7000 Hz | 20 to 20 000 Hz |
//! | `R` without impairment | 93.2 | 128.8 | 148 |
//! | `M` | 95 | 95 | 132 |
//! | `Id` | echo and delay | echo and delay | delay |
//! | MOS of `R` | G.107, Annex B | of `R / 1.29` (Annex A) | of `R / 1.48` (Annex A) |
//!
//! Each scale has 4.5 at its top, which is what listeners know at that bandwidth: a MOS of one scale does not compare with
//! that of another. The recommendations cover losses up to 20 %; beyond, the formula is extrapolated. Packets that a jitter
//! buffer discards count as lost; its delay is part of the mouth-to-ear delay.

mod delay;
mod narrowband;
mod wideband;

use sojourn_core::Duration;

/// The bandwidth of speech, which decides by which E-model it is rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Band {
    /// 300 to 3400 Hz: ITU-T G.107.
    Narrow,
    /// 50 to 7000 Hz: ITU-T G.107.1.
    Wide,
    /// 20 to 20 000 Hz: ITU-T G.107.2.
    Full,
}

/// The impairments of a codec (ITU-T G.113, Appendices I, IV and V).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodecImpairment {
    /// The scale that they are of.
    pub band: Band,
    /// Equipment impairment factor `Ie` without loss, 0 to 60.
    pub impairment: f64,
    /// Packet-loss robustness factor `Bpl`, above 0 to 40; `None` where none is published.
    pub robustness: Option<f64>,
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

impl Band {
    /// `R` of G.107.1 and G.107.2 over that of the narrowband scale (Annex A of each).
    fn scale(self) -> f64 {
        match self {
            Band::Narrow => 1.0,
            Band::Wide => 1.29,
            Band::Full => 1.48,
        }
    }

    /// What the loss of all packets impairs, about (G.107 and G.107.1: 95, clauses 7.5; G.107.2: 132).
    fn largest_impairment(self) -> f64 {
        match self {
            Band::Narrow | Band::Wide => 95.0,
            Band::Full => 132.0,
        }
    }
}

/// The transmission rating factor R, at least 0: without delay, loss or codec impairment 93.2, 128.8 or 148 by the band.
/// `None` under a loss for which no robustness of the codec is published.
pub fn r_factor(codec: CodecImpairment, transmission: Transmission) -> Option<f64> {
    let delay_ms = transmission.delay.seconds() * 1e3;
    let impairment = equipment_impairment(codec, transmission)?;
    let without_codec = match codec.band {
        Band::Narrow => narrowband::rating(delay_ms),
        Band::Wide => wideband::rating(delay_ms),
        // Ro,FB = 148 and Is,FB = 0 of the defaults; echo is for further study (G.107.2, 7.2 to 7.4)
        Band::Full => 148.0 - Band::Full.scale() * delay::absolute(delay_ms),
    };
    Some((without_codec - impairment).max(0.0))
}

/// The mean opinion score (MOS) of an R factor, 1 (bad) to 4.5 (G.107, Annex B; G.107.1 and G.107.2, Annex A).
pub fn mos(band: Band, rating: f64) -> f64 {
    let rating = (rating / band.scale()).clamp(0.0, 100.0);
    // the cubic dips below 1 for ratings under 6.5
    (1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6).max(1.0)
}

/// `Ie,eff` (7.5); that of G.107.1 with the burst ratio of G.107, whose formula it otherwise is.
fn equipment_impairment(codec: CodecImpairment, transmission: Transmission) -> Option<f64> {
    if transmission.loss == 0.0 {
        return Some(codec.impairment);
    }
    let percent = 100.0 * transmission.loss;
    let share = percent / (percent / transmission.burst_ratio + codec.robustness?);
    Some(codec.impairment + (codec.band.largest_impairment() - codec.impairment) * share)
}

#[cfg(test)]
mod tests;
