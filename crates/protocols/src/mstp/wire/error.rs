//! Errors of parsing and emitting MS/TP frames.

use thiserror::Error;

use super::kind::FrameType;
use super::length::{LONGEST_DATA, LONGEST_EXTENDED_DATA};

/// Why octets are not a valid frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The octets end within the frame.
    #[error("the frame ends after {found} octets of {expected}")]
    TooShort {
        /// Octets that there are.
        found: usize,
        /// Octets that the frame has.
        expected: usize,
    },
    /// The first two octets are not the preamble.
    #[error("the frame begins with {:02x} {:02x}, expected the preamble 55 ff", .0[0], .0[1])]
    Preamble([u8; 2]),
    /// The header CRC does not match.
    #[error("header CRC mismatch: {found:02x}, expected {expected:02x}")]
    HeaderCrc {
        /// CRC of the frame received.
        found: u8,
        /// CRC computed over the header.
        expected: u8,
    },
    /// The data CRC does not match.
    #[error("data CRC mismatch: {found:04x}, expected {expected:04x}")]
    DataCrc {
        /// CRC of the frame received.
        found: u16,
        /// CRC computed over the data.
        expected: u16,
    },
    /// The CRC-32K of encoded data does not match.
    #[error("CRC-32K mismatch: {found:08x}, expected {expected:08x}")]
    Crc32k {
        /// CRC of the frame received.
        found: u32,
        /// CRC computed over the encoded data.
        expected: u32,
    },
    /// Encoded data are not COBS.
    #[error("the data are not COBS at octet {0}")]
    Encoding(usize),
    /// More data than a frame of this type may carry.
    #[error("{0} octets of data, the maximum is {LONGEST_EXTENDED_DATA} of encoded types and {LONGEST_DATA} of others")]
    TooLong(usize),
    /// Silence within the frame.
    #[error("silence within the frame")]
    Aborted,
    /// An octet within the frame had no stop bit.
    #[error("framing error within the frame")]
    Framing,
}

/// Why a frame cannot be emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// More data than a frame of this type may carry.
    #[error("{kind} of {length} octets exceeds {limit}")]
    TooLong {
        /// The type of the frame.
        kind: FrameType,
        /// Octets of data.
        length: usize,
        /// The maximum.
        limit: usize,
    },
}
