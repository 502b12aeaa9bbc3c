//! What a capture shows of a trunk: its stations, their latencies, and who talks to whom.

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_protocols::mstp::wire::{Frame, FrameType};
use sojourn_protocols::mstp_trunk::{Station, Trunk};

use super::station::StationSurvey;
use super::talk::Talk;

/// A trunk.
#[derive(Debug, Default)]
pub(super) struct TrunkSurvey {
    pub trunk: Trunk,
    pub stations: BTreeMap<u8, StationSurvey>,
    pub talk: Talk,
    begin: Option<Time>,
    last: Option<Last>,
}

/// The frame before.
#[derive(Clone, Copy, Debug)]
struct Last {
    kind: FrameType,
    source: u8,
    destination: u8,
    at: Time,
}

impl TrunkSurvey {
    /// Takes a valid frame of `octets` octets that ended at `time`.
    pub fn frame(&mut self, time: Time, frame: &Frame<&[u8]>, octets: usize) {
        let Frame { kind, source, destination, data } = *frame;
        self.trunk.frame(time, frame, octets);
        let begin = *self.begin.get_or_insert(time);
        let last = self.last.replace(Last { kind, source, destination, at: time });
        let station = self.stations.entry(source).or_default();
        station.sends(begin, time, self.trunk.frames());
        if let Some(last) = last {
            let gap = time.since(last.at).seconds();
            let (to_it, by_it) = (last.destination == source, last.source == source);
            let gaps = match last.kind {
                FrameType::Token if to_it => Some(&mut station.after_token),
                FrameType::PollForMaster if by_it => Some(&mut station.vacant),
                asked if asked.is_request() && by_it => Some(&mut station.unanswered),
                asked if asked.is_request() && to_it && kind == FrameType::ReplyPostponed => {
                    Some(&mut station.postponed)
                }
                asked if asked.is_request() && to_it && kind.is_data() => Some(&mut station.reply),
                _ => None,
            };
            gaps.into_iter().for_each(|gaps| gaps.add(octets, gap));
        }
        if kind.is_data() {
            self.talk.data(time, [source, destination], data);
        }
    }

    /// A frame was not valid.
    pub fn invalid(&mut self) {
        self.trunk.invalid();
        self.last = None;
    }

    /// The capture ends.
    pub fn finish(&mut self, end: Time) {
        let frames = self.trunk.frames();
        self.stations.values_mut().for_each(|station| station.finish(end, frames));
        self.talk.finish(end);
    }

    /// The counts of a station that has sent.
    pub fn counted(&self, mac: u8) -> Station {
        self.trunk.stations().find(|(address, _)| *address == mac).map(|(_, station)| *station).unwrap_or_default()
    }

    /// The mean time between two tokens of a station, s.
    pub fn rotation(&self) -> Option<f64> {
        self.trunk.stations().filter_map(|(_, station)| station.rotation.mean()).reduce(f64::max)
    }
}
