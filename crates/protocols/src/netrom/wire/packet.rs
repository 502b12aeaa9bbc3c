//! The network header: from which node to which, and how many hops it may still go.

use super::ParseError;
use super::address;
use super::body::{Body, HEADER_LENGTH};
use crate::UserData;
use crate::ax25::wire::Address;
use crate::cursor::{Reader, Writer};
use crate::limits::{ShortBuffer, front};

/// Octets of the network header.
pub const NETWORK_HEADER_LENGTH: usize = 15;
/// Octets before the user data of a packet: network header and transport header.
pub const OVERHEAD: usize = NETWORK_HEADER_LENGTH + HEADER_LENGTH;

/// A packet between two nodes: the information of an I frame with PID CF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<D> {
    /// The node it comes from.
    pub origin: Address,
    /// The node it is for.
    pub destination: Address,
    /// Hops it may still go.
    pub ttl: u8,
    /// What it says.
    pub body: Body<D>,
}

impl<D> Packet<D> {
    /// The same packet with other user data.
    pub fn map<E>(self, map: impl FnOnce(D) -> E) -> Packet<E> {
        let Packet { origin, destination, ttl, body } = self;
        Packet { origin, destination, ttl, body: body.map(map) }
    }
}

impl<'a> Packet<&'a [u8]> {
    /// Reads a packet. Octets after the last field of a packet without user data are passed over.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let mut reader = Reader(bytes);
        let origin = address::read(&mut reader, "origin node")?;
        let destination = address::read(&mut reader, "destination node")?;
        let time_to_live = reader.byte("time to live")?;
        let body = Body::read(&mut reader)?;
        Ok(Packet { origin, destination, ttl: time_to_live, body })
    }
}

impl<D: UserData> Packet<D> {
    /// Octets of the packet.
    pub fn length(&self) -> usize {
        NETWORK_HEADER_LENGTH + self.body.length()
    }

    /// Writes the packet to the front of `buffer`; how many octets it took.
    pub fn emit(&self, buffer: &mut [u8]) -> Result<usize, ShortBuffer> {
        let needed = self.length();
        let mut writer = Writer::new(front(buffer, needed)?);
        address::write(&mut writer, self.origin, false);
        address::write(&mut writer, self.destination, true);
        writer.byte(self.ttl);
        self.body.write(&mut writer);
        Ok(needed)
    }

    /// The packet's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.length()];
        self.emit(&mut bytes).expect("a buffer of the packet's length");
        bytes
    }
}
