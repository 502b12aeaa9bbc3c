//! Identifiers, and the order in which they win arbitration.

use std::fmt;

use thiserror::Error;

/// The identifier of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Id {
    /// Base format: 11 bits.
    Base(u16),
    /// Extended format: 29 bits.
    Extended(u32),
}

/// An identifier of more bits than its format has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("identifier {value:X}h has more than {bits} bits")]
pub struct IdError {
    /// The rejected identifier.
    pub value: u32,
    /// Bits of its format.
    pub bits: u32,
}

impl Id {
    /// The largest base identifier.
    pub const BASE_LIMIT: u32 = 0x7ff;
    /// The largest extended identifier.
    pub const EXTENDED_LIMIT: u32 = 0x1fff_ffff;

    /// An identifier of 11 bits.
    pub fn base(value: u32) -> Result<Id, IdError> {
        if value > Id::BASE_LIMIT { Err(IdError { value, bits: 11 }) } else { Ok(Id::Base(value as u16)) }
    }

    /// An identifier of 29 bits.
    pub fn extended(value: u32) -> Result<Id, IdError> {
        if value > Id::EXTENDED_LIMIT { Err(IdError { value, bits: 29 }) } else { Ok(Id::Extended(value)) }
    }

    /// Its bits as a number.
    pub const fn value(self) -> u32 {
        match self {
            Id::Base(value) => value as u32,
            Id::Extended(value) => value,
        }
    }

    /// Whether it has 29 bits.
    pub const fn is_extended(self) -> bool {
        matches!(self, Id::Extended(_))
    }

    /// The bits of the arbitration field in the order of transmission, as a number: of two frames the one with the lower
    /// number wins. Of equal base identifiers data wins over remote frames and base over extended ones.
    pub const fn arbitration(self, is_remote: bool) -> u32 {
        match self {
            Id::Base(value) => (value as u32) << 21 | (is_remote as u32) << 20,
            // SRR and IDE are recessive
            Id::Extended(value) => value >> 18 << 21 | 0b11 << 19 | (value & 0x3_ffff) << 1 | is_remote as u32,
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Base(value) => write!(f, "{value:03X}"),
            Id::Extended(value) => write!(f, "{value:08X}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_base_identifier_wins_then_data_over_remote_then_base_over_extended() {
        let order = [
            Id::Base(0x100).arbitration(false),
            Id::Base(0x100).arbitration(true),
            Id::Extended(0x100 << 18).arbitration(false),
            Id::Extended(0x100 << 18).arbitration(true),
            Id::Extended(0x100 << 18 | 1).arbitration(false),
            Id::Base(0x101).arbitration(false),
        ];
        assert!(order.is_sorted_by(|one, other| one < other), "{order:x?}");
    }

    #[test]
    fn an_identifier_with_too_many_bits_is_refused() {
        assert_eq!(Id::base(0x800).unwrap_err().to_string(), "identifier 800h has more than 11 bits");
        assert_eq!(Id::extended(0x2000_0000).unwrap_err().bits, 29);
        assert_eq!(Id::extended(0x1fff_ffff).map(Id::value), Ok(0x1fff_ffff));
    }
}
