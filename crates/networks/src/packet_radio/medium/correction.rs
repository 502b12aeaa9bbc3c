//! What bit errors do to a frame in an FX.25 block: few enough are corrected.

use sojourn_protocols::ax25::hdlc::air_time::{UNITS_PER_BIT, mean_units};
use sojourn_protocols::ax25::hdlc::fx25::{Format, TAG_BITS, TAG_ERRORS};

/// Bits of the flag before a frame; the one behind it is part of its air time.
const OPENING_FLAG: u64 = 8;

/// How a frame of `octets` octets is sent with this many check octets: its format, and its air time in units. Frames too
/// long for any format, and all frames without check octets, go without FX.25. Bit stuffing is the mean of random bits.
pub fn framed(check: Option<u8>, octets: u32) -> (Option<&'static Format>, u64) {
    let plain = mean_units(1, u64::from(octets));
    let format = check.and_then(|check| Format::of(check.into(), OPENING_FLAG + plain.div_ceil(UNITS_PER_BIT)));
    (format, format.map_or(plain, |format| format.bits() * UNITS_PER_BIT))
}

/// The damage of a block, bit by bit.
#[derive(Clone, Copy, Debug)]
pub struct Damage {
    format: &'static Format,
    /// Wrong bits of the correlation tag and wrong octets of the block.
    wrong: [u32; 2],
    /// The last bit of the tag or octet of the block that was wrong.
    last: Option<u64>,
}

impl Damage {
    /// A block without an error.
    pub fn new(format: &'static Format) -> Self {
        Damage { format, wrong: [0; 2], last: None }
    }

    /// Bit `bit` of the block, counted from its first one and not before the last that was wrong, is wrong. Whether the frame
    /// is lost: its tag is not recognised, or more octets are wrong than the check octets correct.
    pub fn bit(&mut self, bit: u64) -> bool {
        let bit = bit.min(self.format.bits() - 1);
        let of_block = bit >= TAG_BITS;
        let place = if of_block { TAG_BITS + (bit - TAG_BITS) / 8 } else { bit };
        if self.last.replace(place) != Some(place) {
            self.wrong[usize::from(of_block)] += 1;
        }
        self.wrong[0] > TAG_ERRORS || self.wrong[1] as usize > self.format.check / 2
    }
}
