//! Receiving half of a context: data delivered, buffered, dropped or skipped, and what its reports contain.

use super::association::Association;
use super::configuration::{Configuration, Consumption};
use super::outcome::{Event, Violation};
use super::output::Output;
use super::reorder_buffer::ReorderBuffer;
use super::sync_number::is_after;
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Control, Header, Options, Span};

/// State of the stream received from the peer.
#[derive(Clone, Debug)]
pub(super) struct Receiver<D> {
    /// `rseq`: the next byte expected in order.
    rseq: u64,
    /// `dseq`: the next byte that the user has not consumed.
    dseq: u64,
    /// One above the last byte with a posted buffer (RES).
    posted: u64,
    reorder: ReorderBuffer<D>,
    /// `echo`: highest sync number received.
    echo: u32,
    /// Whether the peer set RES.
    reservation: bool,
    edge: bool,
    /// End of the peer's stream, once known.
    end: Option<u64>,
    /// Whether the stream was delivered completely, or is discarded.
    pub ended: bool,
    /// Whether the user has stopped reading.
    stopped: bool,
    /// DREQ: a report is due once the user has consumed up to here.
    delivery_request: Option<u64>,
}

impl<D: StreamData> Receiver<D> {
    /// A receiver that expects `first`, from a peer that has sent EDGE as `edge`.
    pub fn new(first: u64, edge: bool) -> Self {
        Receiver {
            rseq: first,
            dseq: first,
            posted: first,
            reorder: ReorderBuffer::default(),
            echo: 0,
            reservation: false,
            edge,
            end: None,
            ended: false,
            stopped: false,
            delivery_request: None,
        }
    }

    /// Processes sync number and options of a packet whose data end at `end`; returns whether it requests status at once.
    #[inline]
    pub fn note(&mut self, header: &Header, end: u64) -> bool {
        if is_after(header.sync, self.echo) {
            self.echo = header.sync;
        }
        self.reservation = header.options.contains(Options::RES);
        let edge = header.options.contains(Options::EDGE);
        let toggled = std::mem::replace(&mut self.edge, edge) != edge;
        if header.options.contains(Options::DREQ) {
            self.delivery_request = self.delivery_request.max(Some(end));
        }
        toggled || header.options.contains(Options::SREQ)
    }

    /// Records the end of the peer's stream, if the packet has WCLOSE; no data may lie beyond.
    #[inline]
    pub fn note_end(&mut self, header: &Header, end: u64) -> Result<(), Violation> {
        let closes = header.options.contains(Options::WCLOSE);
        match self.end {
            Some(known) if end > known || closes && end != known => return Err(Violation::BeyondEnd),
            None if closes => {
                if end < self.rseq || self.reorder.edge().is_some_and(|edge| end < edge) {
                    return Err(Violation::BeyondEnd);
                }
                self.end = Some(end);
            }
            _ => {}
        }
        Ok(())
    }

    /// Processes a packet's data; returns whether a gap must be reported at once (FASTNAK).
    pub fn receive<H>(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        association: &Association<H>,
        header: &Header,
        data: D,
    ) -> Result<bool, Violation> {
        if association.is_multicast_sender() {
            return Err(Violation::DataToSender);
        }
        let length = data.length() as u64;
        if length == 0 || self.stopped {
            return Ok(false);
        }
        let (start, end) = (header.seq, header.seq + length);
        if header.options.contains(Options::NOERR) {
            self.skip_to(turn, association, start);
        }
        let kept = self.limit(header, &association.configuration).min(end);
        if kept < end {
            turn.report(association.id, Event::BeyondAllocation);
        }
        if kept <= start && end > self.rseq {
            return Ok(false);
        }
        let end_of_message = header.options.contains(Options::EOM) && kept == end;
        let data = if kept < end && kept > start { data.slice(0, (kept - start) as usize) } else { data };
        if kept <= self.rseq {
            turn.report(association.id, Event::Duplicate);
        } else if start <= self.rseq {
            self.receive_in_order(turn, association, start, data, end_of_message);
        } else {
            return Ok(self.receive_after_gap(turn, association, header, &data, end_of_message));
        }
        Ok(false)
    }

    fn receive_in_order<H>(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        association: &Association<H>,
        start: u64,
        data: D,
        end_of_message: bool,
    ) {
        let known = (self.rseq - start) as usize;
        let data = if known == 0 { data } else { data.slice(known, data.length()) };
        self.deliver(turn, association, data, end_of_message);
        if !self.reorder.is_empty() {
            self.deliver_buffered(turn, association);
        }
    }

    /// Delivers the out-of-order data that are in order now.
    #[cold]
    fn deliver_buffered<H>(&mut self, turn: &mut Turn<'_, D, H>, association: &Association<H>) {
        while let Some(piece) = self.reorder.take(self.rseq) {
            self.deliver(turn, association, piece.data, piece.end_of_message);
        }
    }

    #[inline]
    fn deliver<H>(&mut self, turn: &mut Turn<'_, D, H>, association: &Association<H>, data: D, end_of_message: bool) {
        let seq = self.rseq;
        self.rseq += data.length() as u64;
        if association.configuration.consumption == Consumption::AtDelivery {
            self.dseq = self.rseq;
        }
        turn.emit(Output::Deliver { context: association.id, seq, data, end_of_message });
    }

    /// Processes data after a gap; returns whether the gap is new and must be reported at once.
    fn receive_after_gap<H>(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        association: &Association<H>,
        header: &Header,
        data: &D,
        end_of_message: bool,
    ) -> bool {
        let edge = self.reorder.edge().unwrap_or(self.rseq);
        let full = self.reorder.count() >= association.configuration.reorder_packets as usize;
        let event = if association.goes_back() || full {
            Event::DroppedAfterGap
        } else if self.reorder.insert(header.seq, data, end_of_message) {
            Event::OutOfOrder
        } else {
            Event::Duplicate
        };
        turn.report(association.id, event);
        header.options.contains(Options::FASTNAK) && header.seq > edge
    }

    /// Continues at `seq`: missing data before it will not be retransmitted (NOERR).
    pub fn skip_to<H>(&mut self, turn: &mut Turn<'_, D, H>, association: &Association<H>, seq: u64) {
        if seq <= self.rseq {
            return;
        }
        turn.report(association.id, Event::Skipped(seq - self.rseq));
        let unconsumed = self.rseq - self.dseq;
        self.rseq = seq;
        self.dseq = seq - unconsumed;
        self.reorder.clear();
    }

    /// Signals the end of the peer's stream to the user; returns whether it has just ended.
    #[inline]
    pub fn end_stream<H>(&mut self, turn: &mut Turn<'_, D, H>, association: &Association<H>) -> bool {
        let reached = self.end.is_some_and(|end| self.stopped || self.rseq >= end);
        if self.ended || !reached {
            return false;
        }
        self.ended = true;
        turn.emit(Output::EndOfStream { context: association.id });
        true
    }

    /// The user stops reading; returns whether it had not before.
    pub fn stop<H>(&mut self, turn: &mut Turn<'_, D, H>, association: &Association<H>) -> bool {
        if self.stopped || self.ended || association.is_multicast_sender() {
            return false;
        }
        self.stopped = true;
        self.drop_data();
        self.end_stream(turn, association);
        true
    }

    /// Discards out-of-order data.
    pub fn drop_data(&mut self) {
        self.reorder.clear();
    }

    /// RCLOSE: whether further data are not accepted.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.ended || self.stopped
    }

    /// Contents of a report.
    #[inline]
    pub fn control(&self, configuration: &Configuration) -> Control {
        Control { rseq: self.rseq, alloc: self.alloc(configuration), echo: self.echo }
    }

    /// Spans of a report, sorted.
    #[inline]
    pub fn spans(&self) -> &[Span] {
        self.reorder.spans()
    }

    /// `alloc`: one above the last byte that the receive buffer accepts.
    #[inline]
    fn alloc(&self, configuration: &Configuration) -> u64 {
        if self.reservation {
            return self.posted.max(self.rseq);
        }
        self.dseq.saturating_add(u64::from(configuration.receive_buffer))
    }

    /// Data are dropped from here on: at the allocation, except from a sender without flow control to a user that consumes
    /// data on delivery.
    #[inline]
    fn limit(&self, header: &Header, configuration: &Configuration) -> u64 {
        let at_once = configuration.consumption == Consumption::AtDelivery && !self.reservation;
        let in_order = header.seq <= self.rseq;
        if at_once && in_order && header.options.contains(Options::NOFLOW) {
            return u64::MAX;
        }
        self.alloc(configuration)
    }

    /// The user has consumed `bytes`.
    pub fn consume(&mut self, bytes: u64) {
        self.dseq = self.dseq.saturating_add(bytes).min(self.rseq);
    }

    /// The user has posted a buffer of `bytes`.
    pub fn post(&mut self, bytes: u64) {
        self.posted = self.posted.saturating_add(bytes);
    }

    /// Whether a DREQ is satisfied; clears it.
    #[inline]
    pub fn take_delivery_request(&mut self) -> bool {
        self.delivery_request.take_if(|upto| *upto <= self.dseq).is_some()
    }
}
