//! Errors of parsing and of emitting KISS frames.

use thiserror::Error;

/// Why bytes between two FENDs are not a valid KISS frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// There is no command byte.
    #[error("empty KISS frame")]
    Empty,
    /// More bytes than the receiver's buffer holds.
    #[error("the KISS frame is longer than {0} bytes")]
    TooLong(usize),
    /// FESC followed by a byte other than TFEND and TFESC.
    #[error("invalid byte {0:02x} after FESC in a KISS frame")]
    Escape(u8),
    /// A command code that KISS does not assign.
    #[error("unknown KISS command {0}")]
    Command(u8),
    /// A command without its argument.
    #[error("KISS command {0} has no value")]
    NoValue(u8),
}

/// A port number above 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("KISS port {0} exceeds 15")]
pub struct PortError(pub u8);
