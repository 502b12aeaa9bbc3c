//! Errors of parsing and emitting XTP packets.

use thiserror::Error;

use crate::limits::{ShortBuffer, Trailing, Truncated};

/// Why bytes cannot be parsed as an XTP 4.0 packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The packet is shorter than the header.
    #[error("packet of {0} bytes, the header has 32")]
    TooShort(usize),
    /// The `dlen` field differs from the bytes after the header.
    #[error("dlen is {field}, but {found} bytes follow the header")]
    Length {
        /// `dlen` field of the header, bytes.
        field: u32,
        /// Bytes received after the header.
        found: usize,
    },
    /// The checksum does not match.
    #[error("checksum mismatch: {found:04x}, expected {expected:04x}")]
    Checksum {
        /// Checksum field of the packet received.
        found: u16,
        /// Checksum computed over the packet.
        expected: u16,
    },
    /// The protocol version is not 1 (XTP 4).
    #[error("protocol version {0}, expected 1 (XTP 4)")]
    Version(u8),
    /// The packet format is not assigned.
    #[error("unassigned packet format {0}")]
    Format(u8),
    /// The JOIN format of XTP 3, which XTP 4 replaced by JCNTL.
    #[error("packet format 6 (JOIN) is obsolete in XTP 4")]
    ObsoleteJoin,
    /// Unassigned option bits are set.
    #[error("unassigned option bits {0:06x}")]
    Options(u32),
    /// The packet ends within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
    /// Bytes follow the end of the packet.
    #[error(transparent)]
    Trailing(#[from] Trailing),
    /// The address format is neither null nor IPv4.
    #[error("unknown address format {0}")]
    AddressFormat(u8),
    /// The length field of an address segment does not match its format.
    #[error("length field {field} of an address segment of format {format}, expected {expected}")]
    AddressLength {
        /// Format of the segment.
        format: u8,
        /// `alen` field of the segment, bytes.
        field: u16,
        /// Length of that format, bytes.
        expected: u16,
    },
    /// The traffic format is neither 0 nor 1.
    #[error("unknown traffic format {0}")]
    TrafficFormat(u8),
    /// The length field of a traffic segment does not match its format.
    #[error("length field {field} of a traffic segment of format {format}, expected {expected}")]
    TrafficLength {
        /// Format of the segment.
        format: u8,
        /// `tlen` field of the segment, bytes.
        field: u16,
        /// Length of that format, bytes.
        expected: u16,
    },
    /// The service is not assigned.
    #[error("unassigned service {0}")]
    Service(u8),
    /// The number of spans of an ECNTL does not match its length.
    #[error("{field} spans need {needed} bytes, but {found} follow")]
    Spans {
        /// Number of spans in the header field.
        field: u32,
        /// Bytes needed for them.
        needed: u64,
        /// Bytes received after the number of spans.
        found: usize,
    },
    /// The diagnostic code is not assigned.
    #[error("unassigned diagnostic code {0}")]
    DiagnosticCode(u32),
    /// The diagnostic value is not assigned.
    #[error("unassigned diagnostic value {0}")]
    DiagnosticValue(u32),
}

/// Why a packet cannot be emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than [`Packet::length`](super::Packet::length).
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// The packet exceeds the range of `dlen`.
    #[error("{0} bytes after the header exceed dlen")]
    TooLong(usize),
    /// Unassigned option bits are set.
    #[error("unassigned option bits {0:06x}")]
    Options(u32),
    /// The BTAG option and the tag of a DATA packet do not go together.
    #[error("the BTAG option is set exactly where a DATA packet has a tag")]
    Tag,
}
