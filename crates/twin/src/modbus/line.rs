//! What a capture shows of a line: who is asked for what, when, and what comes of it.

use std::collections::BTreeMap;

use sojourn_capture::arrivals::Reservoir;
use sojourn_capture::modbus_rtu::ModbusRtu;
use sojourn_capture::{Event, LinkType, Outcome, Packet, Sent, Sink, Tracker};
use sojourn_core::Time;
use sojourn_protocols::modbus::{BROADCAST, Request, rtu};

use super::poll::{Poll, PollKey};
use super::unit::Unit;

/// Polls that are kept apart; further ones are left out.
const POLL_LIMIT: usize = 4096;
/// Gaps kept as a sample of all.
const SAMPLE: usize = 1024;

/// A line with one client.
#[derive(Debug)]
pub(super) struct Line {
    tracker: ModbusRtu,
    out: Sink,
    frames: u64,
    open: Option<Open>,
    last: Option<Last>,
    /// Requests that no poll of a scenario stands for.
    pub left_out: u64,
    /// Requests that were refused by an exception.
    pub exceptions: u64,
    pub polls: BTreeMap<PollKey, Poll>,
    pub units: BTreeMap<u8, Unit>,
    /// By octets of a request, from the answer before to its end, s.
    pub turnarounds: BTreeMap<usize, Reservoir>,
    /// From a broadcast to the end of the next request and its octets: the shortest, s.
    pub behind_broadcasts: Option<(f64, usize)>,
}

/// The request that waits for its answer.
#[derive(Clone, Copy, Debug)]
struct Open {
    key: Option<PollKey>,
    begin: Time,
    attempts: u32,
}

/// The frame before.
#[derive(Clone, Copy, Debug)]
struct Last {
    at: Time,
    is_answer: bool,
    /// Of a request or an attempt.
    key: Option<PollKey>,
}

impl Default for Line {
    fn default() -> Self {
        Line {
            tracker: ModbusRtu::default(),
            out: Sink::with_log(),
            frames: 0,
            open: None,
            last: None,
            left_out: 0,
            exceptions: 0,
            polls: BTreeMap::new(),
            units: BTreeMap::new(),
            turnarounds: BTreeMap::new(),
            behind_broadcasts: None,
        }
    }
}

impl Line {
    /// Takes octets that ended at `time`; whether they are a frame.
    pub fn frame(&mut self, time: Time, octets: &[u8]) -> bool {
        let Ok(frame) = rtu::parse(octets) else { return false };
        self.frames += 1;
        let request = Request::parse(frame.pdu).ok().map(|request| PollKey::of(frame.unit, &request));
        self.out.take(self.frames, time);
        self.tracker.packet(&Packet::whole(self.frames, time, LinkType::USER0, octets), &mut self.out);
        let events: Vec<Event> = self.out.drain_log().collect();
        let mut role = None;
        for event in events {
            match event {
                Event::Transaction(ended) => self.ended(ended.outcome, time),
                Event::Sent(sent) => role = Some(self.sent(&sent, request, octets.len())),
                _ => {}
            }
        }
        self.last = role.or(self.last);
        true
    }

    /// Valid frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The capture ends at `end`.
    pub fn finish(&mut self, end: Time) {
        self.tracker.finish(end, &mut self.out);
        let events: Vec<Event> = self.out.drain_log().collect();
        for event in events {
            if let Event::Transaction(ended) = event {
                self.ended(ended.outcome, end);
            }
        }
        self.units.values_mut().for_each(Unit::finish);
    }

    /// A frame, by its place in an exchange.
    fn sent(&mut self, sent: &Sent, request: Option<PollKey>, octets: usize) -> Last {
        let Sent { time, forward, repeated, .. } = *sent;
        let gap = self.last.map(|last| (last, time.since(last.at).seconds()));
        if !forward {
            return Last { at: time, is_answer: true, key: None };
        }
        if repeated {
            let open = self.open.as_mut();
            let key = open.and_then(|open| {
                open.attempts = open.attempts.saturating_add(1);
                open.key
            });
            if let (Some(poll), Some((_, gap))) = (key.and_then(|key| self.polls.get_mut(&key)), gap) {
                poll.repeats.push(gap);
            }
            return Last { at: time, is_answer: false, key };
        }
        let key = request.filter(|key| self.is_kept(key));
        self.left_out += u64::from(key.is_none());
        if let Some((last, gap)) = gap {
            self.gap(&last, key, gap, octets);
        }
        if let Some(key) = key {
            self.polls.entry(key).or_default().times.sent(time);
        }
        self.open = Some(Open { key, begin: time, attempts: 1 });
        Last { at: time, is_answer: false, key }
    }

    /// Whether a poll stands for such requests.
    fn is_kept(&self, key: &PollKey) -> bool {
        key.is_within_limits() && (self.polls.len() < POLL_LIMIT || self.polls.contains_key(key))
    }

    /// The time from the frame before to a new request.
    fn gap(&mut self, last: &Last, key: Option<PollKey>, gap: f64, octets: usize) {
        let shorter = |of: &mut Option<(f64, usize)>| {
            if of.is_none_or(|(least, _)| gap < least) {
                *of = Some((gap, octets));
            }
        };
        if last.is_answer {
            self.turnarounds.entry(octets).or_insert_with(|| Reservoir::new(SAMPLE)).push(gap);
            if let Some(key) = key {
                self.polls.entry(key).or_default().turnarounds.push(gap);
            }
        } else if last.key.is_some_and(|key| key.unit == BROADCAST) {
            shorter(&mut self.behind_broadcasts);
        } else if let Some(poll) = last.key.and_then(|key| self.polls.get_mut(&key)) {
            shorter(&mut poll.given_up);
        }
    }

    /// The open request has ended, at `time` if it was answered.
    fn ended(&mut self, outcome: Outcome, time: Time) {
        let Some(Open { key: Some(key), begin, attempts }) = self.open.take() else { return };
        if key.unit == BROADCAST {
            return;
        }
        let (Some(poll), sent) = (self.polls.get_mut(&key), self.last.map_or(begin, |last| last.at)) else { return };
        poll.attempts = poll.attempts.max(attempts);
        let unit = self.units.entry(key.unit).or_default();
        match outcome {
            Outcome::Answered | Outcome::Refused => {
                unit.answers(sent, attempts);
                self.exceptions += u64::from(outcome == Outcome::Refused);
                if outcome == Outcome::Answered {
                    poll.responses.push(time.since(sent).seconds());
                }
            }
            Outcome::Unanswered => {
                unit.is_silent(begin, attempts);
                poll.unanswered += 1;
                poll.attempts_unanswered = poll.attempts_unanswered.max(attempts);
            }
            _ => {}
        }
    }
}
