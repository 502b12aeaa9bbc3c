//! Errors of parsing and of emitting ROSE packets.

use thiserror::Error;

use super::NetworkAddressError;
use crate::ax25::wire::AddressError;
use crate::limits::{OutOfRange, ShortBuffer, Trailing, Truncated};

/// Why octets are not a valid ROSE packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Shorter than the header of three octets.
    #[error("a packet of {0} octets is shorter than its header of 3")]
    TooShort(usize),
    /// The packet ends within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
    /// A general format identifier other than that of packets modulo 8.
    #[error("general format identifier {0:x} is not that of packets modulo 8")]
    Format(u8),
    /// A packet type that X.25 does not assign or ROSE does not use.
    #[error("packet type {0:02x} is not assigned")]
    Type(u8),
    /// A network address is invalid.
    #[error(transparent)]
    NetworkAddress(#[from] NetworkAddressError),
    /// The callsign in the named facility is invalid.
    #[error("{facility}: {error}")]
    Callsign {
        /// Name of the facility.
        facility: &'static str,
        /// Why the callsign is invalid.
        error: AddressError,
    },
    /// The callsign in the named facility is not text.
    #[error("{0}: the callsign is not text")]
    Text(&'static str),
    /// More than eight digipeaters on one side.
    #[error("the facilities list more than 8 digipeaters on one side")]
    TooManyDigipeaters,
    /// Octets follow the end of the packet.
    #[error(transparent)]
    Trailing(#[from] Trailing),
}

/// Why a packet cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EmitError {
    /// The buffer is shorter than [`Packet::length`](super::Packet::length).
    #[error(transparent)]
    Buffer(#[from] ShortBuffer),
    /// A field is out of range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
}
