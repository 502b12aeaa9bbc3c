//! What can be wrong with bytes that claim to be an XTP packet, and with a packet that is to become bytes.

use thiserror::Error;

use crate::cursor::{CutField, Leftover};
use crate::limits::ShortBuffer;

/// Why bytes are no XTP 4.0 packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Below the header.
    #[error("{0} bytes are shorter than the header of 32 bytes")]
    TooShort(usize),
    /// The `dlen` field differs from what follows the header.
    #[error("dlen says {said} bytes follow the header and {found} do")]
    Length {
        /// Bytes the header announces.
        said: u32,
        /// Bytes there are.
        found: usize,
    },
    /// The checksum does not fit the bytes it covers.
    #[error("the checksum is {found:04x} and should be {expected:04x}")]
    Checksum {
        /// The checksum the packet carries.
        found: u16,
        /// The checksum of its bytes.
        expected: u16,
    },
    /// A protocol version other than 1, which is XTP 4.
    #[error("protocol version {0} is not XTP 4, which is 1")]
    Version(u8),
    /// A packet format that is not assigned.
    #[error("packet format {0} is not assigned")]
    Format(u8),
    /// The JOIN format of XTP 3, which XTP 4 replaced by JCNTL.
    #[error("packet format 6 (JOIN) is obsolete in XTP 4")]
    ObsoleteJoin,
    /// Option bits that XTP 4 leaves unused.
    #[error("option bits {0:06x} are not assigned")]
    Options(u32),
    /// The packet ends within the named field.
    #[error("the packet ends within its {0}")]
    Truncated(&'static str),
    /// Bytes follow a packet that should have ended.
    #[error("{0} bytes follow the end of the packet")]
    Trailing(usize),
    /// An address format other than null and IPv4.
    #[error("address format {0} is not known")]
    AddressFormat(u8),
    /// An address segment whose length does not fit its format.
    #[error("an address segment of format {format} has {expected} bytes and says {said}")]
    AddressLength {
        /// The format it names.
        format: u8,
        /// The length it names.
        said: u16,
        /// The length of that format.
        expected: u16,
    },
    /// A traffic format other than 0 and 1.
    #[error("traffic format {0} is not known")]
    TrafficFormat(u8),
    /// A traffic segment whose length does not fit its format.
    #[error("a traffic segment of format {format} has {expected} bytes and says {said}")]
    TrafficLength {
        /// The format it names.
        format: u8,
        /// The length it names.
        said: u16,
        /// The length of that format.
        expected: u16,
    },
    /// A service that is not assigned.
    #[error("service {0} is not assigned")]
    Service(u8),
    /// An ECNTL whose number of spans does not fit its length.
    #[error("{said} spans need {needed} bytes and {found} follow")]
    Spans {
        /// Spans the packet announces.
        said: u32,
        /// Bytes they need.
        needed: u64,
        /// Bytes there are.
        found: usize,
    },
    /// A diagnostic code that is not assigned.
    #[error("diagnostic code {0} is not assigned")]
    DiagnosticCode(u32),
    /// A diagnostic value that is not assigned.
    #[error("diagnostic value {0} is not assigned")]
    DiagnosticValue(u32),
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
    /// More than the four bytes of `dlen` can count.
    #[error("{0} bytes after the header are more than dlen can say")]
    TooLong(usize),
    /// Option bits that XTP 4 leaves unused.
    #[error("option bits {0:06x} are not assigned")]
    Options(u32),
    /// The BTAG option and the tag of a DATA packet do not go together.
    #[error("the BTAG option is set exactly where a DATA packet has a tag")]
    Tag,
}
