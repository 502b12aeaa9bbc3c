//! What can be wrong with bytes that claim to be a TCP segment, and with a segment that is to become bytes.

use thiserror::Error;

use crate::cursor::CutField;
use crate::limits::ShortBuffer;

/// Why bytes are no segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The segment ends within the named field.
    #[error("the segment ends within its {0}")]
    Truncated(&'static str),
    /// The data offset points into the header that every segment has, or beyond the segment.
    #[error("the data begin at octet {offset}, which is not within 20 and the segment's {length}")]
    DataOffset {
        /// Where the header says that data begin.
        offset: usize,
        /// Octets of the segment.
        length: usize,
    },
    /// The checksum does not fit.
    #[error("the checksum is wrong")]
    Checksum,
    /// An option's length is not that of its kind.
    #[error("option {kind} has length {length}")]
    OptionLength {
        /// The option's kind.
        kind: u8,
        /// The length it claims.
        length: u8,
    },
}

impl From<CutField> for ParseError {
    fn from(CutField(field): CutField) -> Self {
        ParseError::Truncated(field)
    }
}

/// Why a segment cannot become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than the segment.
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// The options need more than the 40 octets that a header has for them.
    #[error("{0} octets of options are more than 40")]
    Options(usize),
}
