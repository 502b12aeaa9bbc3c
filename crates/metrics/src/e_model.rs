//! Voice quality by the E-model (ITU-T G.107), in its simplified form for packet networks.
//!
//! ITU-T G.107 rates a connection from 0 to 100. With every parameter except delay, codec and loss at its default
//! it gives `R = 93.2 - Id - Ie,eff`:
//!
//! - `Id`, delay impairment factor: the fit of G.107's curve by Cole and Rosenbluth, "Voice over IP performance monitoring",
//!   ACM SIGCOMM Computer Communication Review 31(2), 2001: `0.024 d + 0.11 (d - 177.3)` in milliseconds, the second
//!   term above 177.3 ms only;
//! - `Ie,eff`, effective equipment impairment factor: G.107, clause 7.5, `Ie + (95 - Ie) Ppl / (Ppl / BurstR + Bpl)`, loss in
//!   per cent, with `Ie` and `Bpl` of the codec (ITU-T G.113, Appendix I).
//!
//! The recommendation covers losses up to 20 %; beyond, the formula is extrapolated. Packets that a jitter buffer
//! discards count as lost; its delay is part of the mouth-to-ear delay.

use sojourn_core::Duration;

/// A connection without delay or loss, with all parameters at their defaults (G.107, clause 7.7).
const UNIMPAIRED: f64 = 93.2;
/// One-way delay above which conversation is impaired further, in milliseconds (Cole and Rosenbluth, equation 3).
const IMPAIRING_DELAY_MS: f64 = 177.3;

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
    /// Mouth-to-ear delay.
    pub delay: Duration,
    /// Share of the packets that were not played, 0 to 1.
    pub loss: f64,
    /// Burst ratio `BurstR`: mean length of loss bursts over that under random loss; 1 for random or no loss.
    pub burst_ratio: f64,
}

/// The transmission rating factor R, 0 to 93.2.
pub fn r_factor(codec: CodecImpairment, transmission: Transmission) -> f64 {
    (UNIMPAIRED - delay_impairment(transmission.delay) - equipment_impairment(codec, transmission)).max(0.0)
}

/// The mean opinion score (MOS) of an R factor, 1 (bad) to 4.5 (G.107, Annex B).
pub fn mos(rating: f64) -> f64 {
    let rating = rating.clamp(0.0, 100.0);
    // the cubic dips below 1 for ratings under 6.5
    (1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6).max(1.0)
}

fn delay_impairment(delay: Duration) -> f64 {
    let delay_ms = delay.seconds() * 1e3;
    0.024 * delay_ms + 0.11 * (delay_ms - IMPAIRING_DELAY_MS).max(0.0)
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
        assert_eq!(rated(G711, 0, 0.0, 1.0), 93.2);
        assert!((mos(93.2) - 4.41).abs() < 0.005, "G.107, clause 7.7: MOS 4.41");
        assert!((rated(G729A, 0, 0.0, 1.0) - 82.2).abs() < 1e-9);
    }

    #[test]
    fn delay_costs_little_up_to_177_milliseconds_and_much_beyond() {
        assert!((rated(G711, 100, 0.0, 1.0) - 90.8).abs() < 1e-9);
        assert!((rated(G711, 300, 0.0, 1.0) - (93.2 - 7.2 - 13.497)).abs() < 1e-9);
        assert_eq!(rated(G711, 5000, 0.0, 1.0), 0.0, "a rating is never negative");
    }

    #[test]
    fn loss_costs_what_the_codecs_robustness_leaves_and_more_in_bursts() {
        assert!((rated(G711, 0, 0.01, 1.0) - (93.2 - 95.0 / 5.3)).abs() < 1e-9);
        assert!((rated(G729A, 0, 0.02, 1.0) - (82.2 - 84.0 * 2.0 / 21.0)).abs() < 1e-9);
        assert!((rated(G711, 0, 0.02, 2.0) - (93.2 - 95.0 * 2.0 / 5.3)).abs() < 1e-9);
        assert!(rated(G711, 0, 0.02, 2.0) < rated(G711, 0, 0.02, 1.0));
    }
}
