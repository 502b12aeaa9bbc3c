//! Questions: WTIMER and the synchronising handshake, CTIMER and the question whether the peer is there, giving up.

use sojourn_core::Time;

use super::context::{Context, Role};
use super::outcome::{Event, Purpose, Reason};
use super::timers::{Timer, after};
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Body, Code, Diagnostic, Header, Options, Packet, Value};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// WTIMER runs anew from `now`.
    #[inline]
    pub(super) fn arm_wait(&mut self, now: Time) {
        let minimum = self.configuration.wait_timer_minimum;
        let wait = self.questions.round_trip.wait(minimum, self.questions.retries);
        self.timers.set(Timer::Wait, after(now, wait));
    }

    /// WTIMER expired: an answer is overdue, or data has waited for room.
    pub(super) fn wait_expired(&mut self, turn: &mut Turn<'_, D, H>) {
        if self.questions.is_open() {
            let repeated = self.questions.in_handshake() || self.is_multicast_sender();
            if repeated && self.questions.retries >= self.configuration.retry_count {
                return self.abandon(turn, Reason::PeerSilent);
            }
            self.questions.retries += u8::from(repeated);
        } else if self.outgoing.has_something() {
            self.questions.waits = self.questions.waits.saturating_add(1);
        } else {
            return;
        }
        turn.report(self.id, Event::Handshake);
        self.question(turn);
    }

    /// CTIMER expired: if nothing was heard in the meantime, the peer is asked whether it is there.
    pub(super) fn silence_expired(&mut self, turn: &mut Turn<'_, D, H>) {
        let silence = self.configuration.context_timer;
        let due = after(self.last_heard, silence);
        if due > turn.now {
            return self.timers.set(Timer::Context, due);
        }
        self.timers.set(Timer::Context, after(turn.now, silence));
        if !self.questions.in_handshake() {
            turn.report(self.id, Event::LivenessQuestion);
            self.question(turn);
        }
    }

    /// Asks for status, so that all sent before is accounted for by the answer. Data waits for it.
    ///
    /// The sender of a multicast association sends again what has not been acknowledged by all. Before the first
    /// answer FIRST itself is the question, since the peer may know nothing of the association.
    fn question(&mut self, turn: &mut Turn<'_, D, H>) {
        if !self.timers.runs(Timer::Timeout) {
            self.timers.set(Timer::Timeout, after(turn.now, self.configuration.context_timeout));
        }
        if self.is_multicast_sender() && !self.outgoing.store.is_empty() {
            self.outgoing.store.lose_all();
            self.arm_wait(turn.now);
            return;
        }
        let sync =
            if self.is_multicast_sender() { self.questions.ask(None) } else { self.questions.ask_in_handshake() };
        self.arm_wait(turn.now);
        if self.questions.is_established() || !self.is_initiator() {
            self.send_control(turn, self.peer, Options::SREQ, sync, Purpose::Question);
        } else {
            self.repeat_first(turn, sync);
        }
    }

    fn repeat_first(&mut self, turn: &mut Turn<'_, D, H>, sync: u32) {
        let Role::Initiator { address, traffic, .. } = self.role else { return };
        let (mut sequence, mut data) = (self.outgoing.next, D::default());
        let mut options = self.options() | Options::SREQ;
        if let Some(front) = self.outgoing.store.front_mut() {
            (front.sync, front.repeated) = (sync, true);
            (sequence, data) = (front.sequence, front.data.clone());
            options = options.with(Options::EOM, front.end_of_message);
        }
        let whole = sequence + data.length() as u64 == self.outgoing.next;
        let options = options.with(Options::WCLOSE, self.outgoing.close_sent && whole);
        self.transmit(turn, options, sync, sequence, Body::First { address, traffic, data }, Purpose::Question);
    }

    /// Gives the association up and tells the peer, should it hear.
    pub(super) fn abandon(&mut self, turn: &mut Turn<'_, D, H>, reason: Reason) {
        if self.is_multicast_sender() {
            self.send_control(turn, self.peer, Options::END, self.questions.sync, Purpose::End);
        } else {
            let body = Body::Diagnostic(Diagnostic::new(Code::Abandoned, Value::Unspecified));
            let header = Header { key: self.peer_key(), sync: self.questions.sync, ..Header::default() };
            turn.transmit(self.peer, Packet { header, body }, Purpose::Diagnostic);
        }
        self.end(turn, reason);
    }

    /// Takes a DIAG of the peer.
    ///
    /// That a context is unknown is believed only of the handshake's question: a complaint may be about a packet that
    /// came before FIRST did. So it makes this end ask, once.
    pub(super) fn take_diagnostic(&mut self, turn: &mut Turn<'_, D, H>, header: &Header, diagnostic: &Diagnostic) {
        if self.is_multicast_sender() {
            return; // a receiver more or less; its silence will tell
        }
        let reason = Reason::Diagnosed(diagnostic.code, diagnostic.value);
        if diagnostic.code != Code::InvalidContext {
            self.end(turn, reason);
        } else if !self.questions.in_handshake() {
            turn.report(self.id, Event::Handshake);
            self.question(turn);
        } else if self.questions.is_of_handshake(header.sync) {
            // where all was delivered, the peer's END was lost and its context forgotten
            let whole = self.incoming.ended && self.outgoing.all_acknowledged();
            self.end(turn, if whole { Reason::Finished } else { reason });
        }
    }
}
