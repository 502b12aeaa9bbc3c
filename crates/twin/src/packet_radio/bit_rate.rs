//! Infers the bit rate of a medium from the end times of its frames.

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::frames::{Frame, Frames};
use crate::quantile::quantile;

/// Bit rates of common modems and wires, bit/s.
const RATES: [f64; 13] =
    [300.0, 600.0, 1200.0, 2400.0, 4800.0, 9600.0, 14_400.0, 19_200.0, 38_400.0, 57_600.0, 76_800.0, 115_200.0, 1e6];
/// The rate where nothing shows it, bit/s: AFSK on VHF and UHF.
const USUAL_RATE: f64 = 1200.0;
/// Share by which the time between the ends of two frames of one transmission differs from that of the bits of the second one at
/// most: flags between them, stamps of a program.
const STUFFING: f64 = 0.02;
/// Frames that must agree on a rate, and their share of all that followed one of the same transmitter.
const FEWEST: usize = 3;
const SHARE: f64 = 0.01;
/// What is left of how much later long frames end than short ones, as a share of their difference in air time, at the right rate.
const SAME: f64 = 0.1;
/// Bit rates of radio channels, the most common ones first, bit/s.
const ON_RADIO: [f64; 6] = [1200.0, 9600.0, 300.0, 2400.0, 4800.0, 19_200.0];
/// Time between the end of a frame and the beginning of the next in one transmission, s.
pub(super) const SLACK: f64 = 4e-3;
/// Bits by which a long frame exceeds the short ones.
const LONGER: f64 = 100.0;
/// How often more long frames agree with a bit rate than with any other if it is the right one.
const CLEARLY: usize = 3;
/// Timers of TNCs count in steps of this: TXDELAY and slots by KISS, s.
pub(super) const TICK: f64 = 0.01;
/// The fewest steps of a TNC's timers in TXDELAY and processing, and how much of one a time may be off.
const FEWEST_STEPS: f64 = 4.0;
const OFF_STEP: f64 = 0.1;
/// Short frames, and long ones, of which some have waited for no slot; of prompt answers fewer are enough.
const ENOUGH: usize = 20;
const FEW: usize = 5;

/// How a bit rate was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// From frames that followed each other in one transmission.
    Frames(usize),
    /// From the differences between the ends of long and of short frames; how many there were.
    Lengths(usize),
    /// From this many long frames that waited for the channel like short ones.
    Deferred(usize),
    /// From the steps of TXDELAY that fit into the gaps before this many short frames.
    Ticks(usize),
    /// Stated by the caller.
    Stated,
    /// Neither: the usual rate, or the lowest above it that the gaps allow.
    Assumed,
}

/// A frame of a transmission ends one air time after its predecessor: no pair of frames of one transmitter can be closer.
pub(super) fn bit_rate(
    frames: &Frames,
    indices: &[usize],
    transmitters: &[Callsign],
    stated: Option<f64>,
) -> (f64, Evidence) {
    let prompt = |before: &Frame, after: &Frame| frames.is_prompt(before, after);
    let gaps = |is_of_one: bool| {
        let pairs = indices.windows(2).zip(transmitters.windows(2));
        pairs.filter(move |(_, ends)| (ends[0] == ends[1]) == is_of_one).map(|(pair, _)| gap(frames, pair))
    };
    let of_transmitter = gaps(true).filter(|(_, gap)| *gap > 0.0).map(|(bits, gap)| bits / gap);
    let of_transmitter: Vec<f64> = of_transmitter.collect();
    let follows: Vec<(f64, f64)> = gaps(false).collect();
    let short = ShortFrames::new(&follows);
    let of_all = || by_lengths(frames, indices, ENOUGH, &|_, _| true).filter(|(rate, _)| short.is_whole(*rate));
    let shown = in_transmissions(&of_transmitter)
        .or_else(|| by_deferred(&follows, &short))
        .or_else(|| by_lengths(frames, indices, FEW, &prompt))
        .or_else(of_all);
    match (shown, stated) {
        (Some(found), _) => found,
        (None, Some(rate)) => (rate, Evidence::Stated),
        (None, None) => {
            let least = of_transmitter.iter().copied().fold(0.0, f64::max) / (1.0 + STUFFING);
            by_ticks(&short, least).unwrap_or_else(|| {
                let allowed = RATES.into_iter().find(|rate| *rate >= least.max(USUAL_RATE));
                (allowed.unwrap_or(USUAL_RATE), Evidence::Assumed)
            })
        }
    }
}

/// The bits of the second of two frames, and the time between their ends, s.
fn gap(frames: &Frames, pair: &[usize]) -> (f64, f64) {
    let [before, after] = [&frames.all[pair[0]], &frames.all[pair[1]]];
    (f64::from(after.bits), after.end() - before.end())
}

/// The highest standard rate that many frames of one transmission agree on, by their bits over the time between their ends; no frame
/// takes less time than its bits.
fn in_transmissions(rates: &[f64]) -> Option<(f64, Evidence)> {
    let near = |rate: f64| rates.iter().filter(|seen| (*seen / rate - 1.0).abs() <= STUFFING).count();
    let above = |rate: f64| rates.iter().filter(|seen| **seen > rate * (1.0 + STUFFING)).count();
    let enough = FEWEST.max((SHARE * rates.len() as f64) as usize);
    let (rate, frames) = RATES.iter().rev().map(|&rate| (rate, near(rate))).find(|(_, frames)| *frames >= enough)?;
    (5 * above(rate) <= frames).then_some((rate, Evidence::Frames(frames)))
}

/// Without two frames in one transmission: the shortest time from the end of a frame to the end of its answer is the same
/// for short and for long frames but for their air time.
fn by_lengths(
    frames: &Frames,
    indices: &[usize],
    enough: usize,
    counts: &dyn Fn(&Frame, &Frame) -> bool,
) -> Option<(f64, Evidence)> {
    let counted = indices.windows(2).filter(|pair| counts(&frames.all[pair[0]], &frames.all[pair[1]]));
    let gaps: Vec<(f64, f64)> = counted.map(|pair| gap(frames, pair)).filter(|(_, gap)| *gap > 0.0).collect();
    let mut bits: Vec<f64> = gaps.iter().map(|(bits, _)| *bits).collect();
    let (short, long) = (quantile(&mut bits, 0.2)?, quantile(&mut bits, 0.8)?);
    let least = |rate: f64, of: &dyn Fn(f64) -> bool| {
        let rests = gaps.iter().filter(|(bits, _)| of(*bits)).map(|(bits, gap)| gap - bits / rate);
        let mut rests: Vec<f64> = rests.collect();
        if rests.len() < enough { None } else { quantile(&mut rests, 0.02) }
    };
    let difference = |rate: f64| {
        let [short, long] = [least(rate, &|bits| bits <= short)?, least(rate, &|bits| bits >= long)?];
        (long > -SLACK && short > -SLACK).then_some((rate, (long - short).abs()))
    };
    let (rate, rest) = RATES.into_iter().filter_map(difference).min_by(|a, b| a.1.total_cmp(&b.1))?;
    (long - short > LONGER && rest < SAME * (long - short) / rate).then_some((rate, Evidence::Lengths(gaps.len())))
}

/// Without long answers: long frames that were ready while the channel was busy wait as long after that as short answers do, so
/// that many of them agree at the right rate; at a lower one they would have begun while the other station still transmitted.
fn by_deferred(follows: &[(f64, f64)], short: &ShortFrames) -> Option<(f64, Evidence)> {
    let longest = short.0.iter().map(|(bits, _)| *bits).fold(0.0, f64::max);
    let long: Vec<(f64, f64)> = follows.iter().copied().filter(|(bits, _)| *bits > longest + LONGER).collect();
    let counts = ON_RADIO.into_iter().filter_map(|rate| {
        let least = short.least(rate)?;
        let rests = || long.iter().map(|(bits, gap)| gap - bits / rate - least);
        let early = rests().filter(|rest| *rest < -SLACK).count();
        Some((rate, rests().filter(|rest| rest.abs() <= SLACK).count(), early))
    });
    let counts: Vec<(f64, usize, usize)> = counts.collect();
    // frames that begin at the same time are early at any rate
    let collisions = counts.iter().map(|(.., early)| *early).min()?;
    let (rate, frames, early) = counts.iter().copied().max_by_key(|(_, near, _)| *near)?;
    let others = counts.iter().filter(|(other, ..)| *other != rate).map(|(_, near, _)| *near).max().unwrap_or(0);
    let is_clear = frames >= FEW && frames >= CLEARLY * others && frames > early - collisions;
    is_clear.then_some((rate, Evidence::Deferred(frames)))
}

/// Without long answers: the rate of radio channels at which the shortest time before a short frame of another station has room for
/// TXDELAY and processing that are whole steps of a TNC's clock; no gap allows less than `least` bit/s.
fn by_ticks(short: &ShortFrames, least: f64) -> Option<(f64, Evidence)> {
    let fits = |rate: &f64| *rate >= least && short.is_whole(*rate);
    let rate = ON_RADIO.into_iter().find(fits).filter(|_| short.0.len() >= ENOUGH)?;
    Some((rate, Evidence::Ticks(short.0.len())))
}

/// Short frames that follow one of another station: bits, and the time since its end, s.
struct ShortFrames(Vec<(f64, f64)>);

impl ShortFrames {
    fn new(follows: &[(f64, f64)]) -> ShortFrames {
        let short = quantile(&mut follows.iter().map(|(bits, _)| *bits).collect::<Vec<_>>(), 0.2);
        ShortFrames(follows.iter().copied().filter(|(bits, _)| short.is_some_and(|short| *bits <= short)).collect())
    }

    /// The shortest time before them at a bit rate, s.
    fn least(&self, rate: f64) -> Option<f64> {
        quantile(&mut self.0.iter().map(|(bits, gap)| gap - bits / rate).collect::<Vec<_>>(), 0.02)
    }

    /// Whether the shortest time before them has room for TXDELAY and processing in whole steps, at a bit rate.
    fn is_whole(&self, rate: f64) -> bool {
        let Some(rest) = self.least(rate) else { return false };
        let steps = (rest / TICK).round();
        steps >= FEWEST_STEPS && (rest / TICK - steps).abs() <= OFF_STEP
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Acknowledgements of 144 to 150 bits after a key-up of 100 ms and 20 ms of processing, half of them a slot later.
    fn acknowledgements(rate: f64, slot: f64) -> ShortFrames {
        let later = |number: u32| if number.is_multiple_of(2) { 0.0 } else { slot };
        let frame = |number: u32| (f64::from(144 + number % 7), 0.12 + later(number));
        ShortFrames((0..40).map(frame).map(|(bits, wait)| (bits, wait + bits / rate)).collect())
    }

    #[test]
    fn a_key_up_of_whole_steps_of_a_tnc_shows_the_rate_of_short_frames() {
        for rate in [1200.0, 9600.0] {
            assert_eq!(by_ticks(&acknowledgements(rate, 0.05), 0.0), Some((rate, Evidence::Ticks(40))));
        }
        let mut few = acknowledgements(9600.0, 0.05);
        few.0.truncate(ENOUGH - 1);
        assert_eq!(by_ticks(&few, 0.0), None);
        assert_eq!(by_ticks(&acknowledgements(9600.0, 0.05), 10_000.0), None);
    }

    #[test]
    fn long_frames_that_waited_for_the_channel_show_the_rate_of_short_ones() {
        let long = |rate: f64, number: u32| (900.0, 0.12 + 0.05 * f64::from(number % 2) + 900.0 / rate);
        let ready = |number: u32| (900.0, 2.0 + 0.131_7 * f64::from(number));
        for rate in [1200.0, 2400.0, 4800.0] {
            let short = acknowledgements(rate, 0.05);
            let deferred = (0..20).map(|number| long(rate, number));
            let mut follows: Vec<(f64, f64)> = deferred.chain((0..200).map(ready)).collect();
            assert_eq!(by_deferred(&follows, &short), Some((rate, Evidence::Deferred(10))), "{rate}");
            follows.drain(..20);
            assert_eq!(by_deferred(&follows, &short), None, "{rate}");
        }
    }

    #[test]
    fn a_rate_whose_bits_alone_take_as_long_as_the_wait_is_none() {
        assert!(!acknowledgements(9600.0, 0.0).is_whole(1200.0));
    }
}
