//! UDP (RFC 768): datagrams, bytes to values and back.

use thiserror::Error;

use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::ip::{Payload, PseudoHeader, protocol};
use crate::limits::Truncated;

/// Octets of the header (RFC 768).
pub const HEADER_LENGTH: usize = 8;

/// A UDP datagram (RFC 768) without length and checksum, which follow from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<D> {
    /// Port of the sender.
    pub source_port: u16,
    /// Port of the receiver.
    pub destination_port: u16,
    /// User data, at most 65 507 octets over IPv4.
    pub data: D,
}

/// Why bytes cannot be parsed as a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// The datagram ends within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
    /// The length field is less than 8 or exceeds the octets received.
    #[error("length field {field} is outside 8 to the {given} octets received")]
    Length {
        /// Length field, in octets.
        field: u16,
        /// Octets received, at least the header's 8.
        given: usize,
    },
    /// The checksum does not match.
    #[error("checksum mismatch")]
    Checksum,
}

impl<'a> Datagram<&'a [u8]> {
    /// Parses a captured datagram, which may be cut or the first fragment of one: also its user data in octets by the length
    /// field.
    pub fn parse_unverified(bytes: &'a [u8]) -> Result<(Self, u16), ParseError> {
        let mut reader = Reader(bytes);
        let (source_port, destination_port) = (reader.u16("source port")?, reader.u16("destination port")?);
        let field = reader.u16("length")?;
        reader.u16("checksum")?;
        let error = ParseError::Length { field, given: bytes.len() };
        let octets = field.checked_sub(HEADER_LENGTH as u16).ok_or(error)?;
        let captured = reader.rest();
        let data = &captured[..captured.len().min(octets.into())];
        Ok((Datagram { source_port, destination_port, data }, octets))
    }

    /// Parses the payload of an IP datagram; octets after the datagram are padding. Checksum 0 means none was computed.
    pub fn parse(bytes: &'a [u8], pseudo: &PseudoHeader) -> Result<Self, ParseError> {
        let mut reader = Reader(bytes);
        let (source_port, destination_port) = (reader.u16("source port")?, reader.u16("destination port")?);
        let (field, checksum) = (reader.u16("length")?, reader.u16("checksum")?);
        let error = ParseError::Length { field, given: bytes.len() };
        let covered = bytes.get(..field.into()).ok_or(error)?;
        let data = covered.get(HEADER_LENGTH..).ok_or(error)?;
        if checksum != 0 && !pseudo.is_valid(covered) {
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
        // 0 means that none was computed
        let checksum = match pseudo.checksum(buffer) {
            0 => 0xffff,
            checksum => checksum,
        };
        buffer[6..8].copy_from_slice(&checksum.to_be_bytes());
        true
    }
}
