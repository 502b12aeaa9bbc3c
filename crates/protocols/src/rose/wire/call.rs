//! The contents of CALL REQUEST.

use super::{Facilities, NetworkAddress, ParseError};
use crate::cursor::{Reader, Writer};

/// A call: its addresses and facilities. Data packets carry none of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Called address: that of the exit switch.
    pub called: NetworkAddress,
    /// Calling address: that of the entry switch.
    pub calling: NetworkAddress,
    /// Facilities: the stations' callsigns, digipeaters and a random number.
    pub facilities: Facilities,
}

impl Call {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let (called, calling) = Call::read_addresses(reader)?;
        Ok(Call { called, calling, facilities: Facilities::read(reader)? })
    }

    /// Parses the address block: the digits of both addresses without a gap.
    pub(super) fn read_addresses(reader: &mut Reader<'_>) -> Result<(NetworkAddress, NetworkAddress), ParseError> {
        let lengths = reader.byte("address lengths")?;
        let (calling, called) = (usize::from(lengths >> 4), usize::from(lengths & 0xf));
        let octets = reader.take((called + calling).div_ceil(2), "network addresses")?;
        let first = NetworkAddress::unpack(octets, 0, called)?;
        Ok((first, NetworkAddress::unpack(octets, called, calling)?))
    }

    pub(super) fn length(&self) -> usize {
        1 + self.digits().div_ceil(2) + self.facilities.length()
    }

    pub(super) fn write(&self, writer: &mut Writer<'_>) {
        writer.byte((self.calling.len() << 4 | self.called.len()) as u8);
        let octets = writer.space(self.digits().div_ceil(2));
        octets.fill(0);
        self.called.pack(octets, 0);
        self.calling.pack(octets, self.called.len());
        self.facilities.write(writer);
    }

    fn digits(&self) -> usize {
        self.called.len() + self.calling.len()
    }
}
