//! Airtime of frames and bursts.
//!
//! A burst keys the transmitter once: flags for TXDELAY, every frame with its FCS, stuffed zeros and one flag, then
//! TXTAIL. Bit stuffing depends on the bits: [`exact_bits`] counts the stuffed zeros, [`mean_time`] assumes one per
//! 62 bits, the mean of random data.

use sojourn_core::Duration;

use super::encoder::STUFF_AFTER;
use super::fcs::fcs;

/// Length of a flag in bits.
const FLAG_BITS: u64 = 8;
/// Length of an FCS in octets.
const FCS_OCTETS: u64 = 2;
/// Units of [`mean_units`] in a bit. On average one zero is stuffed per that many random bits: the mean time to a run of
/// five ones is 2^6 - 2 bits.
pub const UNITS_PER_BIT: u64 = 62;

/// Per state (ones so far, 0 to 4) and octet: zeros stuffed in it in the upper half, ones at its end in the lower.
const STEPS: [[u8; 256]; STUFF_AFTER as usize] = steps();

const fn steps() -> [[u8; 256]; STUFF_AFTER as usize] {
    let mut table = [[0; 256]; STUFF_AFTER as usize];
    let mut state = 0;
    while state < STUFF_AFTER {
        let mut octet = 0;
        while octet < 256 {
            table[state as usize][octet] = step(state, octet as u8);
            octet += 1;
        }
        state += 1;
    }
    table
}

const fn step(mut ones: u8, octet: u8) -> u8 {
    let (mut stuffed, mut bit) = (0, 0);
    while bit < 8 {
        ones = if octet >> bit & 1 != 0 { ones + 1 } else { 0 };
        if ones == STUFF_AFTER {
            stuffed += 1;
            ones = 0;
        }
        bit += 1;
    }
    stuffed << 4 | ones
}

/// Zeros stuffed into these octets alone.
pub fn stuffed_zeros(octets: impl IntoIterator<Item = u8>) -> u64 {
    let (mut total, mut ones) = (0, 0);
    for octet in octets {
        let step = STEPS[usize::from(ones)][usize::from(octet)];
        total += u64::from(step >> 4);
        ones = step & 15;
    }
    total
}

/// Length of a frame in bits: its octets, their FCS, the zeros stuffed into both, and one flag.
pub fn exact_bits(octets: &[u8]) -> u64 {
    let check = fcs(octets).to_le_bytes();
    let zeros = stuffed_zeros(octets.iter().copied().chain(check));
    8 * (octets.len() as u64 + FCS_OCTETS) + zeros + FLAG_BITS
}

/// Air time of a frame, exact to the bit.
///
/// Panics when `bit_rate` (bit/s) is zero.
pub fn exact_time(octets: &[u8], bit_rate: u64) -> Duration {
    Duration::from_units(exact_bits(octets), bit_rate)
}

/// Mean air time of frames of random bits, in units of 1/[`UNITS_PER_BIT`] bit; `octets` is the total of all frames,
/// FCS not counted.
pub const fn mean_units(frames: u64, octets: u64) -> u64 {
    let covered = 8 * (octets + FCS_OCTETS * frames);
    covered * (UNITS_PER_BIT + 1) + frames * FLAG_BITS * UNITS_PER_BIT
}

/// Mean air time of frames of random bits; `octets` is the total of all frames, FCS not counted.
///
/// Panics when `bit_rate` (bit/s) is zero.
pub fn mean_time(frames: u64, octets: u64, bit_rate: u64) -> Duration {
    Duration::from_units(mean_units(frames, octets), bit_rate * UNITS_PER_BIT)
}
