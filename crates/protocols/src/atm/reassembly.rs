//! The packets of one virtual channel, from the payloads of its cells.

use super::aal5::{self, Frame};
use super::cell::PAYLOAD;
use super::error::Aal5Error;

/// Gathers cells until a frame is complete. A lost last cell merges two frames; length or CRC then tell.
#[derive(Clone, Debug)]
pub struct Reassembler {
    gathered: Vec<u8>,
    cells: usize,
    largest: usize,
    /// Whether the cell before was a frame's last.
    complete: bool,
}

/// What a cell led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reassembly<'a> {
    /// The frame goes on.
    Incomplete,
    /// A packet is complete.
    Packet(&'a [u8]),
    /// The cells since the last frame are no packet.
    Damaged(Aal5Error),
    /// The cells since the last frame are more than the largest packet fills.
    TooLong {
        /// How many there are.
        cells: usize,
    },
}

impl Reassembler {
    /// For packets of at most `largest` octets.
    pub fn new(largest: usize) -> Self {
        let largest = aal5::cells(largest.min(aal5::LARGEST_PACKET));
        Reassembler { gathered: Vec::new(), cells: 0, largest, complete: false }
    }

    /// Takes the payload of the next cell of user data; `last` is the indication in its header.
    pub fn take(&mut self, payload: &[u8; PAYLOAD], last: bool) -> Reassembly<'_> {
        if std::mem::replace(&mut self.complete, last) {
            self.gathered.clear();
            self.cells = 0;
        }
        self.cells += 1;
        if self.cells <= self.largest {
            self.gathered.extend_from_slice(payload);
        }
        if !last {
            return Reassembly::Incomplete;
        }
        if self.cells > self.largest {
            return Reassembly::TooLong { cells: self.cells };
        }
        match Frame::parse(&self.gathered) {
            Ok(frame) => Reassembly::Packet(frame.packet),
            Err(error) => Reassembly::Damaged(error),
        }
    }
}
