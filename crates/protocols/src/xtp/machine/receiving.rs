//! Received data: delivered, buffered, dropped or skipped.

use super::configuration::{Consumption, ErrorControl};
use super::context::Context;
use super::outcome::{Event, Violation};
use super::output::Output;
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Header, Options};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// Records the end of the peer's stream, if the packet has WCLOSE; no data may lie beyond.
    pub(super) fn note_end(&mut self, header: &Header, end: u64) -> Result<(), Violation> {
        let incoming = &mut self.incoming;
        match incoming.end {
            Some(known) if end > known => return Err(Violation::BeyondEnd),
            Some(known) if header.options.contains(Options::WCLOSE) && end != known => {
                return Err(Violation::BeyondEnd);
            }
            None if header.options.contains(Options::WCLOSE) => {
                if end < incoming.rseq || incoming.reorder.edge().is_some_and(|edge| end < edge) {
                    return Err(Violation::BeyondEnd);
                }
                incoming.end = Some(end);
            }
            _ => {}
        }
        Ok(())
    }

    /// Processes a packet's data; returns whether a gap must be reported at once (FASTNAK).
    pub(super) fn take_data(&mut self, turn: &mut Turn<'_, D, H>, header: &Header, data: D) -> Result<bool, Violation> {
        if self.is_multicast_sender() {
            return Err(Violation::DataToSender);
        }
        let length = data.length() as u64;
        if length == 0 || self.incoming.stopped {
            return Ok(false);
        }
        let (start, end) = (header.seq, header.seq + length);
        if header.options.contains(Options::NOERR) {
            self.skip_to(turn, start);
        }
        let kept = self.incoming.limit(header, &self.configuration).min(end);
        if kept < end {
            turn.report(self.id, Event::BeyondAllocation);
        }
        if kept <= start && end > self.incoming.rseq {
            return Ok(false);
        }
        let end_of_message = header.options.contains(Options::EOM) && kept == end;
        let data = if kept < end && kept > start { data.slice(0, (kept - start) as usize) } else { data };
        if kept <= self.incoming.rseq {
            turn.report(self.id, Event::Duplicate);
        } else if start <= self.incoming.rseq {
            self.take_in_order(turn, start, data, end_of_message);
        } else {
            return Ok(self.take_beyond_gap(turn, header, &data, end_of_message));
        }
        Ok(false)
    }

    fn take_in_order(&mut self, turn: &mut Turn<'_, D, H>, start: u64, data: D, end_of_message: bool) {
        let known = (self.incoming.rseq - start) as usize;
        let data = if known == 0 { data } else { data.slice(known, data.length()) };
        self.deliver(turn, data, end_of_message);
        if !self.incoming.reorder.is_empty() {
            self.deliver_held(turn);
        }
    }

    fn deliver_held(&mut self, turn: &mut Turn<'_, D, H>) {
        while let Some(piece) = self.incoming.reorder.take(self.incoming.rseq) {
            self.deliver(turn, piece.data, piece.end_of_message);
        }
    }

    fn deliver(&mut self, turn: &mut Turn<'_, D, H>, data: D, end_of_message: bool) {
        let seq = self.incoming.rseq;
        self.incoming.rseq += data.length() as u64;
        if self.configuration.consumption == Consumption::AtDelivery {
            self.incoming.dseq = self.incoming.rseq;
        }
        turn.emit(Output::Deliver { context: self.id, seq, data, end_of_message });
    }

    /// Processes data after a gap; returns whether the gap is new and must be reported at once.
    fn take_beyond_gap(&mut self, turn: &mut Turn<'_, D, H>, header: &Header, data: &D, end_of_message: bool) -> bool {
        let incoming = &mut self.incoming;
        let edge = incoming.reorder.edge().unwrap_or(incoming.rseq);
        let full = incoming.reorder.count() >= self.configuration.reorder_packets as usize;
        if self.multicast || self.configuration.error_control == ErrorControl::GoBackN || full {
            turn.report(self.id, Event::DroppedAfterGap);
        } else if incoming.reorder.insert(header.seq, data, end_of_message) {
            turn.report(self.id, Event::OutOfOrder);
        } else {
            turn.report(self.id, Event::Duplicate);
        }
        header.options.contains(Options::FASTNAK) && header.seq > edge
    }

    /// Continues at `sequence`: missing data before it will not be retransmitted (NOERR).
    pub(super) fn skip_to(&mut self, turn: &mut Turn<'_, D, H>, seq: u64) {
        if seq <= self.incoming.rseq {
            return;
        }
        turn.report(self.id, Event::Skipped(seq - self.incoming.rseq));
        let unconsumed = self.incoming.rseq - self.incoming.dseq;
        self.incoming.rseq = seq;
        self.incoming.dseq = seq - unconsumed;
        self.incoming.reorder.clear();
    }

    /// Signals the end of the peer's stream to the user; returns whether it has just ended.
    pub(super) fn end_stream(&mut self, turn: &mut Turn<'_, D, H>) -> bool {
        let incoming = &mut self.incoming;
        let reached = incoming.end.is_some_and(|end| incoming.stopped || incoming.rseq >= end);
        if incoming.ended || !reached {
            return false;
        }
        incoming.ended = true;
        turn.emit(Output::EndOfStream { context: self.id });
        true
    }

    /// The user stops reading.
    pub(super) fn stop_reading(&mut self, turn: &mut Turn<'_, D, H>) {
        if self.incoming.stopped || self.incoming.ended || self.is_multicast_sender() {
            return;
        }
        self.incoming.stopped = true;
        self.incoming.reorder.clear();
        self.end_stream(turn);
        self.report(turn, self.peer);
    }
}
