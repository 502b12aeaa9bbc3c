//! Errors of parsing test packets.

use thiserror::Error;

use crate::limits::Truncated;

/// Why bytes cannot be parsed as a test packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The packet is shorter than the mode requires.
    #[error("test packet of {length} bytes, this mode requires {min}")]
    TooShort {
        /// Length of the packet, bytes.
        length: usize,
        /// Minimum length in this mode, bytes.
        min: usize,
    },
    /// The HMAC does not match: another key, or a modified packet.
    #[error("HMAC mismatch: another key, or a modified packet")]
    Tag,
    /// The packet ends within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
}
