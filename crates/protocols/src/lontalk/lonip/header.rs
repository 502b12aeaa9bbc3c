//! The common header of LON/IP and the data packet.

use thiserror::Error;

use crate::lontalk::wire::{LONGEST, Packet, ParseError};

/// The UDP port of LON/IP devices.
pub const PORT: u16 = 1628;

/// Bytes of the common header.
pub const HEADER_LENGTH: usize = 20;

/// The version of the header that is written, and the only one read.
const VERSION: u8 = 1;
/// Bits of the version byte that hold the version; bit 7 marks a vendor's own packet.
const VERSION_BITS: u8 = 0x1f;
const VENDOR_PACKET: u8 = 0x80;
/// Of the protocol flags: a digest follows the packet.
const SECURED: u8 = 0x20;
/// Of the protocol flags: which protocol the packet encloses, 0 for LonTalk.
const PROTOCOL_BITS: u8 = 0x1f;

/// What a LON/IP packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PacketType(pub u8);

impl PacketType {
    /// A LonTalk packet.
    pub const DATA: PacketType = PacketType(0x01);

    /// The type's name, if it is assigned.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0x01 => "data",
            0x03 => "device registration",
            0x04 => "channel membership",
            0x06 => "send list",
            0x07 => "acknowledgement",
            0x08 => "channel routing",
            0x60 => "statistics request",
            0x63 => "device configuration request",
            0x64 => "channel membership request",
            0x66 => "send list request",
            0x68 => "channel routing request",
            0x70 => "statistics",
            0x71 => "device configuration",
            0x7f => "segment",
            _ => return None,
        })
    }
}

/// Why a datagram is no LON/IP data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LonIpError {
    /// Below the common header.
    #[error("{0} bytes are shorter than the header of 20 bytes")]
    TooShort(usize),
    /// The header's length differs from the datagram's.
    #[error("the header says {said} bytes and there are {found}")]
    Length {
        /// The length the header says.
        said: usize,
        /// The length there is.
        found: usize,
    },
    /// A header of another version.
    #[error("version {0} is not known")]
    Version(u8),
    /// A packet only its vendor understands.
    #[error("a packet of vendor {0:04x}'s own")]
    Vendor(u16),
    /// A packet with a digest, which only who knows the channel's key can check.
    #[error("the packet is secured by a digest")]
    Secured,
    /// A packet of another protocol.
    #[error("protocol {0} is not LonTalk")]
    Protocol(u8),
    /// The extended header goes beyond the packet.
    #[error("an extended header of {0} words goes beyond the packet")]
    ExtendedHeader(u8),
    /// A packet of configuration or statistics.
    #[error("a packet of type {:02x} ({}) carries no LonTalk packet", .0.0, .0.name().unwrap_or("not assigned"))]
    NotData(PacketType),
    /// What is enclosed is no LonTalk packet.
    #[error(transparent)]
    Packet(#[from] ParseError),
    /// More is enclosed than any LonTalk packet has.
    #[error("{0} bytes are longer than the longest LPDU")]
    TooLong(usize),
}

/// A LonTalk packet on its way over an IP channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataPacket<'a> {
    /// Of the sender's run; a new one tells receivers that sequence numbers begin anew.
    pub session: u32,
    /// One more for each packet to the same destination.
    pub sequence: u32,
    /// The sender's clock in milliseconds.
    pub time_stamp_ms: u32,
    /// The LPDU, CRC included.
    pub lpdu: &'a [u8],
}

impl<'a> DataPacket<'a> {
    /// Reads the payload of a datagram. The LPDU is not looked into.
    pub fn parse(payload: &'a [u8]) -> Result<Self, LonIpError> {
        let (header, after) =
            payload.split_first_chunk::<HEADER_LENGTH>().ok_or(LonIpError::TooShort(payload.len()))?;
        let [l0, l1, version, kind, extension, flags, v0, v1, a, b, c, d, e, f, g, h, i, j, k, l] = *header;
        let said = usize::from(u16::from_be_bytes([l0, l1]));
        if said != payload.len() {
            return Err(LonIpError::Length { said, found: payload.len() });
        }
        if version & VERSION_BITS != VERSION {
            return Err(LonIpError::Version(version & VERSION_BITS));
        }
        if version & VENDOR_PACKET != 0 {
            return Err(LonIpError::Vendor(u16::from_be_bytes([v0, v1])));
        }
        if kind != PacketType::DATA.0 {
            return Err(LonIpError::NotData(PacketType(kind)));
        }
        if flags & SECURED != 0 {
            return Err(LonIpError::Secured);
        }
        if flags & PROTOCOL_BITS != 0 {
            return Err(LonIpError::Protocol(flags & PROTOCOL_BITS));
        }
        let lpdu = after.get(usize::from(extension) * 4..).ok_or(LonIpError::ExtendedHeader(extension))?;
        Ok(DataPacket {
            session: u32::from_be_bytes([a, b, c, d]),
            sequence: u32::from_be_bytes([e, f, g, h]),
            time_stamp_ms: u32::from_be_bytes([i, j, k, l]),
            lpdu,
        })
    }

    /// The LonTalk packet inside.
    pub fn packet(&self) -> Result<Packet<&'a [u8]>, LonIpError> {
        Ok(Packet::parse(self.lpdu)?)
    }

    /// Appends the payload of a datagram to `payload`.
    pub fn emit(&self, payload: &mut Vec<u8>) -> Result<(), LonIpError> {
        if self.lpdu.len() > LONGEST {
            return Err(LonIpError::TooLong(self.lpdu.len()));
        }
        let length = (HEADER_LENGTH + self.lpdu.len()) as u16;
        payload.extend_from_slice(&length.to_be_bytes());
        payload.extend_from_slice(&[VERSION, PacketType::DATA.0, 0, 0, 0, 0]);
        payload.extend_from_slice(&self.session.to_be_bytes());
        payload.extend_from_slice(&self.sequence.to_be_bytes());
        payload.extend_from_slice(&self.time_stamp_ms.to_be_bytes());
        payload.extend_from_slice(self.lpdu);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LPDU: [u8; 9] = [0x00, 0x08, 0x01, 0x86, 0x01, 0x85, 0x23, 0x94, 0xdf];

    fn payload() -> Vec<u8> {
        let mut payload = Vec::new();
        DataPacket { session: 0x1122_3344, sequence: 5, time_stamp_ms: 1000, lpdu: &LPDU }.emit(&mut payload).unwrap();
        payload
    }

    #[test]
    fn a_data_packet_has_the_twenty_byte_header_and_the_lpdu() {
        let mut expected = vec![0, 29, 1, 1, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 5, 0, 0, 3, 0xe8];
        expected.extend_from_slice(&LPDU);
        assert_eq!(payload(), expected);
    }

    #[test]
    fn a_data_packet_reads_back_as_it_was_written() {
        let bytes = payload();
        let packet = DataPacket::parse(&bytes).unwrap();
        assert_eq!(packet, DataPacket { session: 0x1122_3344, sequence: 5, time_stamp_ms: 1000, lpdu: &LPDU });
        assert_eq!(packet.packet(), Ok(Packet::parse(&LPDU).unwrap()));
    }

    #[test]
    fn an_extended_header_is_passed_over() {
        let mut bytes = payload();
        bytes.splice(20..20, [9, 9, 9, 9]);
        bytes[1] += 4;
        bytes[4] = 1;
        assert_eq!(DataPacket::parse(&bytes).unwrap().lpdu, LPDU);
        bytes[4] = 200;
        assert_eq!(DataPacket::parse(&bytes), Err(LonIpError::ExtendedHeader(200)));
    }

    #[test]
    fn what_is_no_plain_data_packet_is_refused_by_name() {
        let changed = |at: usize, to: u8| {
            let mut bytes = payload();
            bytes[at] = to;
            DataPacket::parse(&bytes).map(|_| ()).unwrap_err()
        };
        assert_eq!(changed(1, 30), LonIpError::Length { said: 30, found: 29 });
        assert_eq!(changed(2, 2), LonIpError::Version(2));
        assert_eq!(changed(2, 0x81), LonIpError::Vendor(0));
        assert_eq!(
            changed(3, 0x71).to_string(),
            "a packet of type 71 (device configuration) carries no LonTalk packet"
        );
        assert_eq!(changed(5, 0x20), LonIpError::Secured);
        assert_eq!(changed(5, 3), LonIpError::Protocol(3));
        assert_eq!(DataPacket::parse(&[0; 19]), Err(LonIpError::TooShort(19)));
    }
}
