//! What can be wrong with bytes that claim to be NET/ROM, and with a value that is to become bytes.

use thiserror::Error;

use crate::ax25::wire::AddressError;
use crate::cursor::CutField;

/// Why bytes are no packet or broadcast of NET/ROM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The bytes end within the named field.
    #[error("the packet ends within its {0}")]
    Truncated(&'static str),
    /// The named address is none.
    #[error("{field}: {error}")]
    Address {
        /// Which address.
        field: &'static str,
        /// What is wrong with it.
        error: AddressError,
    },
    /// A NODES broadcast begins with FF.
    #[error("a NODES broadcast begins with ff, not with {0:02x}")]
    Signature(u8),
}

impl From<CutField> for ParseError {
    fn from(CutField(field): CutField) -> Self {
        ParseError::Truncated(field)
    }
}
