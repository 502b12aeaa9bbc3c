//! Transmissions: consecutive frames of one transmitter.

use std::collections::BTreeMap;

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::bit_rate::{Evidence, SLACK, bit_rate};
use super::frames::Frames;
use super::stations::Stations;

/// The same as a share of its air time: stuffed bits, stamps of a program.
const SLACK_SHARE: f64 = 0.05;

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
