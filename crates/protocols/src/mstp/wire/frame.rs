//! Frames, from preamble to data CRC.

use super::cobs;
use super::crc::{data_crc, header_crc};
use super::error::{EmitError, Fault};
use super::kind::FrameType;
use super::length::{LONGEST_DATA, LONGEST_EXTENDED_DATA};
use crate::UserData;

/// The octets before every frame.
pub const PREAMBLE: [u8; 2] = [0x55, 0xff];
/// Octets of a frame without data.
pub const SHORTEST: usize = 8;
/// Octets of the data CRC. The length field of an encoded frame leaves out as many, so that nodes that do not know its type
/// skip it to its end.
const DATA_CRC: usize = 2;
/// The most that the length field of an encoded frame can say.
const LONGEST_ENCODED: usize = cobs::longest(LONGEST_EXTENDED_DATA) - DATA_CRC;

/// One frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame<D> {
    /// What it is.
    pub kind: FrameType,
    /// The node it is for, or [`BROADCAST`](crate::mstp::BROADCAST).
    pub destination: u8,
    /// The node that sends it.
    pub source: u8,
    /// Its data, decoded; empty where the type has none.
    pub data: D,
}

/// The header of a frame: all of a frame for another node that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the frame is.
    pub kind: FrameType,
    /// The node it is for.
    pub destination: u8,
    /// The node that sends it.
    pub source: u8,
    /// The length field: octets of data, of an encoded frame those of the encoded field less 2.
    pub length: u16,
}

impl Header {
    /// Parses type to header CRC.
    pub fn parse(octets: &[u8; 6]) -> Result<Self, Fault> {
        let [kind, destination, source, high, low, found] = *octets;
        let expected = header_crc(&octets[..5]);
        if found != expected {
            return Err(Fault::HeaderCrc { found, expected });
        }
        Ok(Header { kind: FrameType::of(kind), destination, source, length: u16::from_be_bytes([high, low]) })
    }

    /// Octets that follow the header: data and their CRC, nothing where there are no data.
    pub fn following(self) -> usize {
        if self.length == 0 { 0 } else { usize::from(self.length) + DATA_CRC }
    }

    /// Rejects more data than the type may carry.
    pub fn check(self) -> Result<(), Fault> {
        let limit = if self.kind.is_encoded() { LONGEST_ENCODED } else { LONGEST_DATA };
        let length = usize::from(self.length);
        if length > limit { Err(Fault::TooLong(length)) } else { Ok(()) }
    }

    /// The frame of this header and the octets that follow it; encoded data are decoded into `decoded`.
    pub(super) fn with_field<'a>(self, field: &'a [u8], decoded: &'a mut Vec<u8>) -> Result<Frame<&'a [u8]>, Fault> {
        self.check()?;
        let Header { kind, destination, source, .. } = self;
        let frame = |data: &'a [u8]| Frame { kind, destination, source, data };
        if kind.is_encoded() && self.length > 0 {
            decoded.clear();
            cobs::parse(field, decoded)?;
            let length = decoded.len();
            return if length > LONGEST_EXTENDED_DATA { Err(Fault::TooLong(length)) } else { Ok(frame(decoded)) };
        }
        let Some((data, crc)) = field.split_last_chunk::<DATA_CRC>() else { return Ok(frame(&[])) };
        let (found, expected) = (u16::from_le_bytes(*crc), data_crc(data));
        if found == expected { Ok(frame(data)) } else { Err(Fault::DataCrc { found, expected }) }
    }
}

impl<'a> Frame<&'a [u8]> {
    /// Parses a whole frame from its preamble on; what follows it, a pad octet FF for one, is ignored. Data of an encoded frame
    /// are in `decoded`.
    pub fn parse(octets: &'a [u8], decoded: &'a mut Vec<u8>) -> Result<Self, Fault> {
        let short = |expected| Fault::TooShort { found: octets.len(), expected };
        let (&preamble, rest) = octets.split_first_chunk::<2>().ok_or(short(SHORTEST))?;
        if preamble != PREAMBLE {
            return Err(Fault::Preamble(preamble));
        }
        let (header, rest) = rest.split_first_chunk::<6>().ok_or(short(SHORTEST))?;
        let header = Header::parse(header)?;
        let field = rest.get(..header.following()).ok_or(short(SHORTEST + header.following()))?;
        header.with_field(field, decoded)
    }

    /// The frame with data of its own.
    pub fn to_owned(&self) -> Frame<Vec<u8>> {
        self.with_data(self.data.to_vec())
    }
}

impl<D> Frame<D> {
    /// The frame of the same header with other data.
    pub fn with_data<E>(&self, data: E) -> Frame<E> {
        Frame { kind: self.kind, destination: self.destination, source: self.source, data }
    }
}

impl<D: Default> Frame<D> {
    /// A frame without data.
    pub fn bare(kind: FrameType, destination: u8, source: u8) -> Self {
        Frame { kind, destination, source, data: D::default() }
    }
}

impl<D: UserData> Frame<D> {
    /// Octets from preamble to data CRC; of an encoded frame at most, since that depends on its zeros.
    pub fn longest(&self) -> usize {
        longest_on_the_wire(self.kind, self.data.length())
    }

    /// Appends the frame from preamble to data CRC.
    pub fn emit(&self, octets: &mut Vec<u8>) -> Result<(), EmitError> {
        let (kind, length) = (self.kind, self.data.length());
        let limit = match kind {
            kind if kind.is_bare() => 0,
            kind if kind.is_encoded() => LONGEST_EXTENDED_DATA,
            _ => LONGEST_DATA,
        };
        if length > limit {
            return Err(EmitError::TooLong { kind, length, limit });
        }
        let start = octets.len();
        octets.extend(PREAMBLE);
        octets.extend([kind.octet(), self.destination, self.source, 0, 0, 0]);
        let data = octets.len();
        if length > 0 {
            self.emit_data(length, octets);
        }
        let field = (octets.len() - data).saturating_sub(DATA_CRC) as u16;
        octets[start + 5..start + 7].copy_from_slice(&field.to_be_bytes());
        octets[start + 7] = header_crc(&octets[start + 2..start + 7]);
        Ok(())
    }

    fn emit_data(&self, length: usize, octets: &mut Vec<u8>) {
        let start = octets.len();
        octets.resize(start + length, 0);
        self.data.emit(&mut octets[start..]);
        if self.kind.is_encoded() {
            let data = octets.split_off(start);
            cobs::emit(&data, octets);
        } else {
            let crc = data_crc(&octets[start..]);
            octets.extend(crc.to_le_bytes());
        }
    }

    /// The octets from preamble to data CRC.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let mut octets = Vec::with_capacity(self.longest());
        self.emit(&mut octets)?;
        Ok(octets)
    }
}

/// Octets on the wire of a frame with `length` octets of data: exact, but for encoded frames the most that it can be.
pub const fn longest_on_the_wire(kind: FrameType, length: usize) -> usize {
    match length {
        0 => SHORTEST,
        length if kind.is_encoded() => SHORTEST + cobs::longest(length),
        length => SHORTEST + length + DATA_CRC,
    }
}
