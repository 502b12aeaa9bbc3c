//! The four kinds of frames.

use sojourn_core::Duration;
use thiserror::Error;

use crate::UserData;

/// A frame, by its protocol control information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pdu<D> {
    /// A whole message.
    Single(D),
    /// The beginning of a message of this many bytes.
    First(u16, D),
    /// A part of a message, with its index modulo 16.
    Consecutive(u8, D),
    /// Flow control: what the sender may do, the block size, and the separation time.
    FlowControl(FlowStatus, u8, Separation),
}

/// What flow control says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowStatus {
    /// Continue to send.
    Continue,
    /// Wait for another flow control.
    Wait,
    /// There is no room for the message.
    Overflow,
}

/// Separation time (STmin), as its octet: milliseconds up to 127, F1 to F9 hundreds of microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Separation(pub u8);

impl Separation {
    /// The time; values that the standard reserves are the longest, 127 ms.
    pub fn span(self) -> Duration {
        match self.0 {
            milliseconds @ 0..=0x7f => Duration::from_millis(milliseconds.into()),
            hundreds @ 0xf1..=0xf9 => Duration::from_micros(100 * u64::from(hundreds - 0xf0)),
            _ => Duration::from_millis(0x7f),
        }
    }

    /// The shortest that is not below a time, at most 127 ms.
    pub fn at_least(span: Duration) -> Separation {
        let hundreds = span.picoseconds().div_ceil(100_000_000);
        match hundreds {
            0 => Separation(0),
            1..=9 => Separation(0xf0 + hundreds as u8),
            _ => Separation(hundreds.div_ceil(10).min(0x7f) as u8),
        }
    }
}

/// Why bytes cannot be parsed as a frame of ISO-TP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PduError {
    /// No byte, or fewer than the control information takes.
    #[error("ISO-TP frame of {0} bytes is shorter than its control information")]
    Short(usize),
    /// More than 64 bytes.
    #[error("ISO-TP frame of {0} bytes, a frame has at most 64")]
    Long(usize),
    /// A type that the standard does not assign.
    #[error("unknown ISO-TP frame type {0}, expected 0 to 3")]
    Type(u8),
    /// A length that does not fit the frame.
    #[error("ISO-TP length {length} does not fit a frame with {data} bytes of data")]
    Length {
        /// As it says.
        length: usize,
        /// What there is.
        data: usize,
    },
    /// A flow status that the standard does not assign.
    #[error("unknown flow status {0}, expected 0 (continue), 1 (wait) or 2 (overflow)")]
    Status(u8),
}

impl<'b> Pdu<&'b [u8]> {
    /// Parses the data of a frame; padding behind a single frame is dropped.
    pub fn parse(bytes: &'b [u8]) -> Result<Self, PduError> {
        let (&first, rest) = bytes.split_first().ok_or(PduError::Short(0))?;
        if bytes.len() > 64 {
            return Err(PduError::Long(bytes.len()));
        }
        let low = first & 15;
        match (first >> 4, rest) {
            (0, rest) if low > 0 => single(low.into(), rest),
            (0, [length, rest @ ..]) if bytes.len() > 8 => single((*length).into(), rest),
            (0, rest) => Err(PduError::Length { length: 0, data: rest.len() }),
            (1, [second, rest @ ..]) => {
                let length = u16::from(low) << 8 | u16::from(*second);
                match usize::from(length) > rest.len() && !rest.is_empty() {
                    true => Ok(Pdu::First(length, rest)),
                    false => Err(PduError::Length { length: length.into(), data: rest.len() }),
                }
            }
            (2, rest) if !rest.is_empty() => Ok(Pdu::Consecutive(low, rest)),
            (3, [block, separation, ..]) => {
                let status = match low {
                    0 => FlowStatus::Continue,
                    1 => FlowStatus::Wait,
                    2 => FlowStatus::Overflow,
                    other => return Err(PduError::Status(other)),
                };
                Ok(Pdu::FlowControl(status, *block, Separation(*separation)))
            }
            (1..=3, _) => Err(PduError::Short(bytes.len())),
            (other, _) => Err(PduError::Type(other)),
        }
    }
}

fn single(length: usize, rest: &[u8]) -> Result<Pdu<&[u8]>, PduError> {
    match rest.get(..length).filter(|_| length > 0) {
        Some(data) => Ok(Pdu::Single(data)),
        None => Err(PduError::Length { length, data: rest.len() }),
    }
}

impl<D: UserData> Pdu<D> {
    /// Bytes of the frame, without padding.
    pub fn length(&self) -> usize {
        match self {
            Pdu::Single(data) if data.length() < 8 => 1 + data.length(),
            Pdu::Single(data) | Pdu::First(_, data) => 2 + data.length(),
            Pdu::Consecutive(_, data) => 1 + data.length(),
            Pdu::FlowControl(..) => 3,
        }
    }

    /// Its bytes in front of a buffer, and their number. Panics where they are more than 64.
    pub fn emit(&self, buffer: &mut [u8; 64]) -> usize {
        let length = self.length();
        let head = match self {
            Pdu::Single(data) if data.length() < 8 => [data.length() as u8, 0, 0],
            Pdu::Single(data) => [0, data.length() as u8, 0],
            Pdu::First(total, _) => [0x10 | (total >> 8) as u8 & 15, *total as u8, 0],
            Pdu::Consecutive(index, _) => [0x20 | index & 15, 0, 0],
            Pdu::FlowControl(status, block, Separation(separation)) => [0x30 | *status as u8, *block, *separation],
        };
        buffer[..3].copy_from_slice(&head);
        if let Pdu::Single(data) | Pdu::First(_, data) | Pdu::Consecutive(_, data) = self {
            data.emit(&mut buffer[length - data.length()..length]);
        }
        length
    }
}
