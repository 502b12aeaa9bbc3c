//! Errors that the protocols have in common: fields, parameters and lengths outside their ranges.

use sojourn_core::Duration;
use thiserror::Error;

/// The value of a packet field exceeds its maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{field} {value} exceeds {limit}")]
pub struct OutOfRange {
    /// Name of the field.
    pub field: &'static str,
    /// The rejected value of the field.
    pub value: usize,
    /// The maximum value of the field.
    pub limit: usize,
}

/// Rejects a `value` above `limit`.
pub(crate) fn within(field: &'static str, value: usize, limit: usize) -> Result<(), OutOfRange> {
    if value > limit { Err(OutOfRange { field, value, limit }) } else { Ok(()) }
}

/// A buffer is too short for what is to be written into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("buffer of {given} bytes is shorter than the {needed} needed")]
pub struct ShortBuffer {
    /// Bytes needed for the packet.
    pub needed: usize,
    /// Length of the buffer in bytes.
    pub given: usize,
}

/// The first `needed` bytes of a buffer that may be longer.
pub(crate) fn front(buffer: &mut [u8], needed: usize) -> Result<&mut [u8], ShortBuffer> {
    let given = buffer.len();
    buffer.get_mut(..needed).ok_or(ShortBuffer { needed, given })
}

/// The input ends within the named field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("truncated in the {0}")]
pub struct Truncated(pub &'static str);

/// This number of octets follows where the input should end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0} octets follow the end")]
pub struct Trailing(pub usize);

/// A parameter of a protocol machine is outside its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{parameter} is {value} and must be {min} to {max}")]
pub struct ParameterOutOfRange {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// The rejected value, in the parameter's unit.
    pub value: u32,
    /// Minimum, in the parameter's unit.
    pub min: u32,
    /// Maximum, in the parameter's unit.
    pub max: u32,
}

/// Rejects a `value` outside `min` to `max`.
pub(crate) fn between(parameter: &'static str, value: u32, min: u32, max: u32) -> Result<(), ParameterOutOfRange> {
    if (min..=max).contains(&value) { Ok(()) } else { Err(ParameterOutOfRange { parameter, value, min, max }) }
}

/// Rejects a timer below a millisecond or above an hour: a timer of length zero would keep time from advancing.
pub(crate) fn timer(parameter_in_milliseconds: &'static str, span: Duration) -> Result<(), ParameterOutOfRange> {
    let milliseconds = u32::try_from(span.picoseconds() / 1_000_000_000).unwrap_or(u32::MAX);
    between(parameter_in_milliseconds, milliseconds, 1, 3_600_000)
}
