//! The encoder: frames to bits.

use super::fcs::fcs;

/// The flag, the same from either end.
pub(super) const FLAG: u8 = 0x7e;
/// Consecutive ones after which a zero is stuffed.
pub(super) const STUFF_AFTER: u8 = 5;
/// Minimum number of ones that abort a frame.
const ABORT_ONES: usize = 15;

/// Appends flags and frames to a bit sequence in the order of transmission. Consecutive frames share a flag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoder {
    bits: Vec<bool>,
}

impl Encoder {
    /// An encoder without bits.
    pub fn new() -> Self {
        Encoder::default()
    }

    /// Appends `count` flags: the keyed time before and after frames.
    pub fn flags(&mut self, count: usize) -> &mut Self {
        (0..count).for_each(|_| self.octet(FLAG));
        self
    }

    /// Appends a frame's octets, their FCS and the closing flag. A flag must precede it.
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

    /// Appends an abort: more consecutive ones than a frame or a flag contains.
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

/// The bits of an octet in the order of transmission: the lowest first.
fn bits_of(octet: u8) -> impl Iterator<Item = bool> {
    (0..8).map(move |bit| octet >> bit & 1 != 0)
}
