//! A transaction of a node: open, or closed and not yet followed by the next one.

use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::wire::{Destination, Members, SubnetNode};

use crate::{FlowId, Moment, Outcome, Transaction};

/// How long a transaction number belongs to one transaction: a node does not reuse it within 24 s.
pub(super) const MEMORY: Duration = Duration::from_secs(24);
/// The longest transaction timer (encoded value 15): an initiator that is silent for longer has given up.
const LONGEST_TIMER: Duration = Duration::from_millis(3_072);
/// Other channels that copies of a request are remembered of; routers forward to few.
const CHANNELS: usize = 4;

/// How a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Repeated,
    Acknowledged,
    Request,
}

/// Where a packet was captured: the same one is seen again on each channel that routers forward it to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Interface of the capture and session of the LON/IP device.
    pub channel: (u32, u32),
    /// The IPv4 address of the datagram: a device sends one to each other device of its channel.
    pub to: [u8; 4],
}

/// A transaction, from its first packet to the one that begins the next of its node and priority.
#[derive(Clone, Debug)]
pub(super) struct OpenTransaction {
    pub flow: FlowId,
    pub number: u8,
    pub kind: Kind,
    pub destination: Destination,
    place: Place,
    forwarded_to: [Option<(u32, u32)>; CHANNELS],
    begin: Moment,
    pub last: Time,
    attempts: u32,
    /// Whether its first packet was a retry.
    began_before: bool,
    responded: Members,
    end: Option<Moment>,
    request_bytes: u32,
    answer_bytes: u32,
}

impl OpenTransaction {
    /// A transaction with its first packet.
    pub fn new(begin: Moment, place: Place, flow: FlowId, number: u8, kind: Kind, destination: Destination) -> Self {
        OpenTransaction {
            flow,
            number,
            kind,
            destination,
            place,
            forwarded_to: [None; CHANNELS],
            begin,
            last: begin.time,
            attempts: 1,
            began_before: false,
            responded: Members::NONE,
            end: None,
            request_bytes: 0,
            answer_bytes: 0,
        }
    }

    /// The same transaction, found by a retry: `responded` have acknowledged what was not captured.
    pub fn begun_before(mut self, responded: Members) -> Self {
        self.began_before = true;
        self.responded = responded;
        self
    }

    /// Its user data, known from any attempt that carries it.
    pub fn carries(&mut self, bytes: u32) {
        self.request_bytes = self.request_bytes.max(bytes);
    }

    /// Whether a message of its initiator at `now` is an attempt of it.
    pub fn is(&self, now: Time, number: u8, kind: Kind, destination: &Destination) -> bool {
        (self.number, self.kind, self.destination) == (number, kind, *destination) && now.since(self.last) <= MEMORY
    }

    /// Another copy of its message was captured; returns whether it is a further attempt, not the same one elsewhere.
    pub fn copy(&mut self, now: Time, place: Place) -> bool {
        if place == self.place {
            self.attempts += 1;
            self.last = now;
            return true;
        }
        if place.channel != self.place.channel
            && !self.forwarded_to.contains(&Some(place.channel))
            && let Some(free) = self.forwarded_to.iter_mut().find(|known| known.is_none())
        {
            *free = Some(place.channel);
        }
        false
    }

    /// Whether a packet of `responder` answers it.
    pub fn is_answered_by(&self, kind: Kind, number: u8, responder: SubnetNode, to: &Destination) -> bool {
        self.kind == kind && self.number == number && self.may_respond(responder, to)
    }

    fn may_respond(&self, responder: SubnetNode, to: &Destination) -> bool {
        match (self.destination, *to) {
            (Destination::Node(node), Destination::Node(_)) => node == responder,
            (Destination::UniqueId { .. }, Destination::Node(_)) => true,
            (Destination::Broadcast { subnet }, Destination::Node(_)) => subnet == 0 || subnet == responder.subnet,
            (Destination::Group { group }, Destination::GroupAcknowledgement { group: responding, .. }) => {
                group == responding
            }
            _ => false,
        }
    }

    /// An answer was captured. On a channel that its message was forwarded to it is still to be forwarded, and counts where
    /// the initiator is.
    pub fn answer(&mut self, now: Moment, place: Place, to: &Destination, bytes: u32) {
        if self.forwarded_to.contains(&Some(place.channel)) {
            return;
        }
        let member = if let Destination::GroupAcknowledgement { member, .. } = to { *member } else { 0 };
        if self.responded.insert(member) {
            self.end = Some(now);
            self.answer_bytes += bytes;
        }
    }

    /// Members of the group that have answered.
    pub fn answers(&self) -> u8 {
        self.responded.count()
    }

    /// What became of it; `expected` are the answers that complete it, `now` is the end of the capture if that ended.
    pub fn close(&self, expected: u8, now: Option<Time>) -> Transaction {
        let outcome = match self.kind {
            _ if self.began_before => Outcome::BeganBefore,
            Kind::Repeated => Outcome::Sent,
            _ if self.responded.count() >= expected.max(1) => Outcome::Answered,
            _ if now.is_some_and(|now| now.since(self.last) <= LONGEST_TIMER) => Outcome::Open,
            _ => Outcome::Unanswered,
        };
        let OpenTransaction { flow, begin, attempts, request_bytes, answer_bytes, .. } = *self;
        let end = self.end.filter(|_| outcome == Outcome::Answered);
        Transaction { attempts, request_bytes, answer_bytes, ..Transaction::of(flow, begin, end, outcome) }
    }
}
