//! The blocks of a packet: their lengths, Reed-Solomon codes, and the Hamming code of the CRC.

use super::header::HEADER;
use super::scrambler;
use crate::reed_solomon::{ReedSolomon, Uncorrectable};

/// The sync word, in three octets.
pub const SYNC_WORD: u32 = 0xf1_5e48;
/// Bits of the sync word, and how many of them may be wrong.
pub const SYNC_BITS: u64 = 24;
/// Wrong bits of a sync word that a receiver accepts (Sync Word).
pub const SYNC_ERRORS: u32 = 1;
/// Check octets of a header.
pub const HEADER_CHECK: usize = 2;
/// Check octets of a payload block.
pub const BLOCK_CHECK: usize = 16;
/// Octets of a payload, and of one block of it, at most.
pub const LONGEST_PAYLOAD: usize = 1023;
/// Octets of the trailing CRC, four bits in each.
pub const TRAILER: usize = 4;
const LONGEST_BLOCK: usize = 239;
/// The Reed-Solomon codes' root with the lowest exponent.
const FIRST_ROOT: usize = 0;
/// Octets of the Hamming code for four bits (Hamming Encode Table).
pub(super) const HAMMING: [u8; 16] =
    [0x00, 0x71, 0x62, 0x13, 0x54, 0x25, 0x36, 0x47, 0x38, 0x49, 0x5a, 0x2b, 0x6c, 0x1d, 0x0e, 0x7f];

/// The lengths of a packet: of its payload, and whether a CRC follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    payload: usize,
    has_crc: bool,
}

impl Shape {
    /// A packet with a payload of this many octets; `None` if that is too long.
    pub fn new(payload: usize, has_crc: bool) -> Option<Shape> {
        (payload <= LONGEST_PAYLOAD).then_some(Shape { payload, has_crc })
    }

    /// Bits on air, from the sync word on.
    pub fn bits(&self) -> u64 {
        let blocks: usize = self.blocks().map(|block| block + BLOCK_CHECK).sum();
        SYNC_BITS + 8 * (HEADER + HEADER_CHECK + blocks + if self.has_crc { TRAILER } else { 0 }) as u64
    }

    /// Whether a CRC follows.
    pub fn has_crc(&self) -> bool {
        self.has_crc
    }

    /// Octets of each block of the payload without its check octets: of nearly equal size, the larger ones first (Payload Block
    /// Size Computations).
    pub fn blocks(&self) -> impl Iterator<Item = usize> + use<> {
        let count = self.payload.div_ceil(LONGEST_BLOCK);
        let (small, larger) = (self.payload / count.max(1), self.payload % count.max(1));
        (0..count).map(move |number| small + usize::from(number < larger))
    }
}

/// Appends a block, scrambled, and its check octets.
pub fn protect(octets: &[u8], check: usize, packet: &mut Vec<u8>) {
    let scrambled = scrambler::scrambled(octets);
    let check = ReedSolomon::new(FIRST_ROOT, check).check_of(&scrambled);
    packet.extend(scrambled);
    packet.extend(check);
}

/// The octets of a block, and how many were wrong.
pub fn corrected(block: &[u8], check: usize) -> Result<(Vec<u8>, usize), Uncorrectable> {
    let mut block = block.to_vec();
    let wrong = ReedSolomon::new(FIRST_ROOT, check).correct(&mut block)?;
    block.truncate(block.len() - check);
    Ok((scrambler::descrambled(&block), wrong))
}

/// The CRC of four octets of the Hamming code, each corrected by one bit.
pub fn crc_of(octets: &[u8]) -> u16 {
    let nearest = |octet: u8| {
        let distance = |value: &usize| (HAMMING[*value] ^ octet & 0x7f).count_ones();
        (0..HAMMING.len()).min_by_key(distance).unwrap_or(0) as u16
    };
    octets.iter().fold(0, |crc, octet| crc << 4 | nearest(*octet))
}
