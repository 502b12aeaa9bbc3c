//! Requests that wait for their answers.

use std::collections::BTreeSet;

use sojourn_core::Time;
use sojourn_protocols::can::frame::Id;

use super::on_bus::OnBus;
use crate::ip::requests::{OPEN_REQUESTS, RESPONSE_TIMEOUT};
use crate::open_table::OpenTable;
use crate::{FlowId, Moment, Outcome, Sink, Transaction};

/// What a request is open between. Each has one request at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A bus and the identifier of a remote frame.
    Remote(u32, Id),
    /// A bus and the identifier of diagnostic answers, or of requests to everyone.
    Diagnosis(u32, Id),
    /// A bus and a node of CANopen.
    Object(u32, u8),
    /// A bus, a parameter group of J1939 and the address that is asked for it, 255 of all.
    Group(u32, u32, u8),
}

/// A request as it is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// What it asks for: a request for the same is a further attempt.
    pub name: u64,
    pub flow: FlowId,
    pub begin: Moment,
    /// Bytes of the message.
    pub octets: u32,
}

/// A request that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub name: u64,
    pub flow: FlowId,
    /// Whether all data of the request have been sent.
    pub is_whole: bool,
    /// The first frame of the answer.
    pub first: Option<Moment>,
    begin: Moment,
    last: Time,
    attempts: u32,
    octets: u32,
    answer_octets: u32,
    is_pending: bool,
}

/// Requests by what they are open between.
#[derive(Debug)]
pub(super) struct Exchanges {
    open: OpenTable<Key, Open>,
    /// Buses on which an SDO was answered.
    canopen: BTreeSet<u32>,
    /// Buses on which diagnosis was asked for.
    pub asked: BTreeSet<u32>,
}

impl Default for Exchanges {
    fn default() -> Self {
        Exchanges { open: OpenTable::new(OPEN_REQUESTS), canopen: BTreeSet::new(), asked: BTreeSet::new() }
    }
}

impl Open {
    fn transaction(&self, end: Option<Moment>, outcome: Outcome) -> Transaction {
        Transaction {
            attempts: self.attempts,
            request_bytes: self.octets,
            answer_bytes: self.answer_octets,
            ..Transaction::of(self.flow, self.begin, end, outcome)
        }
    }
}

impl Exchanges {
    /// Whether SDOs are known to be on a bus.
    pub fn is_canopen(&self, bus: u32) -> bool {
        self.canopen.contains(&bus)
    }

    /// The open request of a key.
    pub fn open(&mut self, key: &Key) -> Option<&mut Open> {
        self.open.get_mut(key)
    }

    /// A request is sent; whether it is a further attempt.
    pub fn request(&mut self, key: Key, asked: Asked, out: &mut Sink) -> bool {
        let Asked { name, flow, begin, octets } = asked;
        self.expire(begin.time, out);
        let is_surely = self.is_surely(&key);
        if let Some(open) =
            self.open.use_entry(&key).filter(|open| is_surely && open.name == name && open.first.is_none())
        {
            open.attempts = open.attempts.saturating_add(1);
            (open.last, open.is_pending) = (begin.time, false);
            return true;
        }
        if let Some(open) = self.open.remove(&key) {
            self.silent(&key, &open, Outcome::Unanswered, out);
        }
        let open = Open {
            name,
            flow,
            is_whole: false,
            first: None,
            begin,
            last: begin.time,
            attempts: 1,
            octets,
            answer_octets: 0,
            is_pending: false,
        };
        if let Some((key, evicted)) = self.open.insert(key, open) {
            out.count(evicted.flow, "evicted", 1);
            self.silent(&key, &evicted, Outcome::Open, out);
        }
        false
    }

    /// The answer will take its time.
    pub fn pending(&mut self, key: &Key, time: Time) {
        if let Some(open) = self.open.use_entry(key) {
            (open.last, open.is_pending) = (time, true);
        }
    }

    /// A frame of an answer that is not its last.
    pub fn part(&mut self, key: &Key, frame: &OnBus<'_>, out: &Sink) {
        if let Some(open) = self.open.use_entry(key) {
            open.first.get_or_insert_with(|| out.moment(frame.time));
            (open.last, open.answer_octets) = (frame.time, open.answer_octets.saturating_add(frame.octets()));
        }
    }

    /// The last frame of an answer, or of a refusal.
    pub fn end(&mut self, key: &Key, outcome: Outcome, frame: &OnBus<'_>, out: &mut Sink) {
        let Some(mut open) = self.open.remove(key) else { return };
        let now = out.moment(frame.time);
        open.answer_octets = open.answer_octets.saturating_add(frame.octets());
        let is_answer = outcome == Outcome::Answered;
        out.transaction(open.transaction(Some(open.first.filter(|_| is_answer).unwrap_or(now)), outcome));
        if is_answer {
            out.complete(open.flow, open.begin.time, frame.time);
        }
    }

    /// An SDO was answered for the first time on a bus: what is open there is one, of this flow.
    pub fn confirm(&mut self, bus: u32, key: &Key, flow: FlowId) {
        if self.canopen.insert(bus)
            && let Some(open) = self.open.get_mut(key)
        {
            open.flow = flow;
        }
    }

    /// Ends the capture.
    pub fn finish(&mut self, end: Time, out: &mut Sink) {
        while let Some((key, open)) = self.open.remove_oldest() {
            let has_expired = !open.is_pending && end.since(open.last) >= RESPONSE_TIMEOUT;
            self.silent(&key, &open, if has_expired { Outcome::Unanswered } else { Outcome::Open }, out);
        }
    }

    /// Ends requests that have waited longer than [`RESPONSE_TIMEOUT`].
    fn expire(&mut self, now: Time, out: &mut Sink) {
        while self.open.oldest().is_some_and(|(_, open)| now.since(open.last) >= RESPONSE_TIMEOUT) {
            let Some((key, open)) = self.open.remove_oldest() else { return };
            self.silent(&key, &open, Outcome::Unanswered, out);
        }
    }

    /// Whether frames of this kind are requests for sure.
    fn is_surely(&self, key: &Key) -> bool {
        !matches!(key, Key::Object(bus, _) if !self.canopen.contains(bus))
    }

    /// Reports a request that nothing more comes of: answered where its answer began, and a message where requests are not
    /// known to be on its bus.
    fn silent(&self, key: &Key, open: &Open, outcome: Outcome, out: &mut Sink) {
        let outcome = if self.is_surely(key) { outcome } else { Outcome::Sent };
        match open.first {
            Some(first) => out.transaction(open.transaction(Some(first), Outcome::Answered)),
            None => out.transaction(open.transaction(None, outcome)),
        }
    }
}
