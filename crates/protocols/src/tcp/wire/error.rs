//! Errors of parsing and emitting TCP segments.

use thiserror::Error;

use crate::limits::{ShortBuffer, Truncated};

/// Why bytes cannot be parsed as a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The segment ends within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
    /// The data offset is less than 20 octets or beyond the end of the segment.
    #[error("data offset {offset} is outside 20 to {length} octets")]
    DataOffset {
        /// Data offset, in octets.
        offset: usize,
        /// Octets of the segment.
        length: usize,
    },
    /// The checksum does not match.
    #[error("checksum mismatch")]
    Checksum,
    /// An option's length is invalid for its kind.
    #[error("invalid length {length} of option kind {kind}")]
    OptionLength {
        /// Option kind (RFC 9293, 3.2).
        kind: u8,
        /// Length field of the option, in octets.
        length: u8,
    },
}

/// Why a segment cannot be emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than the segment.
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// The options exceed the 40 octets that a header holds.
    #[error("options of {0} octets exceed 40")]
    Options(usize),
}
