//! Times on a serial line: characters, and the silences of RTU (Modbus over Serial Line V1.02, section 2.5.1.1).

use sojourn_core::Duration;

/// The bit rate above which t1.5 and t3.5 do not depend on it.
pub const FIXED_ABOVE: u64 = 19_200;
/// t1.5 above [`FIXED_ABOVE`].
pub const FIXED_T15: Duration = Duration::from_micros(750);
/// t3.5 above [`FIXED_ABOVE`].
pub const FIXED_T35: Duration = Duration::from_micros(1750);

/// The silences that separate and invalidate frames of RTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The time of a character.
    pub character: Duration,
    /// The longest silence within a frame.
    pub t15: Duration,
    /// The shortest silence between frames.
    pub t35: Duration,
}

impl Silence {
    /// Those of a line with characters of `bits_per_character` bits, start and stop bits included.
    pub fn of(bit_rate: u64, bits_per_character: u64) -> Silence {
        let halves = |halves: u64| Duration::from_units(halves * bits_per_character, 2 * bit_rate);
        let (t15, t35) = if bit_rate > FIXED_ABOVE { (FIXED_T15, FIXED_T35) } else { (halves(3), halves(7)) };
        Silence { character: halves(2), t15, t35 }
    }

    /// For a host whose serial interface delivers characters in blocks: only a silence of `t35`, measured between blocks,
    /// ends a frame, and none within it makes it invalid.
    pub fn between_blocks(t35: Duration) -> Silence {
        Silence { character: Duration::ZERO, t15: t35, t35 }
    }
}
