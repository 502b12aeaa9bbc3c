//! IL2P: forward error correction in place of HDLC framing (Improved Layer 2 Protocol, draft 0.6, N. Carrillo, 2024).
//!
//! ```text
//! sync word F15E48 | header 13 | check 2 | { payload up to 239 | check 16 } | Hamming-coded CRC 4, optional
//! ```
//!
//! All octets are sent with the highest bit first, without stuffing. The header carries the addresses and the control field of a
//! frame modulo 8 without digipeaters, and the payload its information ([`header`]); any other frame is the payload as it is. Header
//! and blocks are scrambled each by itself, and then protected by Reed-Solomon codes whose first root is 1: of a header one octet
//! is corrected, of each block eight.

pub mod header;
mod receiver;
mod scrambler;

use thiserror::Error;

pub use self::receiver::Receiver;
use crate::ax25::hdlc::fcs;
use crate::ax25::wire::Modulo;
use crate::reed_solomon::{ReedSolomon, Uncorrectable};
use header::Header;

/// The sync word, in three octets.
pub const SYNC_WORD: u32 = 0xf1_5e48;
/// Bits of the sync word, and how many of them may be wrong.
pub const SYNC_BITS: u64 = 24;
/// Wrong bits of a sync word that a receiver accepts (Sync Word).
pub const SYNC_ERRORS: u32 = 1;
/// Octets of a header, and its check octets.
pub const HEADER: usize = 13;
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
const HAMMING: [u8; 16] =
    [0x00, 0x71, 0x62, 0x13, 0x54, 0x25, 0x36, 0x47, 0x38, 0x49, 0x5a, 0x2b, 0x6c, 0x1d, 0x0e, 0x7f];

/// The lengths of a packet: of its payload, and whether a CRC follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    payload: usize,
    has_crc: bool,
}

impl Shape {
    /// A packet with a payload of so many octets; `None` if that is too long.
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

/// The octets of a frame without its FCS, from the sync word on; `None` if it is too long. `modulo` is that of its link.
pub fn encode(frame: &[u8], modulo: Modulo, has_crc: bool) -> Option<Vec<u8>> {
    let (header, payload) = Header::of(frame, modulo);
    let shape = Shape::new(payload.len(), has_crc)?;
    let mut packet = SYNC_WORD.to_be_bytes()[1..].to_vec();
    protect(&header.octets(payload.len()), HEADER_CHECK, &mut packet);
    let mut rest = payload;
    for block in shape.blocks() {
        let (octets, after) = rest.split_at(block);
        protect(octets, BLOCK_CHECK, &mut packet);
        rest = after;
    }
    if has_crc {
        let crc = fcs(frame);
        packet.extend([12, 8, 4, 0].map(|shift| HAMMING[usize::from(crc >> shift & 0xf)]));
    }
    Some(packet)
}

/// Appends a block, scrambled, and its check octets.
fn protect(octets: &[u8], check: usize, packet: &mut Vec<u8>) {
    let scrambled = scrambler::scrambled(octets);
    let check = ReedSolomon::new(FIRST_ROOT, check).check_of(&scrambled);
    packet.extend(scrambled);
    packet.extend(check);
}

/// The octets of a block, and how many were wrong.
fn corrected(block: &[u8], check: usize) -> Result<(Vec<u8>, usize), Uncorrectable> {
    let mut block = block.to_vec();
    let wrong = ReedSolomon::new(FIRST_ROOT, check).correct(&mut block)?;
    block.truncate(block.len() - check);
    Ok((scrambler::descrambled(&block), wrong))
}

/// The CRC of four octets of the Hamming code, each corrected by one bit.
fn crc_of(octets: &[u8]) -> u16 {
    let nearest = |octet: u8| {
        let distance = |value: &usize| (HAMMING[*value] ^ octet & 0x7f).count_ones();
        (0..HAMMING.len()).min_by_key(distance).unwrap_or(0) as u16
    };
    octets.iter().fold(0, |crc, octet| crc << 4 | nearest(*octet))
}

/// Why a packet holds no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Too many octets are wrong.
    #[error(transparent)]
    Uncorrectable(#[from] Uncorrectable),
    /// The CRC does not match.
    #[error("the trailing CRC does not match")]
    Crc,
    /// What was corrected is no header.
    #[error("the corrected header has no address or control field of AX.25")]
    Header,
}

/// What must hold for any octets at all: called by the fuzz target and by the test that runs its corpus. No octets panic the
/// receiver or the encoder, and what the encoder takes apart comes together again.
pub fn any_octets(bytes: &[u8]) {
    for has_crc in [false, true] {
        let mut receiver = Receiver::new(has_crc);
        bytes.iter().for_each(|octet| (0..8).rev().for_each(|bit| drop(receiver.push(octet >> bit & 1 != 0))));
        for modulo in [Modulo::Eight, Modulo::OneHundredTwentyEight] {
            let Some(packet) = encode(bytes, modulo, has_crc) else { continue };
            let mut receiver = Receiver::new(has_crc);
            let bits = packet.iter().flat_map(|octet| (0..8).rev().map(move |bit| octet >> bit & 1 != 0));
            let found = bits.filter_map(|bit| receiver.push(bit)).last();
            assert_eq!(found, Some(Ok((bytes.to_vec(), 0))), "a packet holds its frame");
        }
    }
}
