//! End of an association: graceful close, abort, or by the peer.

use super::configuration::{ErrorControl, Requests};
use super::context::Context;
use super::outcome::{Event, Purpose, Reason};
use super::output::Output;
use super::timers::{Timer, Timers, after};
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Body, Header, Options};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// The user has closed its stream.
    pub(super) fn close(&mut self) {
        self.outgoing.closing = true;
    }

    /// Sends WCLOSE once all data have been sent.
    pub(super) fn send_close(&mut self, turn: &mut Turn<'_, D, H>) {
        let outgoing = &self.outgoing;
        if !outgoing.closing || outgoing.close_sent || outgoing.has_unsent() || self.is_multicast_receiver() {
            return;
        }
        self.outgoing.close_sent = true;
        if self.expects_nothing() {
            return self.finish(turn, Reason::Finished);
        }
        let sync = self.sync_state.next_sync(Some(turn.now));
        if !self.timers.runs(Timer::Wait) {
            self.arm_wait(turn.now);
        }
        self.send_control(turn, self.peer, Options::SREQ, sync, Purpose::StatusRequest);
    }

    /// Whether this end neither retransmits nor requests status, and so can end once all data are sent.
    fn expects_nothing(&self) -> bool {
        self.configuration.error_control == ErrorControl::None && self.configuration.requests == Requests::Never
    }

    /// Whether both streams have ended and been delivered completely.
    pub(super) fn is_complete(&self) -> bool {
        match &self.receivers {
            Some(receivers) => self.outgoing.close_sent && self.outgoing.all_acknowledged() && receivers.all_closed(),
            None => self.incoming.ended && self.outgoing.close_sent && self.outgoing.is_finished(),
        }
    }

    /// The peer set RCLOSE: it has received all data, or its user has stopped reading.
    pub(super) fn peer_reads_no_more(&mut self, turn: &mut Turn<'_, D, H>) {
        if self.multicast || self.outgoing.refused_by_peer {
            return;
        }
        self.outgoing.refused_by_peer = true;
        if !self.outgoing.closing || !self.outgoing.all_acknowledged() {
            turn.report(self.id, Event::PeerStoppedReading);
            self.outgoing.drop_everything();
            self.outgoing.closing = true;
            self.outgoing.close_sent = false;
        }
    }

    /// The peer set END: its context has ended.
    pub(super) fn peer_ended(&mut self, turn: &mut Turn<'_, D, H>) {
        let whole = self.incoming.ended && self.outgoing.all_acknowledged();
        let reason = if whole { Reason::Finished } else { Reason::AbortedByPeer };
        if self.multicast { self.end(turn, reason) } else { self.finish(turn, reason) }
    }

    /// Ends the association and notifies the peer.
    pub(super) fn finish(&mut self, turn: &mut Turn<'_, D, H>, reason: Reason) {
        let options = Options::END | Options::RCLOSE;
        self.send_control(turn, self.peer, options, self.sync_state.sync, Purpose::End);
        self.end(turn, reason);
    }

    /// Ends the association. The context lingers to answer late packets.
    pub(super) fn end(&mut self, turn: &mut Turn<'_, D, H>, reason: Reason) {
        self.outgoing.drop_everything();
        self.incoming.reorder.clear();
        self.timers = Timers::STOPPED;
        self.timers.set(Timer::Linger, after(turn.now, self.configuration.linger));
        self.ended = Some(reason);
        turn.emit(Output::Closed { context: self.id, reason });
    }

    /// Answers a packet received after the end with END, unless the peer has ended too.
    pub(super) fn answer_late(&mut self, turn: &mut Turn<'_, D, H>, to: H, header: &Header, body: &Body<D>) {
        let ended = header.options.contains(Options::END) || matches!(body, Body::Diagnostic(_));
        if !ended && !self.is_multicast_receiver() && (to == self.peer || self.is_multicast_sender()) {
            let options = Options::END | Options::RCLOSE;
            self.send_control(turn, to, options, self.sync_state.sync, Purpose::End);
        }
    }
}
