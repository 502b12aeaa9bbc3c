//! What can be wrong with bytes that claim to be an AX.25 frame, and with a frame that is to become bytes.

use thiserror::Error;

use super::{AddressError, XidError};
use crate::cursor::CutField;
use crate::limits::{OutOfRange, ShortBuffer};

/// Why bytes are no AX.25 frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Below two addresses and a control field.
    #[error("{0} octets are shorter than the shortest frame of 15 octets")]
    TooShort(usize),
    /// The frame ends within the named field.
    #[error("the frame ends within its {0}")]
    Truncated(&'static str),
    /// The named address is none.
    #[error("{field}: {error}")]
    Address {
        /// Which address.
        field: &'static str,
        /// What is wrong with it.
        error: AddressError,
    },
    /// The address field ends after the destination.
    #[error("the address field ends after the destination")]
    NoSource,
    /// More than eight digipeaters.
    #[error("the address field names more than 8 digipeaters")]
    TooManyDigipeaters,
    /// A control field that the protocol leaves unused.
    #[error("control field {0:02x} is not assigned")]
    Control(u8),
    /// Information in a frame that has none.
    #[error("{octets} octets of information follow {frame}, which has none")]
    Information {
        /// The frame's name.
        frame: &'static str,
        /// How many octets.
        octets: usize,
    },
    /// A list of sequence numbers with bits that belong to none.
    #[error("octet {0:02x} in the list of an SREJ frame is no sequence number")]
    SequenceNumber(u8),
    /// The information of an XID frame cannot be read.
    #[error(transparent)]
    Xid(#[from] XidError),
}

impl From<CutField> for ParseError {
    fn from(CutField(field): CutField) -> Self {
        ParseError::Truncated(field)
    }
}

/// Why a frame cannot become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than [`Frame::length`](super::Frame::length).
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// A field holds a number beyond its range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// A list of further sequence numbers in a frame other than SREJ, or one that repeats the frame's own N(R).
    #[error("a list of sequence numbers belongs to SREJ alone, and without its own N(R)")]
    List,
}
