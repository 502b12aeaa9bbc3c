//! The receiving half of a context: what came, what is held, what was consumed.

use super::configuration::{Configuration, Consumption};
use super::held::Held;
use super::sync::is_after;
use crate::StreamData;
use crate::xtp::wire::{Header, Options};

/// What a receiver knows of its peer's stream.
#[derive(Debug)]
pub(super) struct Incoming<D> {
    /// `rseq`: the next byte expected in order.
    pub expected: u64,
    /// `dseq`: the next byte that the user has not consumed.
    pub consumed: u64,
    /// One beyond the last byte there is a posted buffer for.
    posted: u64,
    pub held: Held<D>,
    /// The highest synchronising number seen.
    pub echo: u32,
    /// The peer set RES.
    reservation: bool,
    edge: bool,
    /// Where the peer's stream ends.
    pub end: Option<u64>,
    /// All of it has been delivered, or is not wanted.
    pub ended: bool,
    /// The user accepts no more.
    pub stopped: bool,
    /// Up to where data must be consumed before the peer is to be told (DREQ).
    pub delivery_request: Option<u64>,
}

impl<D: StreamData> Incoming<D> {
    /// A receiver whose first byte has this number.
    pub fn new(first: u64) -> Self {
        Incoming {
            expected: first,
            consumed: first,
            posted: first,
            held: Held::default(),
            echo: 0,
            reservation: false,
            edge: false,
            end: None,
            ended: false,
            stopped: false,
            delivery_request: None,
        }
    }

    /// Notes what every packet says; whether it asks for status at once.
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

    /// The EDGE bit of the packet that opened the association is where toggling begins.
    pub fn begin_edge(&mut self, header: &Header) {
        self.edge = header.options.contains(Options::EDGE);
    }

    /// One beyond the last byte there is room for.
    #[inline]
    pub fn allocation(&self, configuration: &Configuration) -> u64 {
        if self.reservation {
            return self.posted.max(self.expected);
        }
        self.consumed.saturating_add(u64::from(configuration.receive_buffer))
    }

    /// Where data is cut off: beyond the allocation, unless a sender without flow control meets a user who takes
    /// everything at once.
    #[inline]
    pub fn limit(&self, header: &Header, configuration: &Configuration) -> u64 {
        let at_once = configuration.consumption == Consumption::AtDelivery && !self.reservation;
        let in_order = header.sequence <= self.expected;
        if at_once && in_order && header.options.contains(Options::NOFLOW) {
            return u64::MAX;
        }
        self.allocation(configuration)
    }

    /// The user has consumed, or posted room for, so many bytes more.
    pub fn consume(&mut self, bytes: u64) {
        self.consumed = self.consumed.saturating_add(bytes).min(self.expected);
    }

    /// The user has posted room for so many bytes more.
    pub fn post(&mut self, bytes: u64) {
        self.posted = self.posted.saturating_add(bytes);
    }

    /// Whether a request for status at delivery is due; it is then forgotten.
    #[inline]
    pub fn take_delivery_request(&mut self) -> bool {
        let due = self.delivery_request.is_some_and(|upto| upto <= self.consumed);
        if due {
            self.delivery_request = None;
        }
        due
    }
}
