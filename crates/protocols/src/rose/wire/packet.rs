//! A packet: its header and body.

use super::{Body, EmitError, ParseError};
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::limits::{front, within};

/// Length of the header in octets.
pub const HEADER: usize = 3;
/// Highest logical channel number.
pub const CHANNEL_LIMIT: u16 = 0x0fff;
/// The general format identifier of packets modulo 8.
const MODULO_8: u8 = 0x10;
const MODULO: u8 = 0x30;
const QUALIFIER: u8 = 0x80;
const DELIVERY: u8 = 0x40;

/// A packet of the X.25 packet layer, modulo 8, as carried in I frames with PID 01.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet<D> {
    /// Q bit: qualified data, for control of the other end instead of its user.
    pub q_bit: bool,
    /// D bit: delivery confirmation by the far end.
    pub d_bit: bool,
    /// Logical channel number, 0 to 4095; 0 for the trunk itself.
    pub channel: u16,
    /// Packet type and contents.
    pub body: Body<D>,
}

impl<D> Packet<D> {
    /// A packet with Q and D bits clear.
    pub const fn new(channel: u16, body: Body<D>) -> Self {
        Packet { q_bit: false, d_bit: false, channel, body }
    }

    /// Converts the user data with `map`.
    pub fn map<E>(self, map: impl FnOnce(D) -> E) -> Packet<E> {
        let Packet { q_bit, d_bit, channel, body } = self;
        Packet { q_bit, d_bit, channel, body: body.map(map) }
    }
}

impl<'a> Packet<&'a [u8]> {
    /// Parses a packet, the information of one I frame.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ParseError> {
        if bytes.len() < HEADER {
            return Err(ParseError::TooShort(bytes.len()));
        }
        let mut reader = Reader(bytes);
        let [format, low, kind]: [u8; HEADER] = reader.array("header")?;
        if format & MODULO != MODULO_8 {
            return Err(ParseError::Format(format >> 4));
        }
        let body = Body::read(kind, &mut reader)?;
        let channel = u16::from_be_bytes([format & 0xf, low]);
        Ok(Packet { q_bit: format & QUALIFIER != 0, d_bit: format & DELIVERY != 0, channel, body })
    }
}

impl<D: UserData> Packet<D> {
    /// Length of the packet in octets.
    pub fn length(&self) -> usize {
        HEADER + self.body.length()
    }

    /// Refuses a packet with a field out of range.
    pub fn check(&self) -> Result<(), EmitError> {
        within("channel", self.channel.into(), CHANNEL_LIMIT.into())?;
        Ok(self.body.check()?)
    }

    /// Writes the packet to the front of `buffer`; returns the octets written.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, EmitError> {
        self.check()?;
        let needed = self.length();
        let mut writer = Writer::new(front(buffer, needed)?);
        let [high, low] = self.channel.to_be_bytes();
        let qualifier = if self.q_bit { QUALIFIER } else { 0 };
        let delivery = if self.d_bit { DELIVERY } else { 0 };
        writer.bytes(&[qualifier | delivery | MODULO_8 | high, low, self.body.kind()]);
        self.body.write(&mut writer);
        Ok(needed)
    }

    /// Encodes the packet to a new vector.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes)?;
        Ok(bytes)
    }
}
