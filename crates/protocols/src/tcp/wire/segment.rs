//! A whole segment.

use super::error::{EmitError, ParseError};
use super::header::{Flags, Header};
use super::options::{LARGEST, Options};
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::ip::{Payload, PseudoHeader, protocol};
use crate::limits::front;

/// Octets of the header that every segment has.
const FIXED: usize = 20;

/// A segment: ports, header and data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<D> {
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
    /// What it says.
    pub header: Header,
    /// What it carries.
    pub data: D,
}

impl<'a> Segment<&'a [u8]> {
    /// Reads the octets behind an IP header.
    pub fn parse(bytes: &'a [u8], pseudo: &PseudoHeader) -> Result<Self, ParseError> {
        if !pseudo.is_sound(bytes) {
            return Err(ParseError::Checksum);
        }
        let mut reader = Reader(bytes);
        let (source_port, destination_port) = (reader.u16("source port")?, reader.u16("destination port")?);
        let (sequence, acknowledgement) = (reader.u32("sequence number")?, reader.u32("acknowledgement number")?);
        let offset = usize::from(reader.byte("data offset")? >> 4) * 4;
        let (flags, acknowledges) = Flags::of(reader.byte("control bits")?);
        let window = reader.u16("window")?;
        reader.take(4, "checksum and urgent pointer")?;
        let wrong = ParseError::DataOffset { offset, length: bytes.len() };
        let options = bytes.get(FIXED..offset).ok_or(wrong)?;
        let header = Header {
            sequence,
            acknowledgement: acknowledges.then_some(acknowledgement),
            flags,
            window,
            options: Options::parse(options)?,
        };
        Ok(Segment { source_port, destination_port, header, data: &bytes[offset..] })
    }
}

impl<D: UserData> Segment<D> {
    /// Octets of the segment.
    pub fn length(&self) -> usize {
        FIXED + self.header.options.length() + self.data.length()
    }

    /// Writes the segment to the front of `buffer` and says how long it is.
    pub fn emit(&self, buffer: &mut [u8], pseudo: &PseudoHeader) -> Result<usize, EmitError> {
        let (length, options) = (self.length(), self.header.options.length());
        if options > LARGEST {
            return Err(EmitError::Options(options));
        }
        let buffer = front(buffer, length)?;
        let Header { sequence, acknowledgement, flags, window, .. } = self.header;
        let mut writer = Writer::new(buffer);
        writer.u16(self.source_port);
        writer.u16(self.destination_port);
        writer.u32(sequence);
        writer.u32(acknowledgement.unwrap_or(0));
        writer.byte((((FIXED + options) / 4) << 4) as u8);
        writer.byte(flags.octet(acknowledgement.is_some()));
        writer.u16(window);
        writer.bytes(&[0; 4]);
        self.header.options.emit(writer.space(options));
        self.data.emit(writer.space(self.data.length()));
        let checksum = pseudo.checksum(buffer);
        buffer[16..18].copy_from_slice(&checksum.to_be_bytes());
        Ok(length)
    }

    /// The segment's octets.
    pub fn to_bytes(&self, pseudo: &PseudoHeader) -> Result<Vec<u8>, EmitError> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes, pseudo)?;
        Ok(bytes)
    }
}

impl<D: UserData> Payload for Segment<D> {
    const PROTOCOL: u8 = protocol::TCP;

    fn length(&self) -> usize {
        self.length()
    }

    fn emit(&self, buffer: &mut [u8], pseudo: &PseudoHeader) -> bool {
        self.emit(buffer, pseudo).is_ok()
    }
}
