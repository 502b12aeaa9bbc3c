//! An XTP association: its endpoints, its two directions, and the messages over it.

use sojourn_core::{Duration, Time};
use sojourn_protocols::xtp::wire::{Body, Code, Control, Header, Options, Packet, Specification, Traffic};

use super::captured::{Captured, ContextKey, Host};
use super::direction::{Direction, Sending};
use super::message::Messages;
use crate::{FlowId, FlowKey, Moment, Outcome, Sent, Service, Sink, Transaction};

/// After this time without a packet what is open counts as unanswered: CTIMEOUT, after which an end gives up.
const SILENCE: Duration = Duration::from_secs(60);

/// Receivers of a multicast association that are distinguished.
const RECEIVERS: usize = 1_024;

/// No limit, in a traffic specification.
const UNLIMITED: u32 = u32::MAX;

/// Initiator and responder, as places of what there is of each.
const INITIATOR: usize = 0;
const RESPONDER: usize = 1;

/// An association that is followed.
#[derive(Debug)]
pub(super) struct Association {
    flow: FlowId,
    initiator: Host,
    keys: Vec<ContextKey>,
    half: Option<(Host, Host)>,
    directions: [Direction; 2],
    messages: Messages,
    /// The FIRST packets that no report has answered.
    opening: Option<Opening>,
    began_before: bool,
    is_multicast: bool,
    /// Receivers of a multicast association, each with the `rseq` it reported last.
    receivers: Vec<(Host, u64)>,
    /// When a report last acknowledged data of the initiator.
    acknowledged: Option<Moment>,
    ended: bool,
    last: Time,
}

#[derive(Clone, Copy, Debug)]
struct Opening {
    begin: Moment,
    sync: u32,
    attempts: u32,
}

impl Association {
    /// An association whose first captured packet is this one.
    pub fn new(captured: &Captured<'_>, packet: &Packet<&[u8]>, out: &mut Sink) -> Association {
        let port = match &packet.body {
            Body::First { address, .. } => address.destination_port().unwrap_or(0),
            _ => 0,
        };
        let (from, to) = (captured.from.address, captured.to.address);
        let flow = out.flow(FlowKey { from, to, service: Service::Xtp(port) });
        let Header { sync, options, .. } = packet.header;
        let opens = matches!(packet.body, Body::First { .. });
        Association {
            flow,
            initiator: captured.from,
            keys: Vec::with_capacity(2),
            half: None,
            directions: [Direction::default(), Direction::default()],
            messages: Messages::new(flow),
            opening: opens.then_some(Opening { begin: out.moment(captured.time), sync, attempts: 0 }),
            began_before: !opens,
            is_multicast: options.contains(Options::MULTI),
            receivers: Vec::new(),
            acknowledged: None,
            ended: false,
            last: captured.time,
        }
    }

    /// Its flow.
    pub fn flow(&self) -> FlowId {
        self.flow
    }

    /// Whether one of its ends has ended it.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Open messages and unacknowledged packets remembered.
    pub fn remembered(&self) -> usize {
        self.messages.count() + self.directions.iter().map(Direction::remembered).sum::<usize>()
    }

    /// The keys of its contexts.
    pub fn keys(&self) -> impl Iterator<Item = ContextKey> {
        self.keys.iter().copied()
    }

    /// Keeps the key of a context; false if both are known.
    pub fn keep_key(&mut self, key: ContextKey) -> bool {
        let room = self.keys.len() < 2 && !self.keys.contains(&key);
        if room {
            self.keys.push(key);
        }
        room
    }

    /// Its hosts, if it began before the capture.
    pub fn half(&self) -> Option<(Host, Host)> {
        self.half
    }

    /// Keeps those hosts.
    pub fn keep_half(&mut self, half: (Host, Host)) {
        self.half = Some(half);
    }

    /// Takes a packet and the number of its user data octets; returns whether the initiator sent it.
    pub fn packet(
        &mut self,
        captured: &Captured<'_>,
        packet: &Packet<&[u8]>,
        octets: u32,
        may_remember: bool,
        out: &mut Sink,
    ) -> bool {
        let forward = captured.from == self.initiator;
        let side = if forward { INITIATOR } else { RESPONDER };
        let (now, header) = (captured.time, &packet.header);
        self.last = now;
        let mut repeated = false;
        if let (Body::First { traffic, .. }, true) = (&packet.body, forward) {
            repeated = self.opened(header.sync, captured, traffic, out);
        }
        if octets > 0 && !self.ended {
            repeated |= self.data(side, now, header, octets, may_remember, out);
        }
        if self.directions[side].requests(now, header, octets > 0) {
            out.count(self.flow, "handshakes", 1);
        }
        if let Some(control) = packet.body.control() {
            self.report(side, captured, control, out);
        }
        let flow = self.flow;
        out.sent(Sent { flow, time: now, forward, l3_bytes: captured.l3_bytes, l4_bytes: octets, repeated });
        match &packet.body {
            Body::TrafficControl { traffic, .. } => note_rate(captured, traffic, out),
            // packets for a context that is not known yet are answered so, and do not end it
            Body::Diagnostic(diagnostic) if diagnostic.code != Code::InvalidContext => {
                self.end(Outcome::Refused, Some(now), out);
            }
            _ if header.options.contains(Options::END) => self.end(Outcome::Unanswered, None, out),
            _ => {}
        }
        forward
    }

    /// The capture, or the association, ends.
    pub fn finish(&mut self, now: Time, out: &mut Sink) {
        let silent = now.since(self.last) >= SILENCE;
        self.end(if silent { Outcome::Unanswered } else { Outcome::Open }, None, out);
    }

    /// FIRST is sent; whether it is a copy of the last one.
    fn opened(&mut self, sync: u32, captured: &Captured<'_>, traffic: &Traffic, out: &mut Sink) -> bool {
        let Some(opening) = &mut self.opening else { return false };
        if opening.attempts > 0 && opening.sync == sync {
            out.count(self.flow, "captured_twice", 1);
            return true;
        }
        (opening.sync, opening.attempts) = (sync, opening.attempts.saturating_add(1));
        if opening.attempts == 1 {
            note_rate(captured, traffic, out);
        }
        false
    }

    /// Data are sent by a side; whether they were sent before.
    fn data(
        &mut self,
        side: usize,
        now: Time,
        header: &Header,
        octets: u32,
        may_remember: bool,
        out: &mut Sink,
    ) -> bool {
        let Some(end) = header.seq.checked_add(octets.into()) else { return false };
        let began_before = self.began_before && self.directions[side].next().is_none();
        let end_of_message = header.options.contains(Options::EOM);
        match self.directions[side].data(now, header, end, may_remember) {
            Sending::New if side == INITIATOR => {
                if !may_remember {
                    self.messages.make_room(out);
                }
                self.messages.data(now, (header.seq, end), end_of_message, began_before, out);
                return false;
            }
            Sending::New => {
                self.messages.answered(out.moment(now), header.seq, octets, end_of_message);
                return false;
            }
            Sending::Copy => out.count(self.flow, "captured_twice", 1),
            Sending::Again(reason) => {
                out.count(self.flow, "retransmissions", 1);
                out.count(self.flow, reason.metric(), 1);
                let messages = &mut self.messages;
                let known = match side {
                    INITIATOR => messages.sent_again(header.seq),
                    _ => messages.answered_again(out.moment(now), header.seq),
                };
                if !known {
                    out.count(self.flow, "retries", 1);
                }
            }
        }
        true
    }

    /// A side reports what it has received of the other.
    fn report(&mut self, side: usize, captured: &Captured<'_>, control: &Control, out: &mut Sink) {
        let now = captured.time;
        if side == RESPONDER
            && let Some(opening) = self.opening.take()
        {
            let took = now.since(opening.begin.time);
            out.sample(self.flow, "connect_time", now, took);
            if opening.attempts == 1 {
                out.sample(self.flow, "handshake_rtt", now, took);
            }
        }
        let control = Control { rseq: self.received_by_all(captured.from, control.rseq), ..*control };
        let (reported, metric) = match side {
            RESPONDER => (INITIATOR, "acknowledgement_rtt/forward"),
            _ => (RESPONDER, "acknowledgement_rtt/return"),
        };
        if let Some(rtt) = self.directions[reported].reported(now, &control) {
            out.sample(self.flow, metric, now, rtt);
        }
        if reported == INITIATOR {
            self.acknowledged = Some(out.moment(now));
            self.messages.acknowledged(out.moment(now), self.directions[INITIATOR].rseq());
        }
    }

    /// The lowest `rseq` that the receivers reported, of multicast. Who never reports is not known.
    fn received_by_all(&mut self, receiver: Host, rseq: u64) -> u64 {
        if !self.is_multicast {
            return rseq;
        }
        match self.receivers.iter().position(|(known, _)| *known == receiver) {
            Some(place) => self.receivers[place].1 = rseq.max(self.receivers[place].1),
            None if self.receivers.len() < RECEIVERS => self.receivers.push((receiver, rseq)),
            None => {}
        }
        self.receivers.iter().map(|(_, rseq)| *rseq).min().unwrap_or(rseq)
    }

    /// The association ends: what is open is reported, with this outcome if it was neither answered nor acknowledged.
    fn end(&mut self, otherwise: Outcome, end: Option<Time>, out: &mut Sink) {
        self.ended = true;
        if let Some(next) = self.directions[INITIATOR].next() {
            self.messages.close(next);
        }
        if let Some(acknowledged) = self.acknowledged {
            self.messages.acknowledged(acknowledged, self.directions[INITIATOR].rseq());
        }
        if let Some(opening) = self.opening.take().filter(|_| self.directions[INITIATOR].next().is_none()) {
            let Opening { begin, attempts, .. } = opening;
            let end = end.map(|end| out.moment(end));
            out.transaction(Transaction { attempts, ..Transaction::of(self.flow, begin, end, otherwise) });
        }
        self.messages.finish(otherwise, end, out);
        self.directions.iter_mut().for_each(Direction::clear);
    }
}

/// States the rate that the sender of a traffic segment accepts, if it is limited.
fn note_rate(captured: &Captured<'_>, traffic: &Traffic, out: &mut Sink) {
    if let Specification::Rates { in_rate, in_burst, .. } = traffic.specification
        && in_rate != UNLIMITED
    {
        let (by, of) = (captured.from.address, captured.to.address);
        out.note(format!("{by} accepts {in_rate} B/s of XTP in bursts of {in_burst} B from {of} (traffic segment)."));
    }
}
