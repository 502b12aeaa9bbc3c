//! What can be wrong with bytes that claim to be a ROSE packet, and with a packet that is to become bytes.

use thiserror::Error;

use super::NetworkAddressError;
use crate::ax25::wire::AddressError;
use crate::cursor::CutField;
use crate::limits::{OutOfRange, ShortBuffer};

/// Why bytes are no ROSE packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Below the three octets of the header.
    #[error("{0} octets are shorter than a packet's header of 3 octets")]
    TooShort(usize),
    /// The packet ends within the named field.
    #[error("the packet ends within its {0}")]
    Truncated(&'static str),
    /// A general format identifier other than of packets numbered modulo 8.
    #[error("general format identifier {0:x} is not of packets numbered modulo 8")]
    Format(u8),
    /// A packet type that is none, or one that ROSE does not use.
    #[error("packet type {0:02x} is not assigned")]
    Type(u8),
    /// A network address makes no sense.
    #[error(transparent)]
    NetworkAddress(#[from] NetworkAddressError),
    /// The callsign in the named facility is none.
    #[error("{facility}: {error}")]
    Callsign {
        /// The facility.
        facility: &'static str,
        /// What is wrong with it.
        error: AddressError,
    },
    /// The callsign in the named facility is no text.
    #[error("{0}: the callsign is no text")]
    Text(&'static str),
    /// More digipeaters on one side than a frame may name.
    #[error("the facilities name more than 8 digipeaters on one side")]
    TooManyDigipeaters,
    /// So many octets follow where the packet ends.
    #[error("{0} octets follow the end of the packet")]
    Trailing(usize),
}

impl From<CutField> for ParseError {
    fn from(CutField(field): CutField) -> Self {
        ParseError::Truncated(field)
    }
}

/// Why a packet cannot become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than [`Packet::length`](super::Packet::length).
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// A field holds a number beyond its range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
}
