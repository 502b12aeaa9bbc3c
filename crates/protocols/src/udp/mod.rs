//! UDP (RFC 768): datagrams as bytes and as values.

use thiserror::Error;

use crate::UserData;
use crate::cursor::{CutField, Reader, Writer};
use crate::ip::{Payload, PseudoHeader, protocol};

/// Octets of the header.
pub const HEADER_LENGTH: usize = 8;

/// A datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<D> {
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
    /// What it carries, at most 65 507 octets over IPv4.
    pub data: D,
}

/// Why bytes are no datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The datagram ends within the named field.
    #[error("the datagram ends within its {0}")]
    Truncated(&'static str),
    /// The length field does not fit.
    #[error("the length field says {field} octets, of which {given} are there")]
    Length {
        /// What it says.
        field: u16,
        /// Octets given.
        given: usize,
    },
    /// The checksum does not fit.
    #[error("the checksum is wrong")]
    Checksum,
}

impl From<CutField> for ParseError {
    fn from(CutField(field): CutField) -> Self {
        ParseError::Truncated(field)
    }
}

impl<'a> Datagram<&'a [u8]> {
    /// Reads the octets behind an IP header; what follows the datagram is padding. A checksum of 0 was not made.
    pub fn parse(bytes: &'a [u8], pseudo: &PseudoHeader) -> Result<Self, ParseError> {
        let mut reader = Reader(bytes);
        let (source_port, destination_port) = (reader.u16("source port")?, reader.u16("destination port")?);
        let (field, checksum) = (reader.u16("length")?, reader.u16("checksum")?);
        let wrong = ParseError::Length { field, given: bytes.len() };
        let covered = bytes.get(..field.into()).ok_or(wrong)?;
        let data = covered.get(HEADER_LENGTH..).ok_or(wrong)?;
        if checksum != 0 && !pseudo.is_sound(covered) {
            return Err(ParseError::Checksum);
        }
        Ok(Datagram { source_port, destination_port, data })
    }
}

impl<D: UserData> Payload for Datagram<D> {
    const PROTOCOL: u8 = protocol::UDP;

    fn length(&self) -> usize {
        HEADER_LENGTH + self.data.length()
    }

    fn emit(&self, buffer: &mut [u8], pseudo: &PseudoHeader) -> bool {
        let Ok(length) = u16::try_from(buffer.len()) else { return false };
        let mut writer = Writer::new(buffer);
        writer.u16(self.source_port);
        writer.u16(self.destination_port);
        writer.u16(length);
        writer.u16(0);
        self.data.emit(writer.space(self.data.length()));
        // 0 would say that there is none
        let checksum = match pseudo.checksum(buffer) {
            0 => 0xffff,
            checksum => checksum,
        };
        buffer[6..8].copy_from_slice(&checksum.to_be_bytes());
        true
    }
}
