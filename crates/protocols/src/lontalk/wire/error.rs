//! Errors of parsing and of emitting LonTalk packets.

use thiserror::Error;

use crate::limits::{OutOfRange, ShortBuffer, Trailing, Truncated};

/// Why bytes are not a valid LonTalk packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Shorter than the minimum LPDU; receivers drop it.
    #[error("an LPDU of {0} bytes is shorter than the minimum of 8")]
    TooShort(usize),
    /// Longer than the maximum LPDU that network buffers hold.
    #[error("an LPDU of {0} bytes is longer than the maximum of 252")]
    TooLong(usize),
    /// The CRC does not match.
    #[error("the CRC is {found:04x} and should be {expected:04x}")]
    Crc {
        /// The CRC in the packet.
        found: u16,
        /// The CRC computed over the packet.
        expected: u16,
    },
    /// The NPDU is of a protocol version other than 0.
    #[error("unknown protocol version {0}")]
    Version(u8),
    /// The packet ends within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
    /// Bytes follow a PDU that should have ended.
    #[error(transparent)]
    Trailing(#[from] Trailing),
    /// The bit above a node number is 0 and must be 1.
    #[error("the bit above the {0} node number is 0 and must be 1")]
    NodeBit(&'static str),
    /// A member number of 64 or more.
    #[error("group member {0} exceeds 63")]
    Member(u8),
    /// A TPDU type that the standard does not assign.
    #[error("TPDU type {0} is not assigned")]
    TransportType(u8),
    /// An SPDU type that the standard does not assign.
    #[error("SPDU type {0} is not assigned")]
    SessionType(u8),
    /// An AuthPDU type of the open-media variants.
    #[error("AuthPDU type {0} belongs to the open-media variants")]
    AuthenticationType(u8),
    /// A member list longer than its PDU allows.
    #[error("a member list of {found} bytes is longer than {limit}")]
    MemberList {
        /// Length of the list in bytes.
        found: u8,
        /// Maximum length in bytes.
        limit: u8,
    },
    /// A network variable of more than 31 bytes.
    #[error("a network variable of {0} bytes is longer than 31")]
    NetworkVariable(usize),
    /// Application data of more than 228 bytes.
    #[error("application data of {0} bytes are longer than 228")]
    Application(usize),
}

/// Why a packet cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than [`Packet::length`](super::Packet::length).
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// The packet is longer than the maximum LPDU.
    #[error("an LPDU of {0} bytes is longer than the maximum of 252")]
    TooLong(usize),
    /// A field is out of range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
}
