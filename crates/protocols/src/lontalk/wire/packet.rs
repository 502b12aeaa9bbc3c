//! The whole LPDU: link header, network header, addresses, the enclosed PDU and the CRC.

use crc::{CRC_16_GENIBUS, Crc};

use super::address::{Destination, Domain, SubnetNode};
use super::application::Apdu;
use super::challenge::AuthPdu;
use super::error::{EmitError, ParseError};
use super::transport::{Numbering, Spdu, Tpdu};
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::limits::{front, within};

/// Minimum length of an LPDU in bytes, header and CRC included; receivers drop shorter ones.
pub const SHORTEST: usize = 8;
/// Maximum length of an LPDU in bytes: an NPDU of 249 bytes, the link header and the CRC.
pub const LONGEST: usize = 252;

/// A packet on a channel, with the headers of all layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<D> {
    /// The link header: priority, path, backlog.
    pub link: Link,
    /// The domain of both addresses.
    pub domain: Domain,
    /// Subnet and node of the source.
    pub source: SubnetNode,
    /// The destination, in any address format.
    pub destination: Destination,
    /// The PDU enclosed in the NPDU.
    pub body: Body<D>,
}

/// The header of layer 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Link {
    /// Priority: sent in a priority slot if the node has one.
    pub priority: bool,
    /// Alternate path of a transceiver with two.
    pub alternate_path: bool,
    /// Delta backlog: packets that this one will cause, 0 to 63.
    pub delta_backlog: u8,
}

/// The PDU that an NPDU encloses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<D> {
    /// A TPDU of the transport layer.
    Transport(Numbering, Tpdu<D>),
    /// An SPDU of the session layer.
    Session(Numbering, Spdu<D>),
    /// An AuthPDU of the authentication server.
    Authentication(AuthPdu),
    /// An APDU of unacknowledged service.
    Application(Apdu<D>),
}

/// The CRC of an LPDU's bytes before it: generator 0x1021, preset to ones, complemented.
pub fn crc(bytes: &[u8]) -> u16 {
    const CRC: Crc<u16> = Crc::<u16>::new(&CRC_16_GENIBUS);
    CRC.checksum(bytes)
}

impl Link {
    fn parse(byte: u8) -> Self {
        Link { priority: byte & 0x80 != 0, alternate_path: byte & 0x40 != 0, delta_backlog: byte & 0x3f }
    }

    fn emit(&self) -> u8 {
        u8::from(self.priority) << 7 | u8::from(self.alternate_path) << 6 | self.delta_backlog
    }
}

impl<D> Body<D> {
    const fn code(&self) -> u8 {
        match self {
            Body::Transport(..) => 0,
            Body::Session(..) => 1,
            Body::Authentication(_) => 2,
            Body::Application(_) => 3,
        }
    }

    /// The APDU, if the PDU carries one.
    pub fn apdu(&self) -> Option<&Apdu<D>> {
        match self {
            Body::Transport(_, pdu) => pdu.apdu(),
            Body::Session(_, pdu) => pdu.apdu(),
            Body::Authentication(_) => None,
            Body::Application(apdu) => Some(apdu),
        }
    }

    fn map<E>(self, data: impl FnOnce(D) -> E) -> Body<E> {
        match self {
            Body::Transport(numbering, pdu) => Body::Transport(numbering, pdu.map(data)),
            Body::Session(numbering, pdu) => Body::Session(numbering, pdu.map(data)),
            Body::Authentication(pdu) => Body::Authentication(pdu),
            Body::Application(apdu) => Body::Application(apdu.map(data)),
        }
    }
}

impl<D> Packet<D> {
    /// Converts the user data with `map`.
    pub fn map<E>(self, data: impl FnOnce(D) -> E) -> Packet<E> {
        Packet {
            link: self.link,
            domain: self.domain,
            source: self.source,
            destination: self.destination,
            body: self.body.map(data),
        }
    }
}

impl<'a> Packet<&'a [u8]> {
    /// Parses an LPDU, CRC included.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ParseError> {
        if bytes.len() < SHORTEST {
            return Err(ParseError::TooShort(bytes.len()));
        }
        if bytes.len() > LONGEST {
            return Err(ParseError::TooLong(bytes.len()));
        }
        let (covered, checksum) = bytes.split_at(bytes.len() - 2);
        let found = u16::from_be_bytes([checksum[0], checksum[1]]);
        let expected = crc(covered);
        if found != expected {
            return Err(ParseError::Crc { found, expected });
        }
        Packet::parse_without_crc(covered)
    }

    /// Parses an LPDU from a datagram. Some senders leave its CRC 0 there, since UDP has a checksum of its own; whether it was
    /// left so is returned beside it.
    pub fn parse_of_datagram(bytes: &'a [u8]) -> Result<(Self, bool), ParseError> {
        match Packet::parse(bytes) {
            Err(ParseError::Crc { found: 0, .. }) => Ok((Packet::parse_without_crc(&bytes[..bytes.len() - 2])?, true)),
            parsed => Ok((parsed?, false)),
        }
    }

    /// Parses what the CRC covers.
    pub(super) fn parse_without_crc(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let mut reader = Reader(bytes);
        let link = Link::parse(reader.byte("link header")?);
        let header = reader.byte("NPDU header")?;
        if header >> 6 != 0 {
            return Err(ParseError::Version(header >> 6));
        }
        let (source, destination) = Destination::parse(header >> 2 & 3, &mut reader)?;
        let domain = Domain::parse(header & 3, &mut reader)?;
        let body = match header >> 4 & 3 {
            0 => Tpdu::parse(&mut reader).map(|(numbering, pdu)| Body::Transport(numbering, pdu))?,
            1 => Spdu::parse(&mut reader).map(|(numbering, pdu)| Body::Session(numbering, pdu))?,
            2 => Body::Authentication(AuthPdu::parse(&mut reader)?),
            _ => Body::Application(Apdu::parse(&mut reader)?),
        };
        reader.end()?;
        Ok(Packet { link, domain, source, destination, body })
    }
}

impl<D: UserData> Packet<D> {
    /// Length of the LPDU in bytes, header and CRC included.
    pub fn length(&self) -> usize {
        let body = match &self.body {
            Body::Transport(_, pdu) => pdu.length(),
            Body::Session(_, pdu) => pdu.length(),
            Body::Authentication(pdu) => pdu.length(),
            Body::Application(apdu) => apdu.length(),
        };
        2 + self.destination.length() + self.domain.length() + body + 2
    }

    /// Refuses a packet with a field out of range, or too much data.
    pub fn check(&self) -> Result<(), EmitError> {
        within("delta backlog", usize::from(self.link.delta_backlog), 63)?;
        self.destination.check(self.source)?;
        match &self.body {
            Body::Transport(numbering, pdu) => numbering.check().and_then(|()| pdu.check())?,
            Body::Session(numbering, pdu) => numbering.check().and_then(|()| pdu.check())?,
            Body::Authentication(pdu) => pdu.check()?,
            Body::Application(apdu) => apdu.check()?,
        }
        let length = self.length();
        if length > LONGEST { Err(EmitError::TooLong(length)) } else { Ok(()) }
    }

    /// Writes the LPDU to the front of `buffer`; returns the bytes written.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, EmitError> {
        self.check()?;
        let needed = self.length();
        let mut writer = Writer::new(front(buffer, needed)?);
        writer.byte(self.link.emit());
        writer.byte(self.body.code() << 4 | self.destination.format() << 2 | self.domain.code());
        self.destination.emit(self.source, &mut writer);
        writer.bytes(self.domain.id());
        match &self.body {
            Body::Transport(numbering, pdu) => pdu.emit(*numbering, &mut writer),
            Body::Session(numbering, pdu) => pdu.emit(*numbering, &mut writer),
            Body::Authentication(pdu) => pdu.emit(&mut writer),
            Body::Application(apdu) => apdu.emit(&mut writer),
        }
        let checksum = crc(writer.written());
        writer.bytes(&checksum.to_be_bytes());
        Ok(needed)
    }

    /// Encodes the LPDU to a new vector.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes)?;
        Ok(bytes)
    }
}
