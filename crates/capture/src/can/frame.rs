//! Frames in captures.

use sojourn_protocols::can::frame::{CLASSIC_LIMIT, FD_LIMIT};
use sojourn_protocols::can::log::{LogError, Logged};

use crate::{LinkType, Packet};

/// Octets of the header of a record.
const HEADER: usize = 8;
/// Octets of the longest record.
pub const RECORD: usize = HEADER + FD_LIMIT;
/// Where a record has the flags of CAN FD, and which of them says that it is such a frame.
const FLAGS: usize = 5;
const FDF: u8 = 4;
/// Flags of an identifier: extended, remote, error.
const EXTENDED: u32 = 0x8000_0000;
const ERROR: u32 = 0x2000_0000;
/// Bits of an identifier that a base frame has none of.
const BEYOND_BASE: u32 = 0x1fff_f800;

/// Protocols of cooked captures (Linux, `include/uapi/linux/if_ether.h`).
const CAN: u16 = 0x000c;
const CAN_FD: u16 = 0x000d;

/// What a record holds.
#[derive(Debug)]
pub enum Recorded<'r> {
    /// A frame.
    Frame(Logged<&'r [u8]>),
    /// A message of the driver about errors, by its classes.
    Error(u32),
}

/// The protocol of a cooked capture's packet, and what is behind the header.
fn cooked<'a>(packet: &Packet<'a>) -> Option<(u16, &'a [u8])> {
    let (header, at) = match packet.link_type {
        LinkType::LINUX_SLL => (16, 14),
        LinkType::LINUX_SLL2 => (20, 0),
        _ => return None,
    };
    let protocol = u16::from_be_bytes([*packet.data.get(at)?, *packet.data.get(at + 1)?]);
    Some((protocol, packet.data.get(header..)?))
}

/// Whether a packet of a cooked capture is a frame of CAN.
pub(crate) fn is_cooked(packet: &Packet<'_>) -> bool {
    cooked(packet).is_some_and(|(protocol, _)| matches!(protocol, CAN | CAN_FD))
}

/// Reads a packet, copied to a record in which the identifier is in network byte order and CAN FD has its flag.
pub fn read<'r>(packet: &Packet<'_>, record: &'r mut [u8; RECORD]) -> Result<Recorded<'r>, LogError> {
    let cooked = cooked(packet);
    let octets = cooked.map_or(packet.data, |(_, octets)| octets);
    let octets = &octets[..octets.len().min(RECORD)];
    let Some(&[a, b, c, d]) = octets.first_chunk() else {
        return Err(LogError::Record { found: octets.len(), expected: HEADER });
    };
    record[..octets.len()].copy_from_slice(octets);
    let network = u32::from_be_bytes([a, b, c, d]);
    let word = if cooked.is_some() { of_host([a, b, c, d]).unwrap_or(network) } else { network };
    if word & ERROR != 0 {
        return Ok(Recorded::Error(word));
    }
    record[..4].copy_from_slice(&word.to_be_bytes());
    // libpcap before 1.10 and Linux before 6.0 set no flag: then the length or the protocol says so
    let is_long = octets.get(4).is_some_and(|length| usize::from(*length) > CLASSIC_LIMIT);
    let is_fd = is_long || octets.len() == RECORD || cooked.is_some_and(|(protocol, _)| protocol == CAN_FD);
    if is_fd {
        record[FLAGS] |= FDF;
    }
    Logged::parse(&record[..octets.len()]).map(Recorded::Frame)
}

/// The identifier of a cooked capture: in the byte order of the host that captured, little endian where that can be.
fn of_host(octets: [u8; 4]) -> Option<u32> {
    let word = u32::from_le_bytes(octets);
    (word & EXTENDED != 0 || word & BEYOND_BASE == 0).then_some(word)
}
