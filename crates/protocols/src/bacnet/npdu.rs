//! The header of the network layer (clause 6.2).

use thiserror::Error;

use crate::cursor::Reader;
use crate::limits::Truncated;

/// The version of the protocol.
const VERSION: u8 = 1;

/// Bits of the control octet.
mod control {
    pub const NETWORK_MESSAGE: u8 = 0x80;
    pub const DESTINATION: u8 = 0x20;
    pub const SOURCE: u8 = 0x08;
    pub const EXPECTS_REPLY: u8 = 0x04;
}

/// A packet of the network layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Npdu<'a> {
    /// Network, length and address of a destination behind a router; empty without one.
    pub destination: &'a [u8],
    /// The same of a source behind a router.
    pub source: &'a [u8],
    /// Whether the sender expects a reply.
    pub expects_reply: bool,
    /// Whether the payload is a message of the network layer itself.
    pub is_network_message: bool,
    /// The PDU of the application layer, or that message.
    pub payload: &'a [u8],
}

/// Why octets are not a packet of the network layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NpduError {
    /// It ends within its header.
    #[error("NPDU {0}")]
    Truncated(#[from] Truncated),
    /// Another version.
    #[error("version {0} of the network layer, expected {VERSION}")]
    Version(u8),
}

impl<'a> Npdu<'a> {
    /// Parses a packet.
    pub fn parse(octets: &'a [u8]) -> Result<Npdu<'a>, NpduError> {
        let mut reader = Reader(octets);
        let version = reader.byte("version")?;
        if version != VERSION {
            return Err(NpduError::Version(version));
        }
        let control = reader.byte("control")?;
        let mut address = |is_present: bool| -> Result<&'a [u8], Truncated> {
            if !is_present {
                return Ok(&[]);
            }
            let length = reader.0.get(2).copied().unwrap_or_default();
            reader.take(3 + usize::from(length), "address")
        };
        let is_routed = control & control::DESTINATION != 0;
        let (destination, source) = (address(is_routed)?, address(control & control::SOURCE != 0)?);
        if is_routed {
            reader.byte("hop count")?;
        }
        Ok(Npdu {
            destination,
            source,
            expects_reply: control & control::EXPECTS_REPLY != 0,
            is_network_message: control & control::NETWORK_MESSAGE != 0,
            payload: reader.0,
        })
    }

    /// The header of a packet between neighbours.
    pub const fn local(expects_reply: bool) -> [u8; 2] {
        [VERSION, if expects_reply { control::EXPECTS_REPLY } else { 0 }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses_of_a_routed_packet_stand_before_its_hop_count() {
        let routed = [1, 0x2c, 0, 5, 1, 9, 0, 6, 1, 7, 255, 0x10, 8];
        let npdu = Npdu::parse(&routed).unwrap();
        let expected: (&[u8], &[u8], &[u8]) = (&[0, 5, 1, 9], &[0, 6, 1, 7], &[0x10, 8]);
        assert_eq!((npdu.destination, npdu.source, npdu.payload), expected);
        assert!(npdu.expects_reply && !npdu.is_network_message);
        for length in 0..11 {
            assert!(matches!(Npdu::parse(&routed[..length]), Err(NpduError::Truncated(_))), "{length}");
        }
        assert_eq!(Npdu::parse(&[2, 0]), Err(NpduError::Version(2)));
    }

    #[test]
    fn a_packet_between_neighbours_has_no_addresses() {
        let header = Npdu::local(true);
        let npdu = Npdu::parse(&header).unwrap();
        assert_eq!((header, npdu.expects_reply, npdu.payload), ([1, 4], true, &[][..]));
    }
}
