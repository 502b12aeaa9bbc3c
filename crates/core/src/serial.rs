//! Characters of a serial line: how many bits they have, and how long they take.

use crate::time::Duration;

/// The parity bit of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parity {
    /// No parity bit.
    #[default]
    None,
    /// Even parity.
    Even,
    /// Odd parity.
    Odd,
}

/// How characters are sent: a start bit, data bits, a parity bit if any, stop bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits per second.
    pub bit_rate: u32,
    /// Data bits, 5 to 8.
    pub data_bits: u8,
    /// The parity bit.
    pub parity: Parity,
    /// Stop bits, 1 or 2.
    pub stop_bits: u8,
}

impl Format {
    /// Eight data bits, no parity, one stop bit: 10 bits per character.
    pub const fn new(bit_rate: u32) -> Format {
        Format { bit_rate, data_bits: 8, parity: Parity::None, stop_bits: 1 }
    }

    /// Bits of a character, with the start bit.
    pub const fn bits(self) -> u32 {
        let parity = match self.parity {
            Parity::None => 0,
            Parity::Even | Parity::Odd => 1,
        };
        1 + self.data_bits as u32 + parity + self.stop_bits as u32
    }

    /// The duration of `count` bit times, rounded down to a picosecond.
    pub fn bit_times(self, count: u64) -> Duration {
        Duration::from_units(count, u64::from(self.bit_rate))
    }

    /// The duration of `count` characters without gaps, rounded down to a picosecond.
    pub fn characters(self, count: u32) -> Duration {
        self.bit_times(u64::from(count) * u64::from(self.bits()))
    }
}
