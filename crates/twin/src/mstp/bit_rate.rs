//! The bit rate of a trunk, from how much later long frames end than short ones.
//!
//! A station that has the token, or that was asked, begins its frame after its latency, however long that frame is.

use super::gaps::{Gaps, character};
use super::trunk::TrunkSurvey;
use crate::document::span;
use crate::quantile::at;

/// Bit rates of trunks, bit/s (ANSI/ASHRAE 135 clause 9, as bacnet-stack has them).
const BIT_RATES: [u64; 6] = [9600, 19_200, 38_400, 57_600, 76_800, 115_200];
/// The rate that is assumed of a trunk that shows nothing.
const USUAL: u64 = 38_400;
/// Bits of silence before a frame, at least: half of T_turnaround, since stamps may be late.
const TURNAROUND_BITS: f64 = 20.0;
/// Fewest times of a length.
const FEWEST: usize = 5;
/// Frames that differ by as many octets show how long a character takes.
const APART: usize = 8;
/// How near a character's time is to that of a rate, as a share: rates differ by a third at least.
const NEAR: f64 = 0.12;

/// The bit rate of a trunk, and how it was inferred.
pub(super) fn bit_rate(trunk: &TrunkSurvey, stated: Option<u64>) -> (u64, String) {
    if let Some(rate) = stated {
        return (rate, "As --bit-rate states it.".to_owned());
    }
    let samples: Vec<&Gaps> =
        trunk.stations.values().flat_map(|station| [&station.after_token, &station.reply]).collect();
    let allowed = |rate: &u64| samples.iter().all(|gaps| allows(gaps, *rate));
    if let Some((apart, time, rate)) = slope(&samples).and_then(|(apart, time)| {
        let distance = |rate: &u64| libm::fabs(time / character(*rate) - 1.0);
        let near = BIT_RATES.into_iter().filter(|rate| distance(rate) <= NEAR && allowed(rate));
        Some((apart, time, near.min_by(|a, b| distance(a).total_cmp(&distance(b)))?))
    }) {
        let reason = format!(
            "Frames of one station that are {apart} octets longer end {} later for each, at the 10th percentile: a character of 10 \
             bits at this rate.",
            span(time)
        );
        return (rate, reason);
    }
    if samples.iter().all(|gaps| gaps.seen() == 0) {
        return (USUAL, "No frame follows another that shows it: an assumption. `--bit-rate` states it.".to_owned());
    }
    let slowest = BIT_RATES.into_iter().find(allowed).unwrap_or(BIT_RATES[BIT_RATES.len() - 1]);
    let reason = "An assumption, the slowest rate that no gap between frames contradicts: what else is in the gaps is latency of \
                  stations. `--bit-rate` states it.";
    (slowest, reason.to_owned())
}

/// Whether no gap is too short, but for one in a hundred.
fn allows(gaps: &Gaps, rate: u64) -> bool {
    gaps.by_octets.iter().all(|(octets, times)| {
        let mut sorted = times.values().to_vec();
        sorted.sort_by(f64::total_cmp);
        let least = *octets as f64 * character(rate) + TURNAROUND_BITS / rate as f64;
        at(&sorted, 0.01).is_none_or(|gap| gap >= least)
    })
}

/// Of the station whose frames differ most: by how many octets, and how much later they end for each, s.
fn slope(samples: &[&Gaps]) -> Option<(usize, f64)> {
    let of = |gaps: &&Gaps| {
        let enough: Vec<(usize, f64)> = gaps
            .by_octets
            .iter()
            .filter(|(_, times)| times.values().len() >= FEWEST)
            .filter_map(|(octets, times)| {
                let mut sorted = times.values().to_vec();
                sorted.sort_by(f64::total_cmp);
                Some((*octets, at(&sorted, 0.1)?))
            })
            .collect();
        let (short, long) = (enough.first()?, enough.last()?);
        let apart = long.0.checked_sub(short.0).filter(|apart| *apart >= APART)?;
        Some((apart, (long.1 - short.1) / apart as f64))
    };
    samples.iter().filter_map(of).max_by_key(|(apart, _)| *apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of frames of these lengths, behind 3 ms, at characters of `character` seconds.
    fn trunk(character: f64, octets: &[usize]) -> TrunkSurvey {
        let mut trunk = TrunkSurvey::default();
        let station = trunk.stations.entry(1).or_default();
        for octets in octets {
            (0..8).for_each(|_| station.after_token.add(*octets, 3e-3 + character * *octets as f64));
        }
        trunk
    }

    #[test]
    fn long_frames_end_later_than_tokens_by_their_characters() {
        // 130.2 us of ten bits at 76 800 bit/s
        assert_eq!(bit_rate(&trunk(130.2e-6, &[8, 29]), None).0, 76_800);
        assert_eq!(bit_rate(&trunk(1.0417e-3, &[8, 80]), None).0, 9600);
    }

    #[test]
    fn tokens_alone_leave_a_bound() {
        // 8 characters and 20 bits: 10.4 ms at 9600 bit/s, 5.2 ms at 19 200
        let (rate, reason) = bit_rate(&trunk(0.5e-3, &[8]), None);
        assert_eq!((rate, reason.starts_with("An assumption")), (19_200, true));
        assert_eq!(bit_rate(&TrunkSurvey::default(), None).0, USUAL);
        assert_eq!(bit_rate(&TrunkSurvey::default(), Some(57_600)).0, 57_600);
    }
}
