//! Forward error correction: whether an FX.25 block or an IL2P packet survives its bit errors.

use sojourn_protocols::ax25::hdlc::air_time::{UNITS_PER_BIT, mean_units};
use sojourn_protocols::ax25::hdlc::fx25::{Format, TAG_BITS, TAG_ERRORS};
use sojourn_protocols::ax25::il2p::{BLOCK_CHECK, HEADER, HEADER_CHECK, SYNC_BITS, SYNC_ERRORS, Shape, TRAILER};

use super::AirFrame;

/// Bits of the flag before a frame; the one behind it is part of its air time.
const OPENING_FLAG: u64 = 8;

/// How frames are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Between flags, with stuffed bits.
    #[default]
    Hdlc,
    /// In FX.25 blocks with 16, 32 or 64 check octets.
    Fx25 {
        /// Check octets.
        check: u8,
    },
    /// In IL2P packets.
    Il2p {
        /// Whether a CRC follows.
        has_crc: bool,
    },
}

impl Framing {
    /// Whether it carries headers of AX.25 in its own.
    pub const fn translates(self) -> bool {
        matches!(self, Framing::Il2p { .. })
    }

    /// How a frame is sent: with which error correction, and its air time in units. Frames too long for it go between flags.
    /// Bit stuffing is the mean of random bits.
    pub fn of(self, frame: AirFrame) -> (Option<Coded>, u64) {
        let plain = mean_units(1, u64::from(frame.octets));
        let coded = match self {
            Framing::Hdlc => None,
            Framing::Fx25 { check } => {
                Format::of(check.into(), OPENING_FLAG + plain.div_ceil(UNITS_PER_BIT)).map(Coded::Fx25)
            }
            Framing::Il2p { has_crc } => {
                Shape::new(frame.octets.saturating_sub(frame.translated) as usize, has_crc).map(Coded::Il2p)
            }
        };
        (coded, coded.map_or(plain, |coded| coded.bits() * UNITS_PER_BIT))
    }
}

/// A frame with error correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coded {
    /// An FX.25 block.
    Fx25(&'static Format),
    /// An IL2P packet.
    Il2p(Shape),
}

/// A run of bits in which up to this many symbols may be wrong.
#[derive(Clone, Copy, Debug)]
struct Part {
    begin: u64,
    end: u64,
    /// Bits of a symbol.
    symbol: u64,
    corrected: u32,
}

impl Coded {
    fn bits(&self) -> u64 {
        match self {
            Coded::Fx25(format) => format.bits(),
            Coded::Il2p(shape) => shape.bits(),
        }
    }

    /// The part that a bit is of; none if it is not used.
    fn part(&self, bit: u64) -> Option<Part> {
        let part = |begin, octets: usize, check: usize| Part {
            begin,
            end: begin + 8 * octets as u64,
            symbol: 8,
            corrected: check as u32 / 2,
        };
        match self {
            Coded::Fx25(_) if bit < TAG_BITS => {
                Some(Part { begin: 0, end: TAG_BITS, symbol: 1, corrected: TAG_ERRORS })
            }
            Coded::Fx25(format) => Some(part(TAG_BITS, format.data + format.check, format.check)),
            Coded::Il2p(_) if bit < SYNC_BITS => {
                Some(Part { begin: 0, end: SYNC_BITS, symbol: 1, corrected: SYNC_ERRORS })
            }
            Coded::Il2p(shape) => {
                let mut at = part(SYNC_BITS, HEADER + HEADER_CHECK, HEADER_CHECK);
                for block in shape.blocks() {
                    if bit < at.end {
                        return Some(at);
                    }
                    at = part(at.end, block + BLOCK_CHECK, BLOCK_CHECK);
                }
                if bit < at.end { Some(at) } else { trailer(at.end, bit) }
            }
        }
    }
}

/// The octet of the trailing CRC that a bit is of: a Hamming code of its seven low bits.
fn trailer(begin: u64, bit: u64) -> Option<Part> {
    let octet = (bit - begin) / 8;
    let begin = begin + 8 * octet;
    (octet < TRAILER as u64 && bit > begin).then_some(Part {
        begin: begin + 1,
        end: begin + 8,
        symbol: 1,
        corrected: 1,
    })
}

/// The damage of a frame with error correction, bit by bit.
#[derive(Clone, Copy, Debug)]
pub struct Damage {
    coded: Coded,
    /// Where the part begins that was damaged last, its wrong symbols, and the last of them.
    begin: u64,
    wrong: u32,
    last: Option<u64>,
    corrected: u32,
}

impl Damage {
    /// A frame without an error.
    pub fn new(coded: Coded) -> Self {
        Damage { coded, begin: 0, wrong: 0, last: None, corrected: 0 }
    }

    /// Bit `bit` of the frame, counted from its first one and not before the last that was wrong, is wrong. Whether the frame is
    /// lost: its tag or sync word is not recognised, or more octets are wrong than the check octets correct.
    pub fn bit(&mut self, bit: u64) -> bool {
        let bit = bit.min(self.coded.bits() - 1);
        let Some(part) = self.coded.part(bit) else { return false };
        if part.begin != self.begin {
            (self.begin, self.wrong, self.last) = (part.begin, 0, None);
        }
        let symbol = (bit - part.begin) / part.symbol;
        if self.last.replace(symbol) != Some(symbol) {
            self.wrong += 1;
            // a tag or a sync word is recognised, not corrected
            self.corrected += u32::from(part.begin > 0);
        }
        self.wrong > part.corrected
    }

    /// Octets with wrong bits so far; where the frame is not lost, all were corrected.
    pub fn corrected(&self) -> u32 {
        self.corrected
    }
}
