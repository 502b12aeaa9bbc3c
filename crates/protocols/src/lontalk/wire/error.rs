//! What can be wrong with bytes that claim to be a LonTalk packet, and with a packet that is to become bytes.

use thiserror::Error;

use crate::cursor::{CutField, Leftover};
use crate::limits::{OutOfRange, ShortBuffer};

/// Why bytes are no LonTalk packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Below the 8 bytes of the shortest LPDU; receivers drop it.
    #[error("{0} bytes are shorter than the shortest LPDU of 8 bytes")]
    TooShort(usize),
    /// Above the longest LPDU that network buffers hold.
    #[error("{0} bytes are longer than the longest LPDU of 252 bytes")]
    TooLong(usize),
    /// The checksum does not fit the bytes.
    #[error("the CRC is {found:04x} and should be {expected:04x}")]
    Crc {
        /// The checksum the packet carries.
        found: u16,
        /// The checksum of its bytes.
        expected: u16,
    },
    /// The NPDU is of a protocol version other than 0.
    #[error("protocol version {0} is not known")]
    Version(u8),
    /// The packet ends within the named field.
    #[error("the packet ends within its {0}")]
    Truncated(&'static str),
    /// Bytes follow a PDU that should have ended.
    #[error("{0} bytes follow the end of the PDU")]
    Trailing(usize),
    /// A bit that is always 1 beside a node number is 0.
    #[error("the bit above the {0} node number is 0")]
    NodeBit(&'static str),
    /// A member number of 64 or more.
    #[error("group member {0} is beyond 63")]
    Member(u8),
    /// A TPDU type that the protocol leaves unused.
    #[error("TPDU type {0} is not assigned")]
    TransportType(u8),
    /// An SPDU type that the protocol leaves unused.
    #[error("SPDU type {0} is not assigned")]
    SessionType(u8),
    /// An AuthPDU type of the open-media variants.
    #[error("AuthPDU type {0} belongs to the open-media variants")]
    AuthenticationType(u8),
    /// A member list longer than its PDU allows.
    #[error("a member list of {found} bytes is longer than {limit}")]
    MemberList {
        /// Bytes the list claims.
        found: u8,
        /// The most bytes it may have.
        limit: u8,
    },
    /// More than 31 bytes of a network variable.
    #[error("a network variable of {0} bytes is longer than 31")]
    NetworkVariable(usize),
    /// More than 228 bytes of an application's data.
    #[error("application data of {0} bytes are longer than 228")]
    Application(usize),
}

impl From<CutField> for ParseError {
    fn from(CutField(field): CutField) -> Self {
        ParseError::Truncated(field)
    }
}

impl From<Leftover> for ParseError {
    fn from(Leftover(bytes): Leftover) -> Self {
        ParseError::Trailing(bytes)
    }
}

/// Why a packet cannot become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than [`Packet::length`](super::Packet::length).
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// The packet is beyond the longest LPDU.
    #[error("{0} bytes are longer than the longest LPDU of 252 bytes")]
    TooLong(usize),
    /// A field holds a number beyond its range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
}
