//! LLC and SNAP headers, which identify the protocol in INFO (IEEE 802.2, RFC 1390).

use super::error::LlcError;
use crate::UserData;

/// EtherTypes (IEEE 802 numbers) of the protocols that this crate carries over SNAP.
pub mod ether_type {
    /// Internet Protocol, version 4.
    pub const IP: u16 = 0x0800;
    /// Address Resolution Protocol (RFC 826).
    pub const ARP: u16 = 0x0806;
    /// Xpress Transport Protocol directly on SNAP.
    pub const XTP: u16 = 0x817d;
}

const LENGTH: usize = 8;
/// DSAP and SSAP AA, control 03: unnumbered information.
const LLC: [u8; 3] = [0xaa, 0xaa, 0x03];

/// A packet with LLC and SNAP headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snap<D> {
    /// Organizationally unique identifier (OUI); zeros for an EtherType.
    pub organization: [u8; 3],
    /// EtherType of the protocol.
    pub ether_type: u16,
    /// The packet of that protocol.
    pub data: D,
}

impl<D> Snap<D> {
    /// A packet of the protocol `ether_type`.
    pub const fn new(ether_type: u16, data: D) -> Self {
        Snap { organization: [0; 3], ether_type, data }
    }
}

impl<'a> Snap<&'a [u8]> {
    /// Parses the INFO of a frame.
    pub fn parse(information: &'a [u8]) -> Result<Self, LlcError> {
        let Some((&[a, b, c, o0, o1, o2, t0, t1], data)) = information.split_first_chunk::<LENGTH>() else {
            return Err(LlcError::TooShort(information.len()));
        };
        if [a, b, c] != LLC {
            return Err(LlcError::NoSnap([a, b, c]));
        }
        Ok(Snap { organization: [o0, o1, o2], ether_type: u16::from_be_bytes([t0, t1]), data })
    }
}

impl<D: UserData> UserData for Snap<D> {
    fn length(&self) -> usize {
        LENGTH + self.data.length()
    }

    fn emit(&self, buffer: &mut [u8]) {
        let (header, data) = buffer.split_at_mut(LENGTH);
        header[..3].copy_from_slice(&LLC);
        header[3..6].copy_from_slice(&self.organization);
        header[6..].copy_from_slice(&self.ether_type.to_be_bytes());
        self.data.emit(data);
    }
}
