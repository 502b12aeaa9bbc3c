//! Sending half of a context: data written, sent and released.

use std::collections::VecDeque;

use super::configuration::Configuration;
use super::rate_control::RateControl;
use super::store::Store;
use crate::StreamData;

/// State of the stream sent to the peer.
#[derive(Debug)]
pub(super) struct SendState<D> {
    /// `seq`: sequence number of the next byte to send.
    pub seq: u64,
    /// Highest `rseq` reported: lowest byte not acknowledged.
    pub rseq: u64,
    /// Highest `alloc`: one above the last byte that may be sent.
    pub alloc: u64,
    /// Whether the receiver has reported an allocation.
    pub granted: bool,
    pub store: Store<D>,
    unsent: VecDeque<Written<D>>,
    unsent_bytes: u64,
    /// Maximum data bytes of a packet.
    pub max_data: u32,
    pub rate_control: RateControl,
    /// Whether the user has closed the stream.
    pub closing: bool,
    /// Whether WCLOSE was sent.
    pub close_sent: bool,
    /// Whether the peer set RCLOSE.
    pub refused_by_peer: bool,
    /// Whether a write was refused because the send buffer was full.
    pub refused_write: bool,
    /// Retransmissions of the lowest unacknowledged data.
    pub repeats: u8,
    /// Packets since the last status request.
    pub since_request: u32,
    pub edge: bool,
}

#[derive(Debug)]
struct Written<D> {
    data: D,
    sent: usize,
    end_of_message: bool,
}

/// Part of a write that fits one packet.
pub(super) struct Piece<D> {
    pub data: D,
    pub end_of_message: bool,
}

impl<D: StreamData> SendState<D> {
    pub fn new(configuration: &Configuration) -> Self {
        SendState {
            seq: 0,
            rseq: 0,
            alloc: u64::from(configuration.initial_window),
            granted: false,
            store: Store::default(),
            unsent: VecDeque::new(),
            unsent_bytes: 0,
            max_data: configuration.max_data,
            rate_control: RateControl::new(configuration.send_rate),
            closing: false,
            close_sent: false,
            refused_by_peer: false,
            refused_write: false,
            repeats: 0,
            since_request: 0,
            edge: false,
        }
    }

    /// Bytes in the send buffer: written and not released.
    pub fn queued(&self) -> u64 {
        self.unsent_bytes + (self.seq - self.rseq)
    }

    pub fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Whether there is data to send or retransmit.
    pub fn has_something(&self) -> bool {
        !self.unsent.is_empty() || self.store.has_lost()
    }

    /// Whether all data written were sent and acknowledged.
    pub fn all_acknowledged(&self) -> bool {
        self.unsent.is_empty() && self.rseq == self.seq
    }

    /// Whether the stream was closed and acknowledged completely.
    pub fn is_finished(&self) -> bool {
        self.closing && self.refused_by_peer && self.all_acknowledged()
    }

    pub fn write(&mut self, data: D, end_of_message: bool) {
        self.unsent_bytes += data.length() as u64;
        self.unsent.push_back(Written { data, sent: 0, end_of_message });
    }

    /// Length of the next packet, regardless of allocation.
    #[inline]
    pub fn next_length(&self) -> Option<usize> {
        let write = self.unsent.front()?;
        Some((write.data.length() - write.sent).min(self.max_data as usize))
    }

    /// Removes the next `length` bytes to send, which are within one write.
    #[inline]
    pub fn take(&mut self, length: usize) -> Option<Piece<D>> {
        let write = self.unsent.front_mut()?;
        let (start, end) = (write.sent, write.sent + length);
        write.sent = end;
        self.unsent_bytes -= length as u64;
        if end < write.data.length() {
            return Some(Piece { data: write.data.slice(start, end), end_of_message: false });
        }
        let write = self.unsent.pop_front()?;
        let data = if start == 0 { write.data } else { write.data.slice(start, end) };
        Some(Piece { data, end_of_message: write.end_of_message })
    }

    /// Discards all data that are not acknowledged.
    pub fn drop_everything(&mut self) {
        self.store.clear();
        self.unsent = VecDeque::new();
        self.unsent_bytes = 0;
        self.rseq = self.seq;
    }
}
