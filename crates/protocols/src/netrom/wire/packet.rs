//! The network header: origin, destination and time to live.

use super::ParseError;
use super::address;
use super::body::{Body, HEADER_LENGTH};
use crate::UserData;
use crate::ax25::wire::Address;
use crate::cursor::{Reader, Writer};
use crate::limits::{ShortBuffer, front};

/// Length of the network header in octets.
pub const NETWORK_HEADER_LENGTH: usize = 15;
/// Length of network and transport header in octets.
pub const OVERHEAD: usize = NETWORK_HEADER_LENGTH + HEADER_LENGTH;

/// A packet between two nodes: the information of an I frame with PID CF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<D> {
    /// The node that originated the packet.
    pub origin: Address,
    /// The node that the packet is addressed to.
    pub destination: Address,
    /// Time to live: remaining hops.
    pub ttl: u8,
    /// The transport header and user data.
    pub body: Body<D>,
}

impl<D> Packet<D> {
    /// Converts the user data with `map`.
    pub fn map<E>(self, map: impl FnOnce(D) -> E) -> Packet<E> {
        let Packet { origin, destination, ttl, body } = self;
        Packet { origin, destination, ttl, body: body.map(map) }
    }
}

impl<'a> Packet<&'a [u8]> {
    /// Parses a packet. Octets after the last field of a packet without user data are ignored.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let mut reader = Reader(bytes);
        let origin = address::read(&mut reader, "origin node")?;
        let destination = address::read(&mut reader, "destination node")?;
        let ttl = reader.byte("time to live")?;
        let body = Body::read(&mut reader)?;
        Ok(Packet { origin, destination, ttl, body })
    }
}

impl<D: UserData> Packet<D> {
    /// Length of the packet in octets.
    pub fn length(&self) -> usize {
        NETWORK_HEADER_LENGTH + self.body.length()
    }

    /// Writes the packet to the front of `buffer`; returns the octets written.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, ShortBuffer> {
        let needed = self.length();
        let mut writer = Writer::new(front(buffer, needed)?);
        address::write(&mut writer, self.origin, false);
        address::write(&mut writer, self.destination, true);
        writer.byte(self.ttl);
        self.body.write(&mut writer);
        Ok(needed)
    }

    /// Encodes the packet to a new vector.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes).expect("a buffer of the packet's length");
        bytes
    }
}
