//! Packets: header, body and checksum.

use super::control::{self, Control, Span};
use super::diagnostic::Diagnostic;
use super::error::{EmitError, ParseError};
use super::header::{CHECK, HEADER_LENGTH, Header, Key, Options};
use super::segment::{Address, Traffic};
use crate::UserData;
use crate::checksum;
use crate::cursor::{Reader, Writer};
use crate::limits::front;

/// A packet of XTP 4.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet<D> {
    /// Header fields that do not follow from the body.
    pub header: Header,
    /// Body, by packet format.
    pub body: Body<D>,
}

/// The packet formats of XTP 4.0, with their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<D> {
    /// DATA (0): user data.
    Data {
        /// Eight bytes of the user before the data, with [`Options::BTAG`].
        tag: Option<[u8; 8]>,
        /// Data bytes, possibly none.
        data: D,
    },
    /// CNTL (1): control segment.
    Control(Control),
    /// FIRST (2): opens an association; may carry data.
    First {
        /// Address segment: the listener, and the sender's own address.
        address: Address,
        /// Traffic segment: service and rates that the sender requests.
        traffic: Traffic,
        /// Data bytes, possibly none.
        data: D,
    },
    /// ECNTL (3): control segment with spans received out of order.
    ErrorControl(Control, Vec<Span>),
    /// TCNTL (5): control segment with traffic granted and the sender's key.
    TrafficControl {
        /// Control segment with the receive state of the sender.
        control: Control,
        /// `xkey`: the key of the sender's context.
        xkey: Key,
        /// Traffic that the sender grants.
        traffic: Traffic,
    },
    /// JCNTL (7): request to join a multicast association.
    JoinControl {
        /// Control segment with the receive state of the sender.
        control: Control,
        /// `xkey`: the key of the sender's context.
        xkey: Key,
        /// Address of the association.
        address: Address,
        /// Traffic that the sender grants.
        traffic: Traffic,
    },
    /// DIAG (8): error report.
    Diagnostic(Diagnostic),
}

const DATA: u8 = 0;
const CNTL: u8 = 1;
const FIRST: u8 = 2;
const ECNTL: u8 = 3;
const TCNTL: u8 = 5;
const JOIN: u8 = 6;
const JCNTL: u8 = 7;
const DIAG: u8 = 8;
/// Control, four reserved bytes and the key of a TCNTL or JCNTL.
const EXCHANGE_LENGTH: usize = Control::LENGTH + 12;

impl<D> Body<D> {
    /// Number of the format.
    pub const fn format(&self) -> u8 {
        match self {
            Body::Data { .. } => DATA,
            Body::Control(_) => CNTL,
            Body::First { .. } => FIRST,
            Body::ErrorControl(..) => ECNTL,
            Body::TrafficControl { .. } => TCNTL,
            Body::JoinControl { .. } => JCNTL,
            Body::Diagnostic(_) => DIAG,
        }
    }

    /// Name of the format in the standard.
    pub const fn name(&self) -> &'static str {
        match self {
            Body::Data { .. } => "DATA",
            Body::Control(_) => "CNTL",
            Body::First { .. } => "FIRST",
            Body::ErrorControl(..) => "ECNTL",
            Body::TrafficControl { .. } => "TCNTL",
            Body::JoinControl { .. } => "JCNTL",
            Body::Diagnostic(_) => "DIAG",
        }
    }

    /// User data, of formats that carry them.
    pub const fn data(&self) -> Option<&D> {
        match self {
            Body::Data { data, .. } | Body::First { data, .. } => Some(data),
            _ => None,
        }
    }

    /// Control segment, of formats that carry one.
    pub const fn control(&self) -> Option<&Control> {
        match self {
            Body::Control(control)
            | Body::ErrorControl(control, _)
            | Body::TrafficControl { control, .. }
            | Body::JoinControl { control, .. } => Some(control),
            Body::Data { .. } | Body::First { .. } | Body::Diagnostic(_) => None,
        }
    }

    fn map<E>(self, convert: impl FnOnce(D) -> E) -> Body<E> {
        match self {
            Body::Data { tag, data } => Body::Data { tag, data: convert(data) },
            Body::Control(control) => Body::Control(control),
            Body::First { address, traffic, data } => Body::First { address, traffic, data: convert(data) },
            Body::ErrorControl(control, spans) => Body::ErrorControl(control, spans),
            Body::TrafficControl { control, xkey, traffic } => Body::TrafficControl { control, xkey, traffic },
            Body::JoinControl { control, xkey, address, traffic } => {
                Body::JoinControl { control, xkey, address, traffic }
            }
            Body::Diagnostic(diagnostic) => Body::Diagnostic(diagnostic),
        }
    }
}

impl<D> Packet<D> {
    /// The same packet with other user data.
    pub fn map<E>(self, data: impl FnOnce(D) -> E) -> Packet<E> {
        Packet { header: self.header, body: self.body.map(data) }
    }
}

impl<'a> Packet<&'a [u8]> {
    /// Parses a packet of exactly `bytes` and verifies its checksum.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let (header, format, check) = parse_header(bytes)?;
        let covered = if header.options.contains(Options::NOCHECK) { &bytes[..HEADER_LENGTH] } else { bytes };
        let expected = checksum::complement(checksum::without(checksum::sum(covered), check));
        if check != expected {
            return Err(ParseError::Checksum { found: check, expected });
        }
        parse_body(header, format, &bytes[HEADER_LENGTH..])
    }

    /// Parses the first `bytes` of a packet of `length` bytes, as a capture may hold it, without verifying its checksum;
    /// also returns the length of its user data before it was cut.
    pub fn parse_cut(bytes: &'a [u8], length: usize) -> Result<(Self, usize), ParseError> {
        if bytes.len() < HEADER_LENGTH {
            return Err(ParseError::TooShort(bytes.len()));
        }
        let (header, shape) = Header::parse(&mut Reader(bytes))?;
        let found = length.saturating_sub(HEADER_LENGTH);
        if shape.dlen as usize != found || bytes.len() > length {
            return Err(ParseError::Length { field: shape.dlen, found });
        }
        let packet = parse_body(header, shape.format, &bytes[HEADER_LENGTH..])?;
        let data = packet.body.data().map_or(0, |data| data.len() + length - bytes.len());
        Ok((packet, data))
    }

    /// Parses a packet without verifying its checksum.
    pub(super) fn parse_without_checksum(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let (header, format, _) = parse_header(bytes)?;
        parse_body(header, format, &bytes[HEADER_LENGTH..])
    }
}

fn parse_header(bytes: &[u8]) -> Result<(Header, u8, u16), ParseError> {
    if bytes.len() < HEADER_LENGTH {
        return Err(ParseError::TooShort(bytes.len()));
    }
    let (header, shape) = Header::parse(&mut Reader(bytes))?;
    let found = bytes.len() - HEADER_LENGTH;
    if shape.dlen as usize != found {
        return Err(ParseError::Length { field: shape.dlen, found });
    }
    Ok((header, shape.format, shape.check))
}

fn parse_body(header: Header, format: u8, bytes: &[u8]) -> Result<Packet<&[u8]>, ParseError> {
    let mut reader = Reader(bytes);
    let body = match format {
        DATA => {
            let tagged = header.options.contains(Options::BTAG);
            Body::Data { tag: tagged.then(|| reader.array("tag")).transpose()?, data: reader.rest() }
        }
        CNTL => Body::Control(Control::parse(&mut reader)?),
        FIRST => Body::First {
            address: Address::parse(&mut reader)?,
            traffic: Traffic::parse(&mut reader)?,
            data: reader.rest(),
        },
        ECNTL => Body::ErrorControl(Control::parse(&mut reader)?, control::parse_spans(&mut reader)?),
        TCNTL => {
            let (control, xkey) = parse_exchange(&mut reader)?;
            Body::TrafficControl { control, xkey, traffic: Traffic::parse(&mut reader)? }
        }
        JOIN => return Err(ParseError::ObsoleteJoin),
        JCNTL => {
            let (control, xkey) = parse_exchange(&mut reader)?;
            let address = Address::parse(&mut reader)?;
            Body::JoinControl { control, xkey, address, traffic: Traffic::parse(&mut reader)? }
        }
        DIAG => Body::Diagnostic(Diagnostic::parse(&mut reader)?),
        other => return Err(ParseError::Format(other)),
    };
    reader.end()?;
    Ok(Packet { header, body })
}

fn parse_exchange(reader: &mut Reader<'_>) -> Result<(Control, Key), ParseError> {
    let control = Control::parse(reader)?;
    reader.u32("reserved field")?;
    Ok((control, Key(reader.u64("exchange key")?)))
}

fn emit_exchange(control: &Control, key: Key, writer: &mut Writer<'_>) {
    control.emit(writer);
    writer.u32(0);
    writer.u64(key.0);
}

impl<D: UserData> Body<D> {
    /// `dlen`: bytes after the header.
    pub fn length(&self) -> usize {
        match self {
            Body::Data { tag, data } => tag.map_or(0, |tag| tag.len()) + data.length(),
            Body::Control(_) => Control::LENGTH,
            Body::First { address, traffic, data } => address.length() + traffic.length() + data.length(),
            Body::ErrorControl(_, spans) => Control::LENGTH + 4 + Span::LENGTH * spans.len(),
            Body::TrafficControl { traffic, .. } => EXCHANGE_LENGTH + traffic.length(),
            Body::JoinControl { address, traffic, .. } => EXCHANGE_LENGTH + address.length() + traffic.length(),
            Body::Diagnostic(diagnostic) => diagnostic.length(),
        }
    }

    fn emit(&self, writer: &mut Writer<'_>) {
        match self {
            Body::Data { tag, data } => {
                writer.bytes(tag.as_ref().map_or(&[], |tag| &tag[..]));
                data.emit(writer.space(data.length()));
            }
            Body::Control(control) => control.emit(writer),
            Body::First { address, traffic, data } => {
                address.emit(writer);
                traffic.emit(writer);
                data.emit(writer.space(data.length()));
            }
            Body::ErrorControl(control, spans) => {
                control.emit(writer);
                control::emit_spans(spans, writer);
            }
            Body::TrafficControl { control, xkey, traffic } => {
                emit_exchange(control, *xkey, writer);
                traffic.emit(writer);
            }
            Body::JoinControl { control, xkey, address, traffic } => {
                emit_exchange(control, *xkey, writer);
                address.emit(writer);
                traffic.emit(writer);
            }
            Body::Diagnostic(diagnostic) => diagnostic.emit(writer),
        }
    }
}

impl<D: UserData> Packet<D> {
    /// Length of the packet, bytes.
    pub fn length(&self) -> usize {
        HEADER_LENGTH + self.body.length()
    }

    /// Rejects a packet that cannot be emitted: too long, or BTAG without a tag.
    pub fn check(&self) -> Result<(), EmitError> {
        if let Body::Data { tag, .. } = &self.body
            && tag.is_some() != self.header.options.contains(Options::BTAG)
        {
            return Err(EmitError::Tag);
        }
        let length = self.body.length();
        u32::try_from(length).map(|_| ()).map_err(|_| EmitError::TooLong(length))
    }

    /// Writes the packet to the front of `buffer`; returns its length.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, EmitError> {
        self.check()?;
        let needed = self.length();
        let buffer = front(buffer, needed)?;
        let mut writer = Writer::new(buffer);
        self.header.emit(self.body.format(), (needed - HEADER_LENGTH) as u32, &mut writer);
        self.body.emit(&mut writer);
        let covered = if self.header.options.contains(Options::NOCHECK) { HEADER_LENGTH } else { needed };
        let check = checksum::complement(checksum::sum(&buffer[..covered]));
        buffer[CHECK].copy_from_slice(&check.to_be_bytes());
        Ok(needed)
    }

    /// The packet as a new vector of bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes)?;
        Ok(bytes)
    }
}
