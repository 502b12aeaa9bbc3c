//! What can be wrong with bytes that claim to be of FDDI, and with a frame that is to become bytes.

use thiserror::Error;

use super::length::{LARGEST_FRAME, LARGEST_INFORMATION};
use crate::limits::{OutOfRange, ShortBuffer};

/// Why bytes are no token and no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Neither the one byte of a token nor the 17 of a frame without INFO.
    #[error("{0} bytes are shorter than the shortest frame of 17 bytes")]
    TooShort(usize),
    /// Above the longest frame.
    #[error("{0} bytes are longer than the longest frame of {LARGEST_FRAME} bytes")]
    TooLong(usize),
    /// The frame check sequence does not fit the bytes.
    #[error("the FCS is {found:08x} and should be {expected:08x}")]
    Fcs {
        /// The sequence the frame carries.
        found: u32,
        /// The sequence of its bytes.
        expected: u32,
    },
    /// A frame control that the standard reserves.
    #[error("frame control {0:02x} is not assigned")]
    FrameControl(u8),
    /// A frame control that announces 16-bit addresses.
    #[error("frame control {0:02x} announces 16-bit addresses")]
    ShortAddresses(u8),
    /// A token's frame control with a frame behind it.
    #[error("frame control {0:02x} is a token's, but a frame follows")]
    TokenWithFrame(u8),
}

/// Why the bytes of INFO are no LLC frame with a SNAP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LlcError {
    /// Below the eight bytes of LLC and SNAP.
    #[error("{0} bytes are shorter than the LLC and SNAP headers of 8 bytes")]
    TooShort(usize),
    /// An LLC header other than that of SNAP, unnumbered information.
    #[error("LLC header {0:02x?} is not that of SNAP, aa aa 03")]
    NoSnap([u8; 3]),
}

/// Why a frame cannot become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than [`Frame::length`](super::Frame::length).
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// More INFO than a frame holds.
    #[error("{0} bytes of INFO are more than the {LARGEST_INFORMATION} that a frame holds")]
    TooLong(usize),
    /// The frame control of a token.
    #[error("a token has no addresses and no information")]
    Token,
    /// Station management type 0, whose byte is that of a void frame.
    #[error("station management type 0 is a void frame")]
    NoStationManagement,
    /// A field holds a number beyond its range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
}
