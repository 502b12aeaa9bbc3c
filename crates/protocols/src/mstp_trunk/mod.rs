//! What a listener on a trunk of MS/TP sees of its stations: tokens, polls for masters, requests, and how long each takes.
//!
//! The counts and times are those of bacnet-stack's `mstpcap` (`apps/mstpcap/main.c`), by its names:
//!
//! | name | from the end of | to the end of |
//! |---|---|---|
//! | Treply | a token | the token that its receiver passes on at once |
//! | Tusage | a token or Poll For Master that is not used | the next frame of its sender |
//! | Trpfm | Poll For Master | its reply |
//! | Tder | data expecting a reply | the reply |
//! | Tpostpd | data expecting a reply | Reply Postponed |
//!
//! Every time includes the frame that ends it. Without clock or socket: a capture and a live listener drive it alike.

pub mod fuzz;
mod row;
mod station;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};

pub use self::row::TrunkStation;
pub use self::station::{Spans, Station};
use crate::bacnet::i_am_device;
use crate::mstp::machine::NO_TOKEN;
use crate::mstp::wire::{Frame, FrameType};

/// A trunk since it was first heard.
#[derive(Clone, Debug, Default)]
pub struct Trunk {
    stations: BTreeMap<u8, Station>,
    last: Option<Last>,
    /// The receiver of the last token.
    holder: Option<u8>,
    /// Frames that the holder has sent since.
    frames_of_holder: u32,
    frames: u64,
    octets: u64,
    invalid: u64,
    lost_tokens: u64,
}

/// The frame before.
#[derive(Clone, Copy, Debug)]
struct Last {
    kind: FrameType,
    destination: u8,
    source: u8,
    at: Time,
}

/// What a frame showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The receiver of a token, and the time since the one that it received before.
    pub rotation: Option<(u8, Duration)>,
    /// Whether a token was lost before: a silence, and a station that generates another.
    pub lost_token: bool,
    /// Whether a token was sent again because its receiver did not use it.
    pub token_retry: bool,
}

impl Trunk {
    /// Takes a valid frame that ended at `at` and has this many octets from its preamble on.
    pub fn frame(&mut self, at: Time, frame: &Frame<&[u8]>, octets: usize) -> Seen {
        let Frame { kind, destination, source, data } = *frame;
        let last = self.last.replace(Last { kind, destination, source, at });
        let span = |last: Last| at.since(last.at);
        self.frames += 1;
        self.octets += octets as u64;
        let station = self.stations.entry(source).or_default();
        station.frames += 1;
        station.octets += octets as u64;
        let seen = match kind {
            FrameType::Token => self.token(at, source, destination, last),
            FrameType::PollForMaster => self.poll(at, source, destination, last),
            FrameType::ReplyToPollForMaster => {
                station.poll_replies += 1;
                let answered = last.filter(|last| last.kind == FrameType::PollForMaster && last.destination == source);
                answered.into_iter().for_each(|last| station.poll_reply.add(span(last)));
                Seen::default()
            }
            FrameType::TestRequest => {
                station.test_requests += 1;
                Seen::default()
            }
            FrameType::TestResponse => {
                station.test_responses += 1;
                Seen::default()
            }
            FrameType::ReplyPostponed => {
                station.postponed += 1;
                let answered = last.filter(|last| last.kind.is_request() && last.destination == source);
                answered.into_iter().for_each(|last| station.postponed_reply.add(span(last)));
                Seen::default()
            }
            kind if kind.is_request() => {
                station.requests += 1;
                Seen::default()
            }
            kind if kind.is_unsolicited() => {
                station.unsolicited += 1;
                station.device = i_am_device(data).or(station.device);
                let answered = last.filter(|last| last.kind.is_request() && last.destination == source);
                answered.into_iter().for_each(|last| station.reply.add(span(last)));
                Seen::default()
            }
            _ => Seen::default(),
        };
        self.with_token(source, kind);
        seen
    }

    /// Takes note of a frame that was not valid.
    pub fn invalid(&mut self) {
        self.invalid += 1;
        self.last = None;
    }

    /// The stations that have sent, by address.
    pub fn stations(&self) -> impl Iterator<Item = (u8, &Station)> {
        self.stations.iter().filter(|(_, station)| station.frames > 0).map(|(address, station)| (*address, station))
    }

    /// Valid frames.
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Their octets.
    pub const fn octets(&self) -> u64 {
        self.octets
    }

    /// Frames that were not valid.
    pub const fn invalid_frames(&self) -> u64 {
        self.invalid
    }

    /// Tokens lost: silences of T_no_token that a station ended.
    pub const fn lost_tokens(&self) -> u64 {
        self.lost_tokens
    }

    fn token(&mut self, at: Time, source: u8, destination: u8, last: Option<Last>) -> Seen {
        let is_token = |last: &Last| last.kind == FrameType::Token;
        let is_retry = |last: &Last| is_token(last) && (last.source, last.destination) == (source, destination);
        let repeated = last.filter(is_retry);
        let polled = last.filter(|last| last.kind == FrameType::PollForMaster && last.source == source);
        let is_out_of_order = self.holder.is_some_and(|holder| holder != source);
        let passer = self.stations.entry(source).or_default();
        passer.tokens_passed += 1;
        passer.own_tokens += u64::from(source == destination);
        passer.tokens_out_of_order += u64::from(is_out_of_order);
        repeated.or(polled).into_iter().for_each(|last| passer.usage_timeout.add(at.since(last.at)));
        if let Some(last) = last.filter(|last| is_token(last) && last.destination == source && repeated.is_none()) {
            passer.token_reply.add(at.since(last.at));
        }
        let receiver = self.stations.entry(destination).or_default();
        self.holder = Some(destination);
        self.frames_of_holder = 0;
        if repeated.is_some() {
            receiver.token_retries += 1;
            receiver.token_at = Some(at);
            return Seen { token_retry: true, ..Seen::default() };
        }
        receiver.tokens_received += 1;
        let before = receiver.token_at.replace(at);
        let rotation = before.map(|before| (destination, at.since(before)));
        rotation.into_iter().for_each(|(_, rotation)| receiver.rotation.add(rotation));
        Seen { rotation, ..Seen::default() }
    }

    fn poll(&mut self, at: Time, source: u8, destination: u8, last: Option<Last>) -> Seen {
        let lost_token = last.is_some_and(|last| at.since(last.at) >= NO_TOKEN);
        self.lost_tokens += u64::from(lost_token);
        let station = self.stations.entry(source).or_default();
        station.polls += 1;
        station.highest_polled = station.highest_polled.max(Some(destination));
        let since = station.tokens_at_poll.replace(station.tokens_received);
        station.tokens_between_polls =
            station.tokens_between_polls.max(since.map(|since| station.tokens_received - since));
        let unanswered = last.filter(|last| last.kind == FrameType::PollForMaster && last.source == source);
        unanswered.into_iter().for_each(|last| station.usage_timeout.add(at.since(last.at)));
        Seen { lost_token, ..Seen::default() }
    }

    /// Counts the frames that a station sends with one token.
    fn with_token(&mut self, source: u8, kind: FrameType) {
        let is_counted = kind.is_data() || kind == FrameType::TestRequest;
        if is_counted && self.holder == Some(source) {
            self.frames_of_holder += 1;
            let station = self.stations.entry(source).or_default();
            station.frames_per_token = station.frames_per_token.max(self.frames_of_holder);
        }
    }
}
