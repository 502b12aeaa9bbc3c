//! Receiving half of a context: sequence numbers, reorder buffer and consumed data.

use super::configuration::{Configuration, Consumption};
use super::reorder_buffer::ReorderBuffer;
use super::sync_state::is_after;
use crate::StreamData;
use crate::xtp::wire::{Header, Options};

/// State of the stream received from the peer.
#[derive(Debug)]
pub(super) struct ReceiveState<D> {
    /// `rseq`: the next byte expected in order.
    pub rseq: u64,
    /// `dseq`: the next byte that the user has not consumed.
    pub dseq: u64,
    /// One above the last byte with a posted buffer (RES).
    posted: u64,
    pub reorder: ReorderBuffer<D>,
    /// `echo`: highest sync number received.
    pub echo: u32,
    /// Whether the peer set RES.
    reservation: bool,
    edge: bool,
    /// End of the peer's stream, once known.
    pub end: Option<u64>,
    /// Whether the stream was delivered completely, or is discarded.
    pub ended: bool,
    /// Whether the user has stopped reading.
    pub stopped: bool,
    /// DREQ: a report is due once the user has consumed up to here.
    pub delivery_request: Option<u64>,
}

impl<D: StreamData> ReceiveState<D> {
    /// A receiver that expects `first`.
    pub fn new(first: u64) -> Self {
        ReceiveState {
            rseq: first,
            dseq: first,
            posted: first,
            reorder: ReorderBuffer::default(),
            echo: 0,
            reservation: false,
            edge: false,
            end: None,
            ended: false,
            stopped: false,
            delivery_request: None,
        }
    }

    /// Processes sync number and options of a packet; returns whether it requests status at once.
    #[inline]
    pub fn note(&mut self, header: &Header) -> bool {
        if is_after(header.sync, self.echo) {
            self.echo = header.sync;
        }
        self.reservation = header.options.contains(Options::RES);
        let edge = header.options.contains(Options::EDGE);
        let toggled = std::mem::replace(&mut self.edge, edge) != edge;
        toggled || header.options.contains(Options::SREQ)
    }

    /// Initializes the EDGE state from the packet that opened the association.
    pub fn begin_edge(&mut self, header: &Header) {
        self.edge = header.options.contains(Options::EDGE);
    }

    /// `alloc`: one above the last byte that the receive buffer accepts.
    #[inline]
    pub fn alloc(&self, configuration: &Configuration) -> u64 {
        if self.reservation {
            return self.posted.max(self.rseq);
        }
        self.dseq.saturating_add(u64::from(configuration.receive_buffer))
    }

    /// Data are dropped from here on: at the allocation, except from a sender without flow control to a user that consumes
    /// data on delivery.
    #[inline]
    pub fn limit(&self, header: &Header, configuration: &Configuration) -> u64 {
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
        let due = self.delivery_request.is_some_and(|upto| upto <= self.dseq);
        if due {
            self.delivery_request = None;
        }
        due
    }
}
