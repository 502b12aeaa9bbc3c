//! A segment as bytes and as a value (RFC 9293, 3.1).

use super::error::{EmitError, ParseError};
use super::header::{AE, Flags, Header};
use super::options::{MAX_LENGTH, Options};
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::ip::{Payload, PseudoHeader, protocol};
use crate::limits::front;

/// Octets of the header without options.
const FIXED: usize = 20;

/// A segment: ports, header and data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<D> {
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// Sequence numbers, control bits, window and options.
    pub header: Header,
    /// User data, possibly none.
    pub data: D,
}

impl<'a> Segment<&'a [u8]> {
    /// Parses the payload of an IP datagram and verifies its checksum.
    pub fn parse(bytes: &'a [u8], pseudo: &PseudoHeader) -> Result<Self, ParseError> {
        if !pseudo.is_valid(bytes) {
            return Err(ParseError::Checksum);
        }
        Segment::parse_with(bytes, Options::parse)
    }

    /// Parses a captured segment, whose data may be cut and whose checksum the sending adapter may have filled in later. Options
    /// that do not parse are ignored, as hosts ignore them.
    pub fn parse_unverified(bytes: &'a [u8]) -> Result<Self, ParseError> {
        Segment::parse_with(bytes, |options| Ok(Options::tolerant(options)))
    }

    fn parse_with(
        bytes: &'a [u8],
        parse_options: impl Fn(&[u8]) -> Result<Options, ParseError>,
    ) -> Result<Self, ParseError> {
        let mut reader = Reader(bytes);
        let (source_port, destination_port) = (reader.u16("source port")?, reader.u16("destination port")?);
        let (seq, ack) = (reader.u32("sequence number")?, reader.u32("acknowledgement number")?);
        let before = reader.byte("data offset")?;
        let offset = usize::from(before >> 4) * 4;
        let (flags, has_ack) = Flags::of(before, reader.byte("control bits")?);
        let window = reader.u16("window")?;
        reader.take(4, "checksum and urgent pointer")?;
        let error = ParseError::DataOffset { offset, length: bytes.len() };
        let options = bytes.get(FIXED..offset).ok_or(error)?;
        let header = Header { seq, ack: has_ack.then_some(ack), flags, window, options: parse_options(options)? };
        Ok(Segment { source_port, destination_port, header, data: &bytes[offset..] })
    }
}

impl<D: UserData> Segment<D> {
    /// Octets of the segment, header included.
    pub fn length(&self) -> usize {
        FIXED + self.header.options.length() + self.data.length()
    }

    /// Writes the segment to the front of `buffer` and returns its length in octets.
    pub fn emit(&self, buffer: &mut [u8], pseudo: &PseudoHeader) -> Result<usize, EmitError> {
        let (length, options) = (self.length(), self.header.options.length());
        if options > MAX_LENGTH {
            return Err(EmitError::Options(options));
        }
        let buffer = front(buffer, length)?;
        let Header { seq, ack, flags, window, .. } = self.header;
        let mut writer = Writer::new(buffer);
        writer.u16(self.source_port);
        writer.u16(self.destination_port);
        writer.u32(seq);
        writer.u32(ack.unwrap_or(0));
        writer.byte((((FIXED + options) / 4) << 4) as u8 | if flags.ae { AE } else { 0 });
        writer.byte(flags.octet(ack.is_some()));
        writer.u16(window);
        writer.bytes(&[0; 4]);
        self.header.options.emit(writer.space(options));
        self.data.emit(writer.space(self.data.length()));
        let checksum = pseudo.checksum(buffer);
        buffer[16..18].copy_from_slice(&checksum.to_be_bytes());
        Ok(length)
    }

    /// The segment as a new vector of octets.
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
