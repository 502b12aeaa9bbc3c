//! FX.25: forward error correction around AX.25 frames (Stensat, FX.25 Forward Error Correction Extension to AX.25, draft 0.01, 2006).
//!
//! A 64-bit correlation tag names the format; a block of data and Reed-Solomon check octets follows. The data are the
//! AX.25 frame as sent without FX.25: flag, stuffed bits, flag, and flags up to the end. A shortened code word of 255
//! octets omits the zeros between data and check octets. A receiver without FX.25 finds the frame in the data.

use super::deframer::Deframer;
use super::encoder::Encoder;
use crate::reed_solomon::{LONGEST, ReedSolomon, Uncorrectable};

/// Root of the generator polynomial with the lowest exponent.
const FIRST_ROOT: usize = 1;
/// Wrong bits of a correlation tag that a receiver accepts: tags differ in 32. Dire Wolf's CLOSE_ENOUGH.
pub const TAG_ERRORS: u32 = 8;
/// Bits of a correlation tag.
pub const TAG_BITS: u64 = 64;

/// A format: its correlation tag, and the octets of data and of check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Correlation tag, sent with the lowest bit first.
    pub tag: u64,
    /// Octets of data.
    pub data: usize,
    /// Check octets: half as many wrong octets are corrected.
    pub check: usize,
}

const fn format(tag: u64, data: usize, check: usize) -> Format {
    Format { tag, data, check }
}

/// The formats of tags 01 to 0B; of those with the same number of check octets the shortest first.
pub const FORMATS: [Format; 11] = [
    format(0x8f05_6eb4_3696_60ee, 32, 16),
    format(0xc7dc_0508_f3d9_b09e, 64, 16),
    format(0x26ff_60a6_00cc_8fde, 128, 16),
    format(0xb74d_b7df_8a53_2f3e, 239, 16),
    format(0xdbf8_69bd_2dbb_1776, 32, 32),
    format(0x1eb7_b9cd_bc09_c00e, 64, 32),
    format(0xff94_dc63_4f1c_ff4e, 128, 32),
    format(0x6e26_0b1a_c583_5fae, 223, 32),
    format(0x4a4a_bec4_a724_b796, 64, 64),
    format(0xab69_db6a_5431_88d6, 128, 64),
    format(0x3adb_0c13_deae_2836, 191, 64),
];

impl Format {
    /// The shortest format with `check` check octets for this many bits of data, flags included; `None` if none is long enough.
    pub fn of(check: usize, bits: u64) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.check == check && bits <= 8 * format.data as u64)
    }

    /// Bits on air: correlation tag, data and check octets.
    pub const fn bits(&self) -> u64 {
        TAG_BITS + 8 * (self.data + self.check) as u64
    }

    /// Octets of tag, data and check for a frame without its FCS, the lowest bit of each sent first; `None` if the frame is too
    /// long for the format.
    pub fn encode(&self, frame: &[u8]) -> Option<Vec<u8>> {
        let mut encoder = Encoder::new();
        encoder.flags(1).frame(frame);
        let framed = encoder.bits().len();
        if framed > 8 * self.data {
            return None;
        }
        encoder.flags(self.data);
        let octet = |bits: &[bool]| bits.iter().rev().fold(0, |octet, bit| octet << 1 | u8::from(*bit));
        let data: Vec<u8> = encoder.bits().chunks_exact(8).take(self.data).map(octet).collect();
        let mut word = data.clone();
        word.resize(LONGEST - self.check, 0);
        let check = ReedSolomon::new(FIRST_ROOT, self.check).check_of(&word);
        Some([&self.tag.to_le_bytes()[..], &data, &check].concat())
    }

    /// The frame in a block of data and check octets, and how many octets were wrong.
    pub fn decode(&self, block: &[u8]) -> Result<(Vec<u8>, usize), Fault> {
        if block.len() != self.data + self.check {
            return Err(Fault::Uncorrectable(Uncorrectable));
        }
        let (data, check) = block.split_at(self.data);
        let zeros = LONGEST - block.len();
        let mut word = [data, &vec![0; zeros], check].concat();
        let wrong = ReedSolomon::new(FIRST_ROOT, self.check).correct(&mut word)?;
        if word[self.data..][..zeros].iter().any(|octet| *octet != 0) {
            return Err(Fault::Uncorrectable(Uncorrectable));
        }
        let mut deframer = Deframer::new(self.data);
        for octet in &word[..self.data] {
            for bit in 0..8 {
                if let Some(Ok(frame)) = deframer.push(octet >> bit & 1 != 0) {
                    return Ok((frame.to_vec(), wrong));
                }
            }
        }
        Err(Fault::Frame)
    }
}

/// Why a block holds no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Too many octets are wrong.
    #[error(transparent)]
    Uncorrectable(#[from] Uncorrectable),
    /// The corrected data do not contain a frame with a matching FCS.
    #[error("the corrected data hold no frame with a matching FCS")]
    Frame,
}

/// Finds blocks in a bit stream with any noise between them.
#[derive(Clone, Debug, Default)]
pub struct Receiver {
    /// The last 64 bits, the latest in the highest.
    recent: u64,
    format: Option<&'static Format>,
    block: Vec<u8>,
    octet: u8,
    count: u8,
}

impl Receiver {
    /// A receiver that has heard nothing.
    pub fn new() -> Self {
        Receiver::default()
    }

    /// Takes one bit. The last one of a block returns its frame and the number of octets that were wrong, or a fault.
    pub fn push(&mut self, bit: bool) -> Option<Result<(Vec<u8>, usize), Fault>> {
        let Some(format) = self.format else {
            self.recent = self.recent >> 1 | u64::from(bit) << 63;
            self.format = FORMATS.iter().find(|format| (self.recent ^ format.tag).count_ones() <= TAG_ERRORS);
            (self.count, self.octet) = (0, 0);
            self.block.clear();
            return None;
        };
        self.octet = self.octet >> 1 | u8::from(bit) << 7;
        self.count += 1;
        if self.count < 8 {
            return None;
        }
        self.count = 0;
        self.block.push(self.octet);
        if self.block.len() < format.data + format.check {
            return None;
        }
        (self.format, self.recent) = (None, 0);
        Some(format.decode(&self.block))
    }
}

/// What must hold for any octets at all: called by the fuzz target and by the test that runs its corpus. No block panics the
/// receiver, and what it delivers is what a sender would have sent, but for the octets that were wrong.
pub fn any_bits(bytes: &[u8]) {
    let mut receiver = Receiver::new();
    for bit in bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 != 0)) {
        drop(receiver.push(bit));
    }
    for format in &FORMATS {
        let length = (format.data + format.check).min(bytes.len());
        if let Ok((frame, wrong)) = format.decode(&bytes[..length]) {
            assert!(wrong <= format.check / 2, "no more than the code corrects");
            assert!(frame.len() < format.data, "a frame is shorter than the data");
        }
    }
}
