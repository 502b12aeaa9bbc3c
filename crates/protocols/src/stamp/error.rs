//! What can be wrong with bytes that claim to be a test packet.

use thiserror::Error;

use crate::cursor::CutField;

/// Why bytes are no test packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Below the length of the mode.
    #[error("{length} bytes are shorter than the {least} of a test packet in this mode")]
    TooShort {
        /// Bytes there are.
        length: usize,
        /// Bytes of a test packet.
        least: usize,
    },
    /// The tag is not that of the packet: another key, or the packet was changed.
    #[error("the HMAC is wrong: another key, or a changed packet")]
    Tag,
    /// The packet ends within the named field.
    #[error("the packet ends within its {0}")]
    Truncated(&'static str),
}

impl From<CutField> for ParseError {
    fn from(CutField(field): CutField) -> Self {
        ParseError::Truncated(field)
    }
}
