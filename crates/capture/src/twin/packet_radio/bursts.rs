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
/// Frames of one transmission differ from the mean number of stuffed bits by this share at most.
const STUFFING: f64 = 0.04;
/// Frames that must agree on a rate, and their share of all that followed one of the same transmitter.
const FEWEST: usize = 3;
const SHARE: f64 = 0.01;
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
    let by_lengths = || by_lengths(frames, indices, &prompt).or_else(|| by_lengths(frames, indices, &|_, _| true));
    match (standard.or_else(by_lengths), stated) {
        (Some(found), _) => found,
        (None, Some(rate)) => (rate, Evidence::Stated),
        (None, None) => {
            let highest = rates.iter().copied().fold(0.0, f64::max) / (1.0 + STUFFING);
            let allowed = RATES.into_iter().find(|rate| *rate >= highest.max(USUAL_RATE));
            (allowed.unwrap_or(USUAL_RATE), Evidence::Assumed)
        }
    }
}

/// Without two frames in one transmission: the shortest time from the end of a frame to the end of its answer is the same
/// for short and for long frames but for their air time.
fn by_lengths(frames: &Frames, indices: &[usize], counts: &dyn Fn(&Frame, &Frame) -> bool) -> Option<(f64, Evidence)> {
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
        if rests.len() < FEWEST { None } else { quantile(&mut rests, 0.02) }
    };
    let difference = |rate: f64| {
        let [short, long] = [least(rate, &|bits| bits <= short)?, least(rate, &|bits| bits >= long)?];
        (long > -SLACK && short > -SLACK).then_some((rate, (long - short).abs()))
    };
    let (rate, rest) = RATES.into_iter().filter_map(difference).min_by(|a, b| a.1.total_cmp(&b.1))?;
    // the next rate would leave half of the difference in air time
    (long - short > 100.0 && rest < 0.3 * (long - short) / rate).then_some((rate, Evidence::Lengths(gaps.len())))
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
