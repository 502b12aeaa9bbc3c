//! Errors of parsing and emitting FDDI frames.

use thiserror::Error;

use super::length::{MAX_FRAME, MAX_INFO};
use crate::limits::{OutOfRange, ShortBuffer};

/// Why bytes cannot be parsed as a token or frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Neither a token of one byte nor at least 17 bytes.
    #[error("frame of {0} bytes, the minimum is 17")]
    TooShort(usize),
    /// The frame exceeds the maximum length.
    #[error("frame of {0} bytes, the maximum is {MAX_FRAME}")]
    TooLong(usize),
    /// The frame check sequence (FCS) does not match.
    #[error("FCS mismatch: {found:08x}, expected {expected:08x}")]
    Fcs {
        /// FCS field of the frame received.
        found: u32,
        /// FCS computed over the frame.
        expected: u32,
    },
    /// The frame control is reserved.
    #[error("frame control {0:02x} is not assigned")]
    FrameControl(u8),
    /// The frame control indicates 16-bit addresses.
    #[error("frame control {0:02x} indicates 16-bit addresses")]
    ShortAddresses(u8),
    /// The frame control is that of a token, but a frame follows.
    #[error("frame control {0:02x} is that of a token, but a frame follows")]
    TokenWithFrame(u8),
}

/// Why INFO cannot be parsed as LLC with a SNAP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LlcError {
    /// Shorter than the LLC and SNAP headers.
    #[error("INFO of {0} bytes, LLC and SNAP headers need 8")]
    TooShort(usize),
    /// The LLC header is not that of SNAP with unnumbered information.
    #[error("LLC header {0:02x?}, expected that of SNAP, aa aa 03")]
    NoSnap([u8; 3]),
}

/// Why a frame cannot be emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than [`Frame::length`](super::Frame::length).
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// INFO exceeds its maximum length.
    #[error("INFO of {0} bytes exceeds {MAX_INFO}")]
    TooLong(usize),
    /// The frame control is that of a token.
    #[error("a token has neither addresses nor information")]
    Token,
    /// Station management type 0, whose byte is that of a void frame.
    #[error("station management type 0 is a void frame")]
    NoStationManagement,
    /// The value of a field is out of range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
}
