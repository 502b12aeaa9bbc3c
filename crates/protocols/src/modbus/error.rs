//! Errors of parsing and emitting PDUs and frames.

use thiserror::Error;

use super::exception::ExceptionCode;
use crate::limits::{Trailing, Truncated};

/// Why octets are not a PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PduError {
    /// It ends within a field.
    #[error("Modbus PDU {0}")]
    Truncated(#[from] Truncated),
    /// Octets follow.
    #[error("Modbus PDU: {0}")]
    Trailing(#[from] Trailing),
    /// A function without a meaning here.
    #[error("unknown Modbus function {0}")]
    Function(u8),
    /// A count outside the range of its function.
    #[error("a count of {count} for function {function}, which takes 1 to {most}")]
    Count {
        /// The code of the function.
        function: u8,
        /// Bits or registers asked for.
        count: usize,
        /// The most that it takes.
        most: u16,
    },
    /// A coil is written with a value other than 0x0000 and 0xff00.
    #[error("a coil takes 0x0000 or 0xff00, not {0:#06x}")]
    Coil(u16),
    /// The count of octets differs from what the count of bits or registers needs.
    #[error("{given} octets of data, where {needed} are needed")]
    Octets {
        /// The count of octets in the PDU.
        given: usize,
        /// What the data need.
        needed: usize,
    },
    /// The last bit or register has a number above 65 535.
    #[error("{count} from address {address} on exceed address 65535")]
    Address {
        /// The first address.
        address: u16,
        /// How many from there.
        count: u16,
    },
}

impl PduError {
    /// The exception by which a server answers a request with this error.
    pub const fn exception(&self) -> ExceptionCode {
        match self {
            PduError::Function(_) => ExceptionCode::ILLEGAL_FUNCTION,
            PduError::Address { .. } => ExceptionCode::ILLEGAL_DATA_ADDRESS,
            _ => ExceptionCode::ILLEGAL_DATA_VALUE,
        }
    }
}

/// A request or response that has no PDU: too many values, or addresses above 65 535.
pub type EmitError = PduError;

/// Why octets are not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Fewer octets than unit, function and check take.
    #[error("a Modbus frame of {0} octets is too short")]
    TooShort(usize),
    /// More octets than a frame has.
    #[error("the Modbus frame is longer than {0} octets")]
    TooLong(usize),
    /// The CRC or LRC differs.
    #[error("the check of a Modbus frame is {given:#06x} instead of {computed:#06x}")]
    Check {
        /// The value in the frame.
        given: u16,
        /// The value of its octets.
        computed: u16,
    },
    /// More than 1.5 characters of silence within a frame (RTU), or a second (ASCII).
    #[error("a gap within a Modbus frame")]
    Gap,
    /// A character with a wrong parity or stop bit.
    #[error("a damaged character in a Modbus frame")]
    Character,
    /// A character other than a hexadecimal digit between colon and CR LF.
    #[error("character {0:#04x} in an ASCII frame of Modbus")]
    Digit(u8),
    /// The protocol identifier of a TCP frame is not 0.
    #[error("protocol {0} in an MBAP header, where Modbus has 0")]
    Protocol(u16),
    /// The length of a TCP frame is outside its range.
    #[error("a length of {0} in an MBAP header")]
    Length(u16),
}
