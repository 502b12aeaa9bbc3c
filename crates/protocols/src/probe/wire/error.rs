//! Errors of parsing packets.

use thiserror::Error;

use crate::limits::Truncated;

/// Why bytes cannot be parsed as a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The packet is shorter than 64 octets.
    #[error("packet of {0} octets, the minimum is 64")]
    Short(usize),
    /// The tag does not match: the sender has another key or none, or the packet was modified in transit.
    #[error("authentication tag mismatch")]
    Unauthenticated,
    /// The packet does not start with the magic number.
    #[error("the packet does not start with SJN")]
    Magic,
    /// The packet is of another protocol version.
    #[error("protocol version {0}, expected {expected}", expected = super::VERSION)]
    Version(u8),
    /// The kind is unknown.
    #[error("unknown packet kind {0}")]
    Kind(u8),
    /// The length field does not match the packet.
    #[error("length field {field} of a packet of {found} octets")]
    Length {
        /// Length field of the packet, octets.
        field: u16,
        /// Octets received in the datagram.
        found: usize,
    },
    /// A control packet is not 128 octets long.
    #[error("control packet of {0} octets, expected 128")]
    ControlLength(usize),
    /// The token is that of another session.
    #[error("the packet belongs to another session")]
    Token,
    /// The packet ends within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
    /// The value of a field is undefined.
    #[error("undefined {field} {value}")]
    Value {
        /// Name of the field.
        field: &'static str,
        /// The undefined value of the field.
        value: u8,
    },
}
