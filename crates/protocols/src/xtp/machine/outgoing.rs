//! The sending half of a context: what is written, sent and released.

use std::collections::VecDeque;

use super::configuration::Configuration;
use super::pace::Pace;
use super::store::Store;
use crate::StreamData;

/// What a sender knows of its stream.
#[derive(Debug)]
pub(super) struct Outgoing<D> {
    /// Of the next byte that has not been sent.
    pub next: u64,
    /// The lowest byte not acknowledged.
    pub unacknowledged: u64,
    /// One beyond the last byte the receiver has room for.
    pub allocation: u64,
    /// Whether the receiver itself has said so.
    pub granted: bool,
    pub store: Store<D>,
    unsent: VecDeque<Written<D>>,
    unsent_bytes: u64,
    /// The most data of one packet.
    pub packet_data: u32,
    pub pace: Pace,
    /// The user writes no more.
    pub closing: bool,
    /// WCLOSE has been sent.
    pub close_sent: bool,
    /// The peer accepts no more.
    pub refused_by_peer: bool,
    /// A write was refused for want of room.
    pub refused_write: bool,
    /// How often the first unacknowledged data has been sent again.
    pub repeats: u8,
    /// Packets since the last that asked for status.
    pub since_request: u32,
    pub edge: bool,
}

#[derive(Debug)]
struct Written<D> {
    data: D,
    sent: usize,
    end_of_message: bool,
}

/// A piece of a write, as long as one packet.
pub(super) struct Piece<D> {
    pub data: D,
    pub end_of_message: bool,
}

impl<D: StreamData> Outgoing<D> {
    pub fn new(configuration: &Configuration) -> Self {
        Outgoing {
            next: 0,
            unacknowledged: 0,
            allocation: u64::from(configuration.initial_window),
            granted: false,
            store: Store::default(),
            unsent: VecDeque::new(),
            unsent_bytes: 0,
            packet_data: configuration.packet_data,
            pace: Pace::new(configuration.send_rate),
            closing: false,
            close_sent: false,
            refused_by_peer: false,
            refused_write: false,
            repeats: 0,
            since_request: 0,
            edge: false,
        }
    }

    /// Bytes written and not released.
    pub fn queued(&self) -> u64 {
        self.unsent_bytes + (self.next - self.unacknowledged)
    }

    pub fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Whether there is anything to send, for the first time or again.
    pub fn has_something(&self) -> bool {
        !self.unsent.is_empty() || self.store.has_lost()
    }

    /// Everything written has been sent and acknowledged.
    pub fn all_acknowledged(&self) -> bool {
        self.unsent.is_empty() && self.unacknowledged == self.next
    }

    /// The stream has ended, and the peer has taken all of it.
    pub fn is_finished(&self) -> bool {
        self.closing && self.refused_by_peer && self.all_acknowledged()
    }

    pub fn write(&mut self, data: D, end_of_message: bool) {
        self.unsent_bytes += data.length() as u64;
        self.unsent.push_back(Written { data, sent: 0, end_of_message });
    }

    /// How long the next packet would be, were there room.
    #[inline]
    pub fn next_length(&self) -> Option<usize> {
        let write = self.unsent.front()?;
        Some((write.data.length() - write.sent).min(self.packet_data as usize))
    }

    /// The next `length` bytes to send, which are within one write.
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

    /// Forgets all that has not been acknowledged.
    pub fn drop_everything(&mut self) {
        self.store.clear();
        self.unsent = VecDeque::new();
        self.unsent_bytes = 0;
        self.unacknowledged = self.next;
    }
}
