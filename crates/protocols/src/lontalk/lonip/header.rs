//! The common header of LON/IP and the data packet.

use thiserror::Error;

use crate::lontalk::wire::{LONGEST, Packet, ParseError};

/// The UDP port of LON/IP devices.
pub const PORT: u16 = 1628;

/// Length of the common header in bytes.
pub const HEADER_LENGTH: usize = 20;

/// The header version written, and the only one accepted.
const VERSION: u8 = 1;
/// Mask of the version in the version byte; bit 7 marks a vendor-specific packet.
const VERSION_BITS: u8 = 0x1f;
const VENDOR_PACKET: u8 = 0x80;
/// Protocol flag: a digest follows the packet.
const SECURED: u8 = 0x20;
/// Protocol flags: the enclosed protocol, 0 for LonTalk.
const PROTOCOL_BITS: u8 = 0x1f;

/// The type of a LON/IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PacketType(pub u8);

impl PacketType {
    /// A data packet with an enclosed LonTalk packet.
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

/// Why a datagram is not a LON/IP data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LonIpError {
    /// Shorter than the common header.
    #[error("a datagram of {0} bytes is shorter than its header of 20")]
    TooShort(usize),
    /// The length in the header differs from the datagram's.
    #[error("the header's length is {stated} bytes and the datagram's is {found}")]
    Length {
        /// The length in the header, in bytes.
        stated: usize,
        /// The length of the datagram, in bytes.
        found: usize,
    },
    /// A header of another version.
    #[error("unknown version {0}")]
    Version(u8),
    /// A vendor-specific packet, with the vendor's code.
    #[error("a vendor-specific packet of vendor {0:04x}")]
    Vendor(u16),
    /// A packet with a digest, which cannot be checked without the channel's key.
    #[error("the packet is secured by a digest")]
    Secured,
    /// A packet of another protocol.
    #[error("protocol {0} is not LonTalk")]
    Protocol(u8),
    /// The extended header is longer than the packet.
    #[error("an extended header of {0} words exceeds the packet")]
    ExtendedHeader(u8),
    /// A packet of configuration or statistics.
    #[error("a packet of type {:02x} ({}) carries no LonTalk packet", .0.0, .0.name().unwrap_or("not assigned"))]
    NotData(PacketType),
    /// The enclosed bytes are not a valid LonTalk packet.
    #[error(transparent)]
    Packet(#[from] ParseError),
    /// The enclosed bytes exceed the maximum LPDU.
    #[error("an LPDU of {0} bytes is longer than the maximum")]
    TooLong(usize),
}

/// A LonTalk packet carried over an IP channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataPacket<'a> {
    /// Session identifier of the sender; a new one indicates that sequence numbers restart.
    pub session: u32,
    /// Sequence number, incremented for each packet to the same destination.
    pub sequence: u32,
    /// Time stamp of the sender's clock in milliseconds.
    pub time_stamp_ms: u32,
    /// The enclosed LPDU, CRC included.
    pub lpdu: &'a [u8],
}

impl<'a> DataPacket<'a> {
    /// Parses the payload of a datagram, without parsing the LPDU.
    pub fn parse(payload: &'a [u8]) -> Result<Self, LonIpError> {
        let (header, after) =
            payload.split_first_chunk::<HEADER_LENGTH>().ok_or(LonIpError::TooShort(payload.len()))?;
        let [l0, l1, version, kind, extension, flags, v0, v1, a, b, c, d, e, f, g, h, i, j, k, l] = *header;
        let stated = usize::from(u16::from_be_bytes([l0, l1]));
        if stated != payload.len() {
            return Err(LonIpError::Length { stated, found: payload.len() });
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

    /// Parses the enclosed LonTalk packet.
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
        assert_eq!(changed(1, 30), LonIpError::Length { stated: 30, found: 29 });
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
