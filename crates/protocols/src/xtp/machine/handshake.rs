//! WTIMER and the synchronizing handshake, CTIMER and keep-alive requests, CTIMEOUT.

use sojourn_core::Time;

use super::context::{Context, Role};
use super::outcome::{Event, Purpose, Reason};
use super::timers::{Timer, after};
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Body, Code, Diagnostic, Header, Options, Packet, Value};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// Restarts WTIMER at `now`.
    #[inline]
    pub(super) fn arm_wait(&mut self, now: Time) {
        let minimum = self.configuration.min_wtimer;
        let wait = self.sync_state.round_trip.wait(minimum, self.sync_state.retries);
        self.timers.set(Timer::Wait, after(now, wait));
    }

    /// WTIMER has expired: a report is overdue, or data wait for allocation.
    pub(super) fn wait_expired(&mut self, turn: &mut Turn<'_, D, H>) {
        if self.sync_state.has_unanswered() {
            let repeated = self.sync_state.in_handshake() || self.is_multicast_sender();
            if repeated && self.sync_state.retries >= self.configuration.retry_count {
                return self.abandon(turn, Reason::PeerUnresponsive);
            }
            self.sync_state.retries += u8::from(repeated);
        } else if self.outgoing.has_something() {
            self.sync_state.waits = self.sync_state.waits.saturating_add(1);
        } else {
            return;
        }
        turn.report(self.id, Event::Handshake);
        self.request_status(turn);
    }

    /// CTIMER has expired: requests status if no packet was received in the meantime.
    pub(super) fn context_timer_expired(&mut self, turn: &mut Turn<'_, D, H>) {
        let silence = self.configuration.ctimer;
        let due = after(self.last_received, silence);
        if due > turn.now {
            return self.timers.set(Timer::Context, due);
        }
        self.timers.set(Timer::Context, after(turn.now, silence));
        if !self.sync_state.in_handshake() {
            turn.report(self.id, Event::LivenessProbe);
            self.request_status(turn);
        }
    }

    /// Sends a status request whose report accounts for all data sent before it. Data wait for the report.
    ///
    /// The sender of a multicast association retransmits what not all receivers have acknowledged. Before the first
    /// report FIRST itself is the request, since the peer may not know the association.
    fn request_status(&mut self, turn: &mut Turn<'_, D, H>) {
        if !self.timers.runs(Timer::Timeout) {
            self.timers.set(Timer::Timeout, after(turn.now, self.configuration.ctimeout));
        }
        if self.is_multicast_sender() && !self.outgoing.store.is_empty() {
            self.outgoing.store.lose_all();
            self.arm_wait(turn.now);
            return;
        }
        let sync = if self.is_multicast_sender() {
            self.sync_state.next_sync(None)
        } else {
            self.sync_state.start_handshake()
        };
        self.arm_wait(turn.now);
        if self.sync_state.is_established() || !self.is_initiator() {
            self.send_control(turn, self.peer, Options::SREQ, sync, Purpose::StatusRequest);
        } else {
            self.repeat_first(turn, sync);
        }
    }

    fn repeat_first(&mut self, turn: &mut Turn<'_, D, H>, sync: u32) {
        let Role::Initiator { address, traffic, .. } = self.role else { return };
        let (mut seq, mut data) = (self.outgoing.seq, D::default());
        let mut options = self.options() | Options::SREQ;
        if let Some(front) = self.outgoing.store.front_mut() {
            (front.sync, front.repeated) = (sync, true);
            (seq, data) = (front.seq, front.data.clone());
            options = options.with(Options::EOM, front.end_of_message);
        }
        let whole = seq + data.length() as u64 == self.outgoing.seq;
        let options = options.with(Options::WCLOSE, self.outgoing.close_sent && whole);
        self.transmit(turn, options, sync, seq, Body::First { address, traffic, data }, Purpose::StatusRequest);
    }

    /// Abandons the association and notifies the peer.
    pub(super) fn abandon(&mut self, turn: &mut Turn<'_, D, H>, reason: Reason) {
        if self.is_multicast_sender() {
            self.send_control(turn, self.peer, Options::END, self.sync_state.sync, Purpose::End);
        } else {
            let body = Body::Diagnostic(Diagnostic::new(Code::Abandoned, Value::Unspecified));
            let header = Header { key: self.peer_key(), sync: self.sync_state.sync, ..Header::default() };
            turn.transmit(self.peer, Packet { header, body }, Purpose::Diagnostic);
        }
        self.end(turn, reason);
    }

    /// Processes a DIAG of the peer.
    ///
    /// "Invalid context" is accepted only in response to the handshake's request, since another packet may have arrived
    /// before FIRST. It makes this end start a handshake, once.
    pub(super) fn take_diagnostic(&mut self, turn: &mut Turn<'_, D, H>, header: &Header, diagnostic: &Diagnostic) {
        if self.is_multicast_sender() {
            return; // a receiver that is gone leaves status requests unanswered, which ends the association
        }
        let reason = Reason::Diagnosed(diagnostic.code, diagnostic.value);
        if diagnostic.code != Code::InvalidContext {
            self.end(turn, reason);
        } else if !self.sync_state.in_handshake() {
            turn.report(self.id, Event::Handshake);
            self.request_status(turn);
        } else if self.sync_state.concerns_handshake(header.sync) {
            // if all was delivered, the peer's END was lost and its context removed
            let whole = self.incoming.ended && self.outgoing.all_acknowledged();
            self.end(turn, if whole { Reason::Finished } else { reason });
        }
    }
}
