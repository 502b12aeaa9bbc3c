//! Frames to bits.

use super::fcs::fcs;

/// The flag, the same from either end.
pub(super) const FLAG: u8 = 0x7e;
/// Ones in a row after which a zero is put in.
pub(super) const STUFF_AFTER: u8 = 5;
/// Ones that abort a frame, at the least.
const ABORT_ONES: usize = 15;

/// Appends flags and frames to a train of bits, the first sent first. One flag between two frames serves both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoder {
    bits: Vec<bool>,
}

impl Encoder {
    /// Nothing yet.
    pub fn new() -> Self {
        Encoder::default()
    }

    /// `count` flags: the keyed time before and after frames.
    pub fn flags(&mut self, count: usize) -> &mut Self {
        (0..count).for_each(|_| self.octet(FLAG));
        self
    }

    /// A frame's octets, their FCS and the closing flag. A flag must have come before.
    pub fn frame(&mut self, octets: &[u8]) -> &mut Self {
        let mut ones = 0;
        for octet in octets.iter().copied().chain(fcs(octets).to_le_bytes()) {
            for bit in bits_of(octet) {
                self.bits.push(bit);
                ones = if bit { ones + 1 } else { 0 };
                if ones == STUFF_AFTER {
                    self.bits.push(false);
                    ones = 0;
                }
            }
        }
        self.flags(1)
    }

    /// An abort: more ones than a frame or a flag ever has.
    pub fn abort(&mut self) -> &mut Self {
        self.bits.extend([true; ABORT_ONES]);
        self
    }

    /// The bits so far.
    pub fn bits(&self) -> &[bool] {
        &self.bits
    }

    fn octet(&mut self, octet: u8) {
        self.bits.extend(bits_of(octet));
    }
}

/// The bits of an octet in the order they are sent: the lowest first.
fn bits_of(octet: u8) -> impl Iterator<Item = bool> {
    (0..8).map(move |bit| octet >> bit & 1 != 0)
}
