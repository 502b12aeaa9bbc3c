//! A context: dispatch of inputs, packets and timers to its parts.

use std::sync::Arc;

use sojourn_core::Time;

use super::configuration::Configuration;
use super::outcome::{Reason, Refusal, Violation};
use super::output::ContextId;
use super::receive_state::ReceiveState;
use super::receivers::Receivers;
use super::send_state::SendState;
use super::sync_state::SyncState;
use super::timers::{Timer, Timers, after};
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Address, Body, Header, Key, Options, Packet, Traffic};

/// Context: one end of an association.
#[derive(Debug)]
pub(super) struct Context<D, H> {
    pub id: ContextId,
    pub key: Key,
    /// Destination of packets: the peer or the group.
    pub peer: H,
    pub role: Role,
    pub multicast: bool,
    /// Receivers of a reliable multicast association, at its sender.
    pub receivers: Option<Receivers<H>>,
    pub configuration: Arc<Configuration>,
    pub outgoing: SendState<D>,
    pub incoming: ReceiveState<D>,
    pub sync_state: SyncState,
    pub timers: Timers,
    pub last_received: Time,
    /// Why it ended; it then answers late packets until it is removed.
    pub ended: Option<Reason>,
    /// When the endpoint is scheduled to process its timers.
    pub scheduled: Time,
    /// Whether it is queued to send.
    pub waiting: bool,
}

/// Role of this end: which end opened the association.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// This end opened the association with FIRST.
    Initiator {
        address: Address,
        traffic: Traffic,
        /// Key of the peer's context, once exchanged (TCNTL).
        peer_key: Option<Key>,
    },
    /// The peer opened the association.
    Acceptor {
        /// Key of the peer's context, from FIRST.
        peer_key: Key,
        /// Whether the peer uses this context's key.
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
            outgoing: SendState::new(&configuration),
            incoming: ReceiveState::new(0),
            configuration,
            sync_state: SyncState::default(),
            timers: Timers::STOPPED,
            last_received: now,
            ended: None,
            scheduled: Time::NEVER,
            waiting: false,
        }
    }

    pub fn is_initiator(&self) -> bool {
        matches!(self.role, Role::Initiator { .. })
    }

    /// Whether it is the sender of a multicast association.
    pub fn is_multicast_sender(&self) -> bool {
        self.multicast && self.is_initiator()
    }

    /// Whether it is a receiver of a multicast association.
    pub fn is_multicast_receiver(&self) -> bool {
        self.multicast && !self.is_initiator()
    }

    /// Key of packets to the peer.
    #[inline]
    pub fn peer_key(&self) -> Key {
        match self.role {
            Role::Initiator { peer_key, .. } => peer_key.unwrap_or(self.key),
            Role::Acceptor { peer_key, .. } => peer_key.returned(),
        }
    }

    /// Key of the peer's context, once exchanged.
    #[inline]
    pub fn exchanged_key(&self) -> Option<Key> {
        match self.role {
            Role::Initiator { peer_key, .. } => peer_key,
            Role::Acceptor { .. } => None,
        }
    }

    /// Priority among contexts ready to send: `sort`, without one last.
    #[inline]
    pub fn priority(&self) -> u32 {
        self.configuration.sort.map_or(u32::MAX, u32::from)
    }

    /// Accepts data of the user.
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

    /// Starts CTIMER; each packet received restarts it.
    pub fn start_context_timer(&mut self, now: Time) {
        self.last_received = now;
        self.timers.set(Timer::Context, after(now, self.configuration.ctimer));
    }

    /// Processes a packet. Without `answer` no report is sent for it.
    pub fn receive(&mut self, turn: &mut Turn<'_, D, H>, from: H, packet: Packet<D>, answer: bool) {
        let Packet { header, body } = packet;
        if self.ended.is_some() {
            return self.answer_late(turn, from, &header, &body);
        }
        if from != self.peer && !self.is_multicast_sender() {
            return turn.violation(self.id, Violation::WrongHost);
        }
        self.last_received = turn.now;
        self.note_key(header.key);
        if let Err(violation) = self.take(turn, from, &header, body, answer) {
            turn.violation(self.id, violation);
        }
    }

    /// Records whether the peer uses this context's key.
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
        let end = header.seq.checked_add(length).ok_or(Violation::SequenceRange)?;
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
            Body::TrafficControl { control, xkey, traffic } => {
                self.take_grant(xkey, &traffic);
                self.take_report(turn, from, header, &control, &[])?;
            }
            Body::JoinControl { .. } | Body::Diagnostic(_) => return Err(Violation::OutOfPlace),
        }
        if reported && !self.is_multicast_sender() && header.options.contains(Options::NOERR) {
            self.skip_to(turn, header.seq);
        }
        asked |= self.incoming.note(header);
        if header.options.contains(Options::DREQ) {
            self.incoming.delivery_request = self.incoming.delivery_request.max(Some(end));
        }
        self.after_packet(turn, from, header, reported, asked, answer);
        Ok(())
    }

    /// Actions after a packet: end of a stream, report, end of the association.
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

    /// The user has consumed data or posted a buffer: a report may be due.
    pub fn made_room(&mut self, turn: &mut Turn<'_, D, H>) {
        if self.incoming.take_delivery_request() {
            self.answer(turn, self.peer);
        }
    }

    /// Processes all timers due; returns whether the context is to be removed.
    pub fn wake(&mut self, turn: &mut Turn<'_, D, H>) -> bool {
        if self.timers.take_due(Timer::Linger, turn.now) {
            return true;
        }
        if self.timers.take_due(Timer::Timeout, turn.now) {
            self.abandon(turn, Reason::PeerUnresponsive);
            return false;
        }
        if self.timers.take_due(Timer::Wait, turn.now) {
            self.wait_expired(turn);
        }
        if self.timers.take_due(Timer::Context, turn.now) {
            self.context_timer_expired(turn);
        }
        if self.timers.take_due(Timer::Answer, turn.now) {
            self.report(turn, self.peer);
        }
        self.timers.take_due(Timer::Rate, turn.now);
        false
    }
}
