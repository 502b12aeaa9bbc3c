//! Packets received by a context: data, reports, DIAG, and the end of the association by the peer.

use super::Context;
use crate::StreamData;
use crate::xtp::machine::outcome::{Event, Reason, Violation};
use crate::xtp::machine::output::Output;
use crate::xtp::machine::timers::Timer;
use crate::xtp::machine::turn::Turn;
use crate::xtp::wire::{Body, Code, Control, Diagnostic, Header, Options, Packet, Span};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// Processes a packet. Without `answer` no report is sent for it.
    pub fn receive(&mut self, turn: &mut Turn<'_, D, H>, from: H, packet: Packet<D>, answer: bool) {
        let Packet { header, body } = packet;
        if self.is_ended() {
            return self.receive_after_end(turn, from, &header, &body);
        }
        if from != self.association.peer && !self.association.is_multicast_sender() {
            return turn.violation(self.association.id, Violation::WrongHost);
        }
        self.last_received = turn.now;
        self.association.note_key(header.key);
        if let Err(violation) = self.receive_body(turn, from, &header, body, answer) {
            turn.violation(self.association.id, violation);
        }
    }

    fn receive_body(
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
        let to_sender = self.association.is_multicast_sender();
        if let Body::Diagnostic(diagnostic) = body {
            self.receive_diagnostic(turn, header, &diagnostic);
            return Ok(());
        }
        if !to_sender {
            self.receiver.note_end(header, end)?;
        }
        match body {
            Body::Data { data, .. } | Body::First { data, .. } => {
                asked = self.receiver.receive(turn, &self.association, header, data)?;
            }
            Body::Control(control) => self.receive_report(turn, from, header, &control, &[])?,
            Body::ErrorControl(control, spans) => self.receive_report(turn, from, header, &control, &spans)?,
            Body::TrafficControl { control, xkey, traffic } => {
                if !self.association.multicast {
                    self.association.exchange_key(xkey);
                    self.sender.limit(&traffic);
                }
                self.receive_report(turn, from, header, &control, &[])?;
            }
            Body::JoinControl { .. } | Body::Diagnostic(_) => return Err(Violation::OutOfPlace),
        }
        if reported && !to_sender && header.options.contains(Options::NOERR) {
            self.receiver.skip_to(turn, &self.association, header.seq);
        }
        asked |= self.receiver.note(header, end);
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
        asked |= self.receiver.end_stream(turn, &self.association);
        if reported && header.options.contains(Options::RCLOSE) {
            self.peer_stopped_reading(turn);
        }
        if header.options.contains(Options::END) && !self.association.is_multicast_sender() {
            return self.peer_ended(turn);
        }
        if self.is_complete() {
            return self.finish(turn, Reason::Finished);
        }
        asked |= self.receiver.take_delivery_request();
        if asked && answer {
            self.answer(turn, from);
        }
    }

    /// Processes a report with its spans. An invalid one changes nothing.
    fn receive_report(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        from: H,
        header: &Header,
        control: &Control,
        spans: &[Span],
    ) -> Result<(), Violation> {
        self.sender.check_rseq(control.rseq)?;
        self.sync_state.check_echo(control.echo)?;
        self.sender.check_spans(control.rseq, spans)?;
        let closed = header.options.contains(Options::RCLOSE);
        let Some(minimum) = self.minimum_report(from, control, closed)? else {
            return Ok(()); // not all receivers have reported yet
        };
        if self.sync_state.establish() {
            turn.emit(Output::Established { context: self.association.id });
        }
        if self.sender.grant(minimum.alloc) {
            self.sync_state.waits = 0;
        }
        self.sender.release(turn, &self.association, minimum.rseq);
        if !closed {
            self.sender.find_lost(control, spans, self.association.goes_back());
        }
        self.receive_echo(turn, minimum.echo);
        Ok(())
    }

    /// The report, or in multicast the minimum of all receivers' reports.
    fn minimum_report(&mut self, from: H, control: &Control, closed: bool) -> Result<Option<Control>, Violation> {
        let Some(receivers) = &mut self.receivers else {
            // unreliable multicast requests no status
            return Ok((!self.association.is_multicast_sender()).then_some(*control));
        };
        receivers.note(from, control, closed)?;
        let sent = self.sender.seq;
        Ok(receivers.all().map(|minimum| Control { rseq: minimum.rseq.min(sent), ..minimum }))
    }

    fn receive_echo(&mut self, turn: &mut Turn<'_, D, H>, echo: u32) {
        let newer = self.sync_state.on_echo(echo, turn.now);
        if !self.sync_state.in_handshake() {
            self.timers.stop(Timer::Timeout);
        }
        if newer {
            self.timers.stop(Timer::Wait);
            if self.sync_state.has_unanswered() {
                self.start_wait_timer(turn.now, self.sync_state.retries);
            }
        }
    }

    /// Processes a DIAG of the peer.
    ///
    /// "Invalid context" is accepted only in response to the handshake's request, since another packet may have arrived
    /// before FIRST. It makes this end start a handshake, once.
    fn receive_diagnostic(&mut self, turn: &mut Turn<'_, D, H>, header: &Header, diagnostic: &Diagnostic) {
        if self.association.is_multicast_sender() {
            return; // a receiver that is gone leaves status requests unanswered, which ends the association
        }
        let reason = Reason::Diagnosed(diagnostic.code, diagnostic.value);
        if diagnostic.code != Code::InvalidContext {
            self.end(turn, reason);
        } else if !self.sync_state.in_handshake() {
            turn.report(self.association.id, Event::Handshake);
            self.request_status(turn);
        } else if self.sync_state.concerns_handshake(header.sync) {
            // if all was delivered, the peer's END was lost and its context removed
            self.end(turn, if self.all_delivered() { Reason::Finished } else { reason });
        }
    }

    /// The peer set RCLOSE: it has received all data, or its user has stopped reading.
    fn peer_stopped_reading(&mut self, turn: &mut Turn<'_, D, H>) {
        if self.association.multicast || self.sender.peer_closed {
            return;
        }
        self.sender.peer_closed = true;
        if !self.sender.closing || !self.sender.all_acknowledged() {
            turn.report(self.association.id, Event::PeerStoppedReading);
            self.sender.drop_data();
            self.sender.closing = true;
            self.sender.close_sent = false;
        }
    }

    /// The peer set END: its context has ended.
    fn peer_ended(&mut self, turn: &mut Turn<'_, D, H>) {
        let reason = if self.all_delivered() { Reason::Finished } else { Reason::AbortedByPeer };
        if self.association.multicast { self.end(turn, reason) } else { self.finish(turn, reason) }
    }

    fn all_delivered(&self) -> bool {
        self.receiver.ended && self.sender.all_acknowledged()
    }

    /// Answers a packet received after the end with END, unless the peer has ended too.
    fn receive_after_end(&mut self, turn: &mut Turn<'_, D, H>, from: H, header: &Header, body: &Body<D>) {
        let association = &self.association;
        let peer_ended = header.options.contains(Options::END) || matches!(body, Body::Diagnostic(_));
        let known = from == association.peer || association.is_multicast_sender();
        if !peer_ended && !association.is_multicast_receiver() && known {
            self.send_end(turn, from);
        }
    }
}
