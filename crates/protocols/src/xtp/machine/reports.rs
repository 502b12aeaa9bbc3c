//! What a sender learns from a report: what is released, what there is room for, what must be sent again.

use super::configuration::{ErrorControl, Rate};
use super::context::{Context, Role};
use super::outcome::Violation;
use super::output::Output;
use super::timers::Timer;
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Control, Header, Key, Options, Span, Specification, Traffic};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// Takes a report with its spans. One that cannot be true changes nothing.
    pub(super) fn take_report(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        from: H,
        header: &Header,
        control: &Control,
        spans: &[Span],
    ) -> Result<(), Violation> {
        self.check_report(control, spans)?;
        let Some(least) = self.least_of_all(from, header, control)? else {
            return Ok(()); // not all receivers have reported yet
        };
        if !self.questions.is_established() {
            self.questions.establish();
            turn.emit(Output::Established { context: self.id });
        }
        self.grant(least.allocation);
        self.release(turn, least.received);
        let wants_more = !header.options.contains(Options::RCLOSE);
        if wants_more {
            self.find_lost(control, spans);
        }
        self.questions_answered(turn, least.echo);
        Ok(())
    }

    fn check_report(&self, control: &Control, spans: &[Span]) -> Result<(), Violation> {
        if control.received > self.outgoing.next {
            return Err(Violation::ReceivedBeyondSent);
        }
        if !self.questions.was_asked(control.echo) {
            return Err(Violation::EchoBeyondAsked);
        }
        let mut held = control.received;
        for span in spans {
            if span.left <= held && !(span.left == held && held > control.received) || span.right <= span.left {
                return Err(Violation::Spans);
            }
            held = span.right;
        }
        if held > self.outgoing.next { Err(Violation::Spans) } else { Ok(()) }
    }

    /// The report itself, or of several receivers what all have reported, once all have.
    fn least_of_all(&mut self, from: H, header: &Header, control: &Control) -> Result<Option<Control>, Violation> {
        let Some(receivers) = &mut self.receivers else {
            // nobody was asked where receivers are not counted
            return Ok((!self.is_multicast_sender()).then_some(*control));
        };
        receivers.note(from, control, header.options.contains(Options::RCLOSE))?;
        let sent = self.outgoing.next;
        Ok(receivers.all().map(|least| Control { received: least.received.min(sent), ..least }))
    }

    fn grant(&mut self, allocation: u64) {
        let outgoing = &mut self.outgoing;
        if !outgoing.granted || allocation > outgoing.allocation {
            (outgoing.allocation, outgoing.granted) = (allocation, true);
            self.questions.waits = 0;
        }
    }

    fn release(&mut self, turn: &mut Turn<'_, D, H>, received: u64) {
        let outgoing = &mut self.outgoing;
        if received < outgoing.unacknowledged {
            return; // an old report
        }
        if received > outgoing.unacknowledged {
            outgoing.repeats = 0;
        }
        outgoing.unacknowledged = received;
        outgoing.store.release(received);
        self.tell_writable(turn);
    }

    /// Tells a user whose write was refused that there is room again.
    pub(super) fn tell_writable(&mut self, turn: &mut Turn<'_, D, H>) {
        let outgoing = &mut self.outgoing;
        let room = outgoing.queued() < u64::from(self.configuration.send_buffer);
        if outgoing.refused_write && room && !outgoing.closing {
            outgoing.refused_write = false;
            turn.emit(Output::Writable { context: self.id });
        }
    }

    /// Finds what must be sent again; in multicast always from the first gap on.
    fn find_lost(&mut self, control: &Control, spans: &[Span]) {
        let goes_back = self.multicast || self.configuration.error_control == ErrorControl::GoBackN;
        let store = &mut self.outgoing.store;
        if goes_back {
            store.go_back(control.received, control.echo);
            return;
        }
        store.hold(spans);
        store.mark_lost(control.echo, spans.last().map_or(control.received, |span| span.right));
    }

    fn questions_answered(&mut self, turn: &mut Turn<'_, D, H>, echo: u32) {
        let newer = self.questions.answer(echo, turn.now);
        if !self.questions.in_handshake() {
            self.timers.stop(Timer::Timeout);
        }
        if newer {
            self.timers.stop(Timer::Wait);
            if self.questions.is_open() {
                self.arm_wait(turn.now);
            }
        }
    }

    /// Takes what a TCNTL grants: the key of the peer's context, and how much it is ready to be sent.
    pub(super) fn take_grant(&mut self, key: Key, traffic: &Traffic) {
        if self.multicast {
            return;
        }
        if let Role::Initiator { peer_key, .. } = &mut self.role {
            *peer_key = peer_key.or(Some(key.plain()));
        }
        self.take_traffic(traffic);
    }

    /// Keeps to what the peer is ready to be sent.
    pub(super) fn take_traffic(&mut self, traffic: &Traffic) {
        if let Specification::Rates { max_data, in_rate, in_burst, .. } = traffic.specification {
            self.outgoing.packet_data = self.outgoing.packet_data.min(max_data.max(1));
            self.outgoing.pace.lower(Rate { bytes_per_second: in_rate, burst: in_burst.max(1) });
        }
    }
}
