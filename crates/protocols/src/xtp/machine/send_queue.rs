//! Data written by the user and not yet sent.

use std::collections::VecDeque;

use crate::StreamData;

/// Writes in the order of their transmission.
#[derive(Clone, Debug)]
pub(super) struct SendQueue<D> {
    writes: VecDeque<Write<D>>,
    bytes: u64,
}

#[derive(Clone, Debug)]
struct Write<D> {
    data: D,
    sent: usize,
    end_of_message: bool,
}

/// Part of a write that fits one packet.
pub(super) struct Piece<D> {
    pub data: D,
    pub end_of_message: bool,
}

impl<D: StreamData> SendQueue<D> {
    pub const fn new() -> Self {
        SendQueue { writes: VecDeque::new(), bytes: 0 }
    }

    /// Bytes written and not sent.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    #[inline]
    pub fn push(&mut self, data: D, end_of_message: bool) {
        self.bytes += data.length() as u64;
        self.writes.push_back(Write { data, sent: 0, end_of_message });
    }

    /// Length of the next packet's data, at most `max_data`; a packet does not extend over two writes.
    #[inline]
    pub fn next_length(&self, max_data: u32) -> Option<usize> {
        let write = self.writes.front()?;
        Some((write.data.length() - write.sent).min(max_data as usize))
    }

    /// Removes the next `length` bytes, which are within one write.
    #[inline(always)]
    pub fn take(&mut self, length: usize) -> Option<Piece<D>> {
        let write = self.writes.front_mut()?;
        let (start, end) = (write.sent, write.sent + length);
        write.sent = end;
        self.bytes -= length as u64;
        if end < write.data.length() {
            return Some(Piece { data: write.data.slice(start, end), end_of_message: false });
        }
        let write = self.writes.pop_front()?;
        let data = if start == 0 { write.data } else { write.data.slice(start, end) };
        Some(Piece { data, end_of_message: write.end_of_message })
    }
}
