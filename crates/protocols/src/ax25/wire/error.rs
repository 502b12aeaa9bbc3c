//! Errors of parsing and of emitting AX.25 frames.

use thiserror::Error;

use super::{AddressError, XidError};
use crate::limits::{OutOfRange, ShortBuffer, Truncated};

/// Why octets are not a valid AX.25 frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Shorter than two addresses and a control field.
    #[error("a frame of {0} octets is shorter than the minimum of 15")]
    TooShort(usize),
    /// The frame ends within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
    /// The named address is invalid.
    #[error("{field}: {error}")]
    Address {
        /// The address field: destination, source or digipeater.
        field: &'static str,
        /// Why the address is invalid.
        error: AddressError,
    },
    /// The address field ends after the destination.
    #[error("the address field ends after the destination")]
    NoSource,
    /// More than eight digipeaters.
    #[error("the address field lists more than 8 digipeaters")]
    TooManyDigipeaters,
    /// A control field that the standard does not assign.
    #[error("control field {0:02x} is not assigned")]
    Control(u8),
    /// An information field in a frame type that has none.
    #[error("{frame} must not have an information field and has {octets} octets")]
    Information {
        /// The frame type's name.
        frame: &'static str,
        /// Length of the information field in octets.
        octets: usize,
    },
    /// An octet in the information field of SREJ that is not a sequence number.
    #[error("octet {0:02x} in the list of an SREJ frame is not a sequence number")]
    SequenceNumber(u8),
    /// The information field of an XID frame is invalid.
    #[error(transparent)]
    Xid(#[from] XidError),
}

/// Why a frame cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than [`Frame::length`](super::Frame::length).
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// A field is out of range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// A list of further sequence numbers in a frame other than SREJ, or a list that repeats the frame's own N(R).
    #[error("only SREJ has a list of sequence numbers, and its own N(R) is not in it")]
    List,
}
