//! Control packets that a sender processes: release, allocation and retransmission.

use super::configuration::{ErrorControl, Rate};
use super::context::{Context, Role};
use super::outcome::Violation;
use super::output::Output;
use super::timers::Timer;
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Control, Header, Key, Options, Span, Specification, Traffic};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// Processes a report with its spans. An invalid one changes nothing.
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
        if !self.sync_state.is_established() {
            self.sync_state.establish();
            turn.emit(Output::Established { context: self.id });
        }
        self.grant(least.alloc);
        self.release(turn, least.rseq);
        let wants_more = !header.options.contains(Options::RCLOSE);
        if wants_more {
            self.find_lost(control, spans);
        }
        self.questions_answered(turn, least.echo);
        Ok(())
    }

    fn check_report(&self, control: &Control, spans: &[Span]) -> Result<(), Violation> {
        if control.rseq > self.outgoing.seq {
            return Err(Violation::RseqBeyondSeq);
        }
        if !self.sync_state.was_sent(control.echo) {
            return Err(Violation::EchoBeyondSync);
        }
        let mut held = control.rseq;
        for span in spans {
            if span.left <= held && !(span.left == held && held > control.rseq) || span.right <= span.left {
                return Err(Violation::Spans);
            }
            held = span.right;
        }
        if held > self.outgoing.seq { Err(Violation::Spans) } else { Ok(()) }
    }

    /// The report, or in multicast the minimum of all receivers' reports.
    fn least_of_all(&mut self, from: H, header: &Header, control: &Control) -> Result<Option<Control>, Violation> {
        let Some(receivers) = &mut self.receivers else {
            // unreliable multicast requests no status
            return Ok((!self.is_multicast_sender()).then_some(*control));
        };
        receivers.note(from, control, header.options.contains(Options::RCLOSE))?;
        let sent = self.outgoing.seq;
        Ok(receivers.all().map(|least| Control { rseq: least.rseq.min(sent), ..least }))
    }

    fn grant(&mut self, alloc: u64) {
        let outgoing = &mut self.outgoing;
        if !outgoing.granted || alloc > outgoing.alloc {
            (outgoing.alloc, outgoing.granted) = (alloc, true);
            self.sync_state.waits = 0;
        }
    }

    fn release(&mut self, turn: &mut Turn<'_, D, H>, rseq: u64) {
        let outgoing = &mut self.outgoing;
        if rseq < outgoing.rseq {
            return; // an old report
        }
        if rseq > outgoing.rseq {
            outgoing.repeats = 0;
        }
        outgoing.rseq = rseq;
        outgoing.store.release(rseq);
        self.signal_writable(turn);
    }

    /// Signals free send buffer space after a refused write.
    pub(super) fn signal_writable(&mut self, turn: &mut Turn<'_, D, H>) {
        let outgoing = &mut self.outgoing;
        let room = outgoing.queued() < u64::from(self.configuration.send_buffer);
        if outgoing.refused_write && room && !outgoing.closing {
            outgoing.refused_write = false;
            turn.emit(Output::Writable { context: self.id });
        }
    }

    /// Determines what to retransmit; in multicast always from the first gap on.
    fn find_lost(&mut self, control: &Control, spans: &[Span]) {
        let goes_back = self.multicast || self.configuration.error_control == ErrorControl::GoBackN;
        let store = &mut self.outgoing.store;
        if goes_back {
            store.go_back(control.rseq, control.echo);
            return;
        }
        store.hold(spans);
        store.mark_lost(control.echo, spans.last().map_or(control.rseq, |span| span.right));
    }

    fn questions_answered(&mut self, turn: &mut Turn<'_, D, H>, echo: u32) {
        let newer = self.sync_state.on_echo(echo, turn.now);
        if !self.sync_state.in_handshake() {
            self.timers.stop(Timer::Timeout);
        }
        if newer {
            self.timers.stop(Timer::Wait);
            if self.sync_state.has_unanswered() {
                self.arm_wait(turn.now);
            }
        }
    }

    /// Processes a TCNTL: the key of the peer's context, and the traffic it accepts.
    pub(super) fn take_grant(&mut self, key: Key, traffic: &Traffic) {
        if self.multicast {
            return;
        }
        if let Role::Initiator { peer_key, .. } = &mut self.role {
            *peer_key = peer_key.or(Some(key.plain()));
        }
        self.take_traffic(traffic);
    }

    /// Applies the limits of the peer's traffic segment.
    pub(super) fn take_traffic(&mut self, traffic: &Traffic) {
        if let Specification::Rates { max_data, in_rate, in_burst, .. } = traffic.specification {
            self.outgoing.max_data = self.outgoing.max_data.min(max_data.max(1));
            self.outgoing.rate_control.lower(Rate { bytes_per_second: in_rate, burst: in_burst.max(1) });
        }
    }
}
