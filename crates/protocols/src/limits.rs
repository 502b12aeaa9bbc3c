//! Ranges of fields and parameters and lengths of buffers: what every protocol checks before it emits or begins.

use sojourn_core::Duration;
use thiserror::Error;

/// A field of a packet holds a number beyond its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{field} {value} is beyond {limit}")]
pub struct OutOfRange {
    /// The field.
    pub field: &'static str,
    /// The value it holds.
    pub value: usize,
    /// The largest value it may hold.
    pub limit: usize,
}

/// Refuses a `value` beyond `limit`.
pub(crate) fn within(field: &'static str, value: usize, limit: usize) -> Result<(), OutOfRange> {
    if value > limit { Err(OutOfRange { field, value, limit }) } else { Ok(()) }
}

/// A buffer is shorter than what is to be written into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{needed} bytes are needed and the buffer has {given}")]
pub struct ShortBuffer {
    /// Bytes to be written.
    pub needed: usize,
    /// Bytes of the buffer.
    pub given: usize,
}

/// The first `needed` bytes of a buffer that may be longer.
pub(crate) fn front(buffer: &mut [u8], needed: usize) -> Result<&mut [u8], ShortBuffer> {
    let given = buffer.len();
    buffer.get_mut(..needed).ok_or(ShortBuffer { needed, given })
}

/// A parameter of a protocol machine is beyond its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{parameter} is {value} and must be {least} to {most}")]
pub struct ParameterOutOfRange {
    /// Which.
    pub parameter: &'static str,
    /// What it is.
    pub value: u32,
    /// The least it may be.
    pub least: u32,
    /// The most it may be.
    pub most: u32,
}

/// Refuses a `value` that is not of `least` to `most`.
pub(crate) fn between(parameter: &'static str, value: u32, least: u32, most: u32) -> Result<(), ParameterOutOfRange> {
    if (least..=most).contains(&value) { Ok(()) } else { Err(ParameterOutOfRange { parameter, value, least, most }) }
}

/// Refuses a timer below a millisecond or above an hour: one that ends where it begins would never let time pass.
pub(crate) fn timer(parameter_in_milliseconds: &'static str, span: Duration) -> Result<(), ParameterOutOfRange> {
    let milliseconds = u32::try_from(span.picoseconds() / 1_000_000_000).unwrap_or(u32::MAX);
    between(parameter_in_milliseconds, milliseconds, 1, 3_600_000)
}
