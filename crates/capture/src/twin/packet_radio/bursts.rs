//! Transmissions: consecutive frames of one transmitter, and the bit rate of the medium that they show.

use std::collections::BTreeMap;

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::frames::{Frame, Frames};
use super::quantile::quantile;
use super::stations::Stations;

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
/// Timers of TNCs count in steps of this: TXDELAY and slots by KISS, s.
pub(super) const TICK: f64 = 0.01;
/// The fewest steps of a TNC's timers in TXDELAY and processing, and how much of one a time may be off.
const FEWEST_STEPS: f64 = 4.0;
const OFF_STEP: f64 = 0.1;
/// Short frames, and long ones, of which some have waited for no slot; of prompt answers fewer are enough.
const ENOUGH: usize = 20;
const FEW: usize = 5;
/// Time between the end of a frame and the beginning of the next in one transmission, s, and as a share of its air time:
/// stuffed bits, stamps of a program.
const SLACK: f64 = 4e-3;
const SLACK_SHARE: f64 = 0.05;

/// How a bit rate was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    /// From frames that followed each other in one transmission.
    Frames(usize),
    /// From how much later long frames end than short ones, of so many.
    Lengths(usize),
    /// From the steps of TXDELAY that the time before so many short frames has room for.
    Ticks(usize),
    /// Stated by the caller.
    Stated,
    /// Neither: the usual rate, or the lowest above it that the gaps allow.
    Assumed,
}

/// A medium.
#[derive(Debug)]
pub(super) struct Medium {
    pub bit_rate: f64,
    pub evidence: Evidence,
    pub bursts: Vec<Burst>,
}

/// A transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub transmitter: Callsign,
    /// Its first frame and its last, indices of [`Frames::all`], with none of the same medium between that is not its own.
    pub first: usize,
    pub last: usize,
    pub frames: usize,
    /// Beginning of the first frame and end of the last, s.
    pub start: f64,
    pub end: f64,
    /// Whether another station transmitted meanwhile.
    pub overlapped: bool,
}

impl Medium {
    /// Marks transmissions during which another station's transmitter was keyed, TXDELAY included.
    pub fn mark_overlaps(&mut self, txdelay: f64) {
        for later in 1..self.bursts.len() {
            let [before, after] = [self.bursts[later - 1], self.bursts[later]];
            if after.start - txdelay < before.end - SLACK && before.transmitter != after.transmitter {
                (self.bursts[later - 1].overlapped, self.bursts[later].overlapped) = (true, true);
            }
        }
    }
}

/// The media of a capture, with a stated bit rate where the capture shows none.
pub(super) fn media(frames: &Frames, stations: &Stations, stated: Option<f64>) -> BTreeMap<u32, Medium> {
    let mut on: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, frame) in frames.all.iter().enumerate() {
        on.entry(frame.medium).or_default().push(index);
    }
    let medium = |(number, indices): (u32, Vec<usize>)| {
        let transmitters: Vec<Callsign> =
            indices.iter().map(|&index| stations.transmitter(frames, &frames.all[index])).collect();
        let (bit_rate, evidence) = bit_rate(frames, &indices, &transmitters, stated);
        let bursts = bursts(frames, &indices, &transmitters, bit_rate);
        (number, Medium { bit_rate, evidence, bursts })
    };
    on.into_iter().map(medium).collect()
}

/// A frame of a transmission ends one air time after its predecessor: no pair of frames of one transmitter can be closer.
fn bit_rate(frames: &Frames, indices: &[usize], transmitters: &[Callsign], stated: Option<f64>) -> (f64, Evidence) {
    let mut rates: Vec<f64> = Vec::new();
    for (pair, ends) in indices.windows(2).zip(transmitters.windows(2)) {
        let [before, after] = [&frames.all[pair[0]], &frames.all[pair[1]]];
        let gap = after.end() - before.end();
        if ends[0] == ends[1] && gap > 0.0 {
            rates.push(f64::from(after.bits) / gap);
        }
    }
    let near = |rate: f64| rates.iter().filter(|seen| (*seen / rate - 1.0).abs() <= STUFFING).count();
    let enough = FEWEST.max((SHARE * rates.len() as f64) as usize);
    // no frame takes less time than its bits
    let above = |rate: f64| rates.iter().filter(|seen| **seen > rate * (1.0 + STUFFING)).count();
    let standard = RATES.iter().rev().map(|&rate| (rate, near(rate))).find(|(_, frames)| *frames >= enough);
    let standard = standard
        .filter(|(rate, frames)| 5 * above(*rate) <= *frames)
        .map(|(rate, frames)| (rate, Evidence::Frames(frames)));
    let prompt = |before: &Frame, after: &Frame| frames.is_prompt(before, after);
    let short = ShortFrames::new(frames, indices, transmitters);
    let of_all = || by_lengths(frames, indices, ENOUGH, &|_, _| true).filter(|(rate, _)| short.is_whole(*rate));
    let by_lengths = || by_lengths(frames, indices, FEW, &prompt).or_else(of_all);
    match (standard.or_else(by_lengths), stated) {
        (Some(found), _) => found,
        (None, Some(rate)) => (rate, Evidence::Stated),
        (None, None) => {
            let highest = rates.iter().copied().fold(0.0, f64::max) / (1.0 + STUFFING);
            if let Some(found) = by_ticks(&short, highest) {
                return found;
            }
            let allowed = RATES.into_iter().find(|rate| *rate >= highest.max(USUAL_RATE));
            (allowed.unwrap_or(USUAL_RATE), Evidence::Assumed)
        }
    }
}

/// Without two frames in one transmission: the shortest time from the end of a frame to the end of its answer is the same
/// for short and for long frames but for their air time.
fn by_lengths(
    frames: &Frames,
    indices: &[usize],
    enough: usize,
    counts: &dyn Fn(&Frame, &Frame) -> bool,
) -> Option<(f64, Evidence)> {
    let gap = |pair: &[usize]| {
        let [before, after] = [&frames.all[pair[0]], &frames.all[pair[1]]];
        counts(before, after).then(|| (f64::from(after.bits), after.end() - before.end()))
    };
    let gaps: Vec<(f64, f64)> = indices.windows(2).filter_map(gap).filter(|(_, gap)| *gap > 0.0).collect();
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
    (long - short > 100.0 && rest < SAME * (long - short) / rate).then_some((rate, Evidence::Lengths(gaps.len())))
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
    fn new(frames: &Frames, indices: &[usize], transmitters: &[Callsign]) -> ShortFrames {
        let pairs = indices.windows(2).zip(transmitters.windows(2)).filter(|(_, ends)| ends[0] != ends[1]);
        let gap = |pair: &[usize]| {
            let [before, after] = [&frames.all[pair[0]], &frames.all[pair[1]]];
            (f64::from(after.bits), after.end() - before.end())
        };
        let mut gaps: Vec<(f64, f64)> = pairs.map(|(pair, _)| gap(pair)).collect();
        let short = quantile(&mut gaps.iter().map(|(bits, _)| *bits).collect::<Vec<_>>(), 0.2);
        gaps.retain(|(bits, _)| short.is_some_and(|short| *bits <= short));
        ShortFrames(gaps)
    }

    /// Whether the shortest time before them has room for TXDELAY and processing in whole steps, at a bit rate.
    fn is_whole(&self, rate: f64) -> bool {
        let mut rests: Vec<f64> = self.0.iter().map(|(bits, gap)| gap - bits / rate).collect();
        let Some(rest) = quantile(&mut rests, 0.02) else { return false };
        let steps = (rest / TICK).round();
        steps >= FEWEST_STEPS && (rest / TICK - steps).abs() <= OFF_STEP
    }
}

fn bursts(frames: &Frames, indices: &[usize], transmitters: &[Callsign], bit_rate: f64) -> Vec<Burst> {
    let mut bursts: Vec<Burst> = Vec::new();
    for (&index, &transmitter) in indices.iter().zip(transmitters) {
        let frame = &frames.all[index];
        let (air, end) = (f64::from(frame.bits) / bit_rate, frame.end());
        let start = end - air;
        if let Some(burst) = bursts.last_mut()
            && burst.transmitter == transmitter
            && start - burst.end <= SLACK + SLACK_SHARE * air
        {
            (burst.last, burst.end, burst.frames) = (index, end, burst.frames + 1);
            continue;
        }
        let mut overlapped = false;
        if let Some(before) = bursts.last_mut()
            && start < before.end - SLACK
        {
            before.overlapped = true;
            overlapped = true;
        }
        bursts.push(Burst { transmitter, first: index, last: index, frames: 1, start, end, overlapped });
    }
    bursts
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
    fn a_rate_whose_bits_alone_take_as_long_as_the_wait_is_none() {
        assert!(!acknowledgements(9600.0, 0.0).is_whole(1200.0));
    }
}
