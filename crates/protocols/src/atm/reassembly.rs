//! Reassembly of the packets of a virtual channel from its cells.

use super::aal5::{self, Frame};
use super::cell::PAYLOAD_LENGTH;
use super::error::Aal5Error;

/// Collects cells until a frame is complete. Loss of a last cell merges two frames, which length or CRC detect.
#[derive(Clone, Debug)]
pub struct Reassembler {
    collected: Vec<u8>,
    cells: usize,
    max_cells: usize,
    /// Whether the previous cell was the last of a frame.
    complete: bool,
}

/// Result of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reassembly<'a> {
    /// The frame is not complete.
    Incomplete,
    /// A packet is complete.
    Packet(&'a [u8]),
    /// The frame is invalid and discarded.
    Invalid(Aal5Error),
    /// The frame exceeds the maximum packet length and is discarded.
    TooLong {
        /// Number of cells of the frame.
        cells: usize,
    },
}

impl Reassembler {
    /// A reassembler of packets of at most `max_packet` octets.
    pub fn new(max_packet: usize) -> Self {
        let max_cells = aal5::cells(max_packet.min(aal5::MAX_PACKET));
        Reassembler { collected: Vec::new(), cells: 0, max_cells, complete: false }
    }

    /// Appends the payload of a user data cell; `last` is the AUU indication of its header.
    pub fn push(&mut self, payload: &[u8; PAYLOAD_LENGTH], last: bool) -> Reassembly<'_> {
        if std::mem::replace(&mut self.complete, last) {
            self.collected.clear();
            self.cells = 0;
        }
        self.cells += 1;
        if self.cells <= self.max_cells {
            self.collected.extend_from_slice(payload);
        }
        if !last {
            return Reassembly::Incomplete;
        }
        if self.cells > self.max_cells {
            return Reassembly::TooLong { cells: self.cells };
        }
        match Frame::parse(&self.collected) {
            Ok(frame) => Reassembly::Packet(frame.packet),
            Err(error) => Reassembly::Invalid(error),
        }
    }
}
