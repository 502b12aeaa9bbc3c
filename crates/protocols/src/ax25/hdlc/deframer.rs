//! The deframer: bits to frames.

use thiserror::Error;

use super::encoder::{FLAG, STUFF_AFTER};
use super::fcs::checked;

/// Length of the shortest frame accepted in octets, FCS included: 136 bits with both flags.
const SHORTEST: usize = 15;

/// Finds frames in a bit stream with any noise between them.
///
/// Noise on an open channel contains many flags: what is shorter than any frame is dropped silently, every other
/// invalid frame is reported.
#[derive(Clone, Debug)]
pub struct Deframer {
    longest: usize,
    /// The last eight bits including stuffed zeros, the latest in the highest bit.
    recent: u8,
    /// Consecutive ones.
    ones: u8,
    /// Whether a flag has opened a frame that has not ended.
    open: bool,
    octets: Vec<u8>,
    /// The frame that the last flag closed.
    closed: Vec<u8>,
    /// Bits of the octet being received, the latest in the highest bit, and their number.
    octet: u8,
    count: u8,
}

/// Why bits between two flags are not a valid frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
pub enum Fault {
    /// Seven or more consecutive ones.
    #[error("the frame was aborted")]
    Abort,
    /// The length is not a whole number of octets.
    #[error("the frame is not a whole number of octets")]
    Alignment,
    /// More octets than the receiver's buffer holds.
    #[error("the frame is longer than the receiver's buffer")]
    TooLong,
    /// The FCS does not match.
    #[error("the frame check sequence is wrong")]
    Fcs,
}

impl Deframer {
    /// A deframer for frames of up to `longest` octets, FCS not counted.
    pub fn new(longest: usize) -> Self {
        let longest = longest.saturating_add(2);
        let (octets, closed) = (Vec::new(), Vec::new());
        Deframer { longest, recent: 0, ones: 0, open: false, octets, closed, octet: 0, count: 0 }
    }

    /// Takes one bit. A flag that closes a frame returns its octets without the FCS; an invalid frame returns a fault.
    pub fn push(&mut self, bit: bool) -> Option<Result<&[u8], Fault>> {
        self.recent = self.recent >> 1 | u8::from(bit) << 7;
        if self.recent == FLAG {
            return self.close();
        }
        let ones = self.ones;
        self.ones = if bit { ones.saturating_add(1) } else { 0 };
        match self.ones {
            0 if ones == STUFF_AFTER => None,
            // the sixth belongs to a flag, or to an abort if a seventh follows
            6 => None,
            7.. => self.fail(Fault::Abort),
            _ => self.take(bit),
        }
    }

    fn take(&mut self, bit: bool) -> Option<Result<&[u8], Fault>> {
        if !self.open {
            return None;
        }
        self.octet = self.octet >> 1 | u8::from(bit) << 7;
        self.count += 1;
        if self.count == 8 {
            self.count = 0;
            if self.octets.len() == self.longest {
                return self.fail(Fault::TooLong);
            }
            self.octets.push(self.octet);
        }
        None
    }

    /// A flag closes a frame and opens the next. Its zero and five of its ones have been counted as the frame's.
    fn close(&mut self) -> Option<Result<&[u8], Fault>> {
        let whole = std::mem::replace(&mut self.count, 0) == STUFF_AFTER + 1;
        let opened = std::mem::replace(&mut self.open, true);
        self.ones = 0;
        std::mem::swap(&mut self.octets, &mut self.closed);
        self.octets.clear();
        if !opened || self.closed.len() < SHORTEST {
            return None;
        }
        if !whole {
            return Some(Err(Fault::Alignment));
        }
        Some(checked(&self.closed).ok_or(Fault::Fcs))
    }

    fn fail(&mut self, fault: Fault) -> Option<Result<&[u8], Fault>> {
        let discarded = std::mem::replace(&mut self.open, false) && self.octets.len() >= SHORTEST;
        self.octets.clear();
        self.count = 0;
        discarded.then_some(Err(fault))
    }
}
