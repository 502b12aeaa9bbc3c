//! A packet: its header and what it says.

use super::{Body, EmitError, ParseError};
use crate::UserData;
use crate::cursor::{Reader, Writer};
use crate::limits::{front, within};

/// Octets of the header, which a data packet adds to the user's.
pub const HEADER: usize = 3;
/// The highest number of a logical channel.
pub const CHANNEL_LIMIT: u16 = 0x0fff;
/// The general format identifier of packets numbered modulo 8.
const MODULO_8: u8 = 0x10;
const MODULO: u8 = 0x30;
const QUALIFIER: u8 = 0x80;
const DELIVERY: u8 = 0x40;

/// A packet of the X.25 packet layer, numbered modulo 8, as ROSE uses it inside I frames with PID 01.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet<D> {
    /// Q: the data are for the other end's control, not for its user.
    pub q_bit: bool,
    /// D: the far end itself acknowledges.
    pub d_bit: bool,
    /// The logical channel, 0 to 4095; 0 is the link itself.
    pub channel: u16,
    /// What the packet says.
    pub body: Body<D>,
}

impl<D> Packet<D> {
    /// A packet without Q and D.
    pub const fn new(channel: u16, body: Body<D>) -> Self {
        Packet { q_bit: false, d_bit: false, channel, body }
    }

    /// The same packet with other user data.
    pub fn map<E>(self, map: impl FnOnce(D) -> E) -> Packet<E> {
        let Packet { q_bit, d_bit, channel, body } = self;
        Packet { q_bit, d_bit, channel, body: body.map(map) }
    }
}

impl<'a> Packet<&'a [u8]> {
    /// Reads a packet, the information of one I frame.
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
    /// Octets of the packet.
    pub fn length(&self) -> usize {
        HEADER + self.body.length()
    }

    /// Refuses a packet that has no bytes: a number beyond its range.
    pub fn check(&self) -> Result<(), EmitError> {
        within("channel", self.channel.into(), CHANNEL_LIMIT.into())?;
        Ok(self.body.check()?)
    }

    /// Writes the packet to the front of `buffer`; how many octets it took.
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

    /// The packet's bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, EmitError> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes)?;
        Ok(bytes)
    }
}
