//! Errors of parsing NET/ROM packets and broadcasts.

use thiserror::Error;

use crate::ax25::wire::AddressError;
use crate::limits::Truncated;

/// Why octets are not a valid NET/ROM packet or broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The bytes end within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
    /// The named address is invalid.
    #[error("{field}: {error}")]
    Address {
        /// The name of the address field.
        field: &'static str,
        /// Why the address is invalid.
        error: AddressError,
    },
    /// A NODES broadcast begins with FF.
    #[error("a NODES broadcast begins with ff, not with {0:02x}")]
    Signature(u8),
}
