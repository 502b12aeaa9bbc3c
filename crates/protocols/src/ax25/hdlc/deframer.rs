//! Bits to frames.

use thiserror::Error;

use super::encoder::{FLAG, STUFF_AFTER};
use super::fcs::checked;

/// Octets of the shortest frame that is heeded, FCS included: 136 bits with both flags.
const SHORTEST: usize = 15;

/// Finds frames in bits, whatever comes between them.
///
/// Noise on an open channel is full of flags that enclose nothing: what is shorter than any frame is passed over in
/// silence, all else that fails is told.
#[derive(Clone, Debug)]
pub struct Deframer {
    longest: usize,
    /// The last eight bits, stuffed zeros too, the latest highest.
    recent: u8,
    /// Ones in a row.
    ones: u8,
    /// Whether a flag has opened a frame that nothing has ended yet.
    open: bool,
    octets: Vec<u8>,
    /// The frame that the last flag closed.
    closed: Vec<u8>,
    /// Bits of the octet that is coming in, the latest highest, and how many there are.
    octet: u8,
    count: u8,
}

/// Why bits between two flags are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
pub enum Fault {
    /// Seven ones in a row or more.
    #[error("the frame was aborted")]
    Abort,
    /// The bits make no whole number of octets.
    #[error("the frame is no whole number of octets")]
    Alignment,
    /// More octets than the receiver takes.
    #[error("the frame is longer than the receiver's buffer")]
    TooLong,
    /// The FCS does not fit.
    #[error("the frame check sequence is wrong")]
    Fcs,
}

impl Deframer {
    /// Hears frames of up to `longest` octets, FCS not counted.
    pub fn new(longest: usize) -> Self {
        let longest = longest.saturating_add(2);
        let (octets, closed) = (Vec::new(), Vec::new());
        Deframer { longest, recent: 0, ones: 0, open: false, octets, closed, octet: 0, count: 0 }
    }

    /// Takes one bit. A flag that closes a frame gives its octets, without the FCS; what spoils one gives a fault.
    pub fn push(&mut self, bit: bool) -> Option<Result<&[u8], Fault>> {
        self.recent = self.recent >> 1 | u8::from(bit) << 7;
        if self.recent == FLAG {
            return self.close();
        }
        let ones = self.ones;
        self.ones = if bit { ones.saturating_add(1) } else { 0 };
        match self.ones {
            0 if ones == STUFF_AFTER => None,
            // the sixth is a flag's, or the abort's that the seventh tells
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

    /// A flag: it ends a frame and opens the next. Its zero and five of its ones have been taken for the frame's.
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
        let spoilt = std::mem::replace(&mut self.open, false) && self.octets.len() >= SHORTEST;
        self.octets.clear();
        self.count = 0;
        spoilt.then_some(Err(fault))
    }
}
