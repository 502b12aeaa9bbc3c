//! One context: how inputs, packets and timers reach the parts that take them.

use std::sync::Arc;

use sojourn_core::Time;

use super::configuration::Configuration;
use super::incoming::Incoming;
use super::outcome::{Reason, Refusal, Violation};
use super::outgoing::Outgoing;
use super::output::ContextId;
use super::questions::Questions;
use super::receivers::Receivers;
use super::timers::{Timer, Timers, after};
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Address, Body, Header, Key, Options, Packet, Traffic};

/// One end of an association.
#[derive(Debug)]
pub(super) struct Context<D, H> {
    pub id: ContextId,
    pub key: Key,
    /// Where packets go: the peer, or the group.
    pub peer: H,
    pub role: Role,
    pub multicast: bool,
    /// Of the sender of a reliable multicast association.
    pub receivers: Option<Receivers<H>>,
    pub configuration: Arc<Configuration>,
    pub outgoing: Outgoing<D>,
    pub incoming: Incoming<D>,
    pub questions: Questions,
    pub timers: Timers,
    pub last_heard: Time,
    /// How it ended; it then answers late packets until it is forgotten.
    pub ended: Option<Reason>,
    /// When the endpoint will look at its timers next.
    pub scheduled: Time,
    /// It waits for its turn to send.
    pub waiting: bool,
}

/// Who opened the association.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// This end, with FIRST.
    Initiator {
        address: Address,
        traffic: Traffic,
        /// The peer's own key, once it has told.
        peer_key: Option<Key>,
    },
    /// The peer.
    Acceptor {
        /// The key of the peer's context.
        peer_key: Key,
        /// Whether the peer uses the key of this context.
        announced: bool,
    },
}

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    pub fn new(id: ContextId, key: Key, peer: H, role: Role, configuration: Arc<Configuration>, now: Time) -> Self {
        Context {
            id,
            key,
            peer,
            role,
            multicast: false,
            receivers: None,
            outgoing: Outgoing::new(&configuration),
            incoming: Incoming::new(0),
            configuration,
            questions: Questions::default(),
            timers: Timers::STOPPED,
            last_heard: now,
            ended: None,
            scheduled: Time::NEVER,
            waiting: false,
        }
    }

    pub fn is_initiator(&self) -> bool {
        matches!(self.role, Role::Initiator { .. })
    }

    /// Whether it only sends: it opened a multicast association.
    pub fn is_multicast_sender(&self) -> bool {
        self.multicast && self.is_initiator()
    }

    /// Whether it only receives.
    pub fn is_multicast_receiver(&self) -> bool {
        self.multicast && !self.is_initiator()
    }

    /// The key that packets to the peer carry.
    #[inline]
    pub fn peer_key(&self) -> Key {
        match self.role {
            Role::Initiator { peer_key, .. } => peer_key.unwrap_or(self.key),
            Role::Acceptor { peer_key, .. } => peer_key.returned(),
        }
    }

    /// The peer's own key, once it has told.
    #[inline]
    pub fn exchanged_key(&self) -> Option<Key> {
        match self.role {
            Role::Initiator { peer_key, .. } => peer_key,
            Role::Acceptor { .. } => None,
        }
    }

    /// Its place among those that wait to send: by `sort`, those without one last.
    #[inline]
    pub fn priority(&self) -> u32 {
        self.configuration.sort.map_or(u32::MAX, u32::from)
    }

    /// Takes data of the user.
    pub fn write(&mut self, data: D, end_of_message: bool) -> Result<(), Refusal> {
        if self.ended.is_some() || self.outgoing.closing {
            return Err(Refusal::Closed);
        }
        if self.is_multicast_receiver() {
            return Err(Refusal::OneWay);
        }
        if data.length() == 0 {
            return Err(Refusal::Empty);
        }
        if self.outgoing.queued() >= u64::from(self.configuration.send_buffer) {
            self.outgoing.refused_write = true;
            return Err(Refusal::BufferFull);
        }
        self.outgoing.write(data, end_of_message);
        Ok(())
    }

    /// CTIMER runs from now, and from whatever is heard later.
    pub fn watch(&mut self, now: Time) {
        self.last_heard = now;
        self.timers.set(Timer::Context, after(now, self.configuration.context_timer));
    }

    /// Takes a packet. Without `answer` no report is sent for it.
    pub fn receive(&mut self, turn: &mut Turn<'_, D, H>, from: H, packet: Packet<D>, answer: bool) {
        let Packet { header, body } = packet;
        if self.ended.is_some() {
            return self.answer_late(turn, from, &header, &body);
        }
        if from != self.peer && !self.is_multicast_sender() {
            return turn.violation(self.id, Violation::Stranger);
        }
        self.last_heard = turn.now;
        self.note_key(header.key);
        if let Err(violation) = self.take(turn, from, &header, body, answer) {
            turn.violation(self.id, violation);
        }
    }

    /// A peer that uses this context's own key has learnt it.
    #[inline]
    fn note_key(&mut self, key: Key) {
        if let Role::Acceptor { announced, .. } = &mut self.role {
            *announced |= key.plain() == self.key;
        }
    }

    fn take(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        from: H,
        header: &Header,
        body: Body<D>,
        answer: bool,
    ) -> Result<(), Violation> {
        let mut asked = false;
        let length = body.data().map_or(0, |data| data.length() as u64);
        let end = header.sequence.checked_add(length).ok_or(Violation::SequenceRange)?;
        let reported = body.control().is_some();
        if let Body::Diagnostic(diagnostic) = body {
            self.take_diagnostic(turn, header, &diagnostic);
            return Ok(());
        }
        if !self.is_multicast_sender() {
            self.note_end(header, end)?;
        }
        match body {
            Body::Data { data, .. } | Body::First { data, .. } => asked = self.take_data(turn, header, data)?,
            Body::Control(control) => self.take_report(turn, from, header, &control, &[])?,
            Body::ErrorControl(control, spans) => self.take_report(turn, from, header, &control, &spans)?,
            Body::TrafficControl { control, exchange_key, traffic } => {
                self.take_grant(exchange_key, &traffic);
                self.take_report(turn, from, header, &control, &[])?;
            }
            Body::JoinControl { .. } | Body::Diagnostic(_) => return Err(Violation::OutOfPlace),
        }
        if reported && !self.is_multicast_sender() && header.options.contains(Options::NOERR) {
            self.skip_to(turn, header.sequence);
        }
        asked |= self.incoming.note(header);
        if header.options.contains(Options::DREQ) {
            self.incoming.delivery_request = self.incoming.delivery_request.max(Some(end));
        }
        self.after_packet(turn, from, header, reported, asked, answer);
        Ok(())
    }

    /// What follows from a packet as a whole: the end of a stream, a report, the end of the association.
    fn after_packet(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        from: H,
        header: &Header,
        reported: bool,
        mut asked: bool,
        answer: bool,
    ) {
        asked |= self.end_stream(turn);
        if reported && header.options.contains(Options::RCLOSE) {
            self.peer_reads_no_more(turn);
        }
        if header.options.contains(Options::END) && !self.is_multicast_sender() {
            return self.peer_ended(turn);
        }
        if self.is_complete() {
            return self.finish(turn, Reason::Finished);
        }
        asked |= self.incoming.take_delivery_request();
        if asked && answer {
            self.answer(turn, from);
        }
    }

    /// The user has consumed or posted: a report may be due.
    pub fn made_room(&mut self, turn: &mut Turn<'_, D, H>) {
        if self.incoming.take_delivery_request() {
            self.answer(turn, self.peer);
        }
    }

    /// Lets every timer that is due expire; whether the context is to be forgotten.
    pub fn wake(&mut self, turn: &mut Turn<'_, D, H>) -> bool {
        if self.timers.take_due(Timer::Linger, turn.now) {
            return true;
        }
        if self.timers.take_due(Timer::Timeout, turn.now) {
            self.abandon(turn, Reason::PeerSilent);
            return false;
        }
        if self.timers.take_due(Timer::Wait, turn.now) {
            self.wait_expired(turn);
        }
        if self.timers.take_due(Timer::Context, turn.now) {
            self.silence_expired(turn);
        }
        if self.timers.take_due(Timer::Answer, turn.now) {
            self.report(turn, self.peer);
        }
        self.timers.take_due(Timer::Rate, turn.now);
        false
    }
}
