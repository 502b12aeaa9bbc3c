//! Extracts the network-layer packet from a link frame: Ethernet, Linux "cooked" frames, raw IP, loopback.
//!
//! Sources: IEEE 802.3, IEEE 802.1Q, IEEE 802.2, RFC 1042; <https://www.tcpdump.org/linktypes.html>.

use sojourn_protocols::limits::Truncated;

use crate::{Address, LinkType};

/// Ethernet types (IANA).
pub mod ether_type {
    /// IPv4 (RFC 894).
    pub const IPV4: u16 = 0x0800;
    /// IPv6 (RFC 2464).
    pub const IPV6: u16 = 0x86dd;
    /// A customer VLAN tag (IEEE 802.1Q).
    pub const VLAN: u16 = 0x8100;
    /// A service VLAN tag (IEEE 802.1Q, formerly 802.1ad).
    pub const SERVICE_VLAN: u16 = 0x88a8;
}

/// Below this the field behind the addresses is a length (IEEE 802.3, 3.2.6).
const MIN_ETHER_TYPE: u16 = 0x0600;
/// VLAN tags of a frame at most; a customer's within a service provider's makes two.
const MAX_TAGS: usize = 4;

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried<'a> {
    /// The Ethernet type; of an 802.2 frame without one its destination service access point.
    pub ether_type: u16,
    /// The sending and the receiving station, as far as the link names them.
    pub stations: [Address; 2],
    /// The packet of the network layer, with the padding of a short frame.
    pub bytes: &'a [u8],
}

/// Why a frame does not parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The frame ends within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
    /// Behind the link's header there is neither IPv4 nor IPv6.
    #[error("version {0} of IP")]
    Version(u8),
    /// The address family of a loopback frame is not one of IP.
    #[error("address family {0} of a loopback frame")]
    Family(u32),
    /// The link type carries no IP that is known here.
    #[error("link type {0} is not read")]
    LinkType(u32),
}

/// Whether frames of this link type are read here.
pub fn is_read(link_type: LinkType) -> bool {
    !matches!(carried(link_type, &[]), Err(ParseError::LinkType(_)))
}

/// The packet that a frame of a link carries.
pub fn carried(link_type: LinkType, frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    match link_type {
        LinkType::ETHERNET => ethernet(frame),
        LinkType::LINUX_SLL => cooked(frame),
        LinkType::LINUX_SLL2 => cooked_2(frame),
        LinkType::RAW_IP | LinkType::BSD_RAW_IP | LinkType::OPENBSD_RAW_IP | LinkType::IPV4 | LinkType::IPV6 => {
            raw(frame)
        }
        LinkType::NULL | LinkType::LOOP => loopback(frame),
        LinkType(number) => Err(ParseError::LinkType(number)),
    }
}

/// The packet of an Ethernet frame without its check sequence.
pub(crate) fn ethernet(frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (to, rest) = frame.split_first_chunk::<6>().ok_or(Truncated("Ethernet destination"))?;
    let (from, rest) = rest.split_first_chunk::<6>().ok_or(Truncated("Ethernet source"))?;
    behind_addresses([Address::Mac(*from), Address::Mac(*to)], rest)
}

/// Linux cooked: packet type, hardware type, length and bytes of the sender's address, protocol.
fn cooked(frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (header, _) = frame.split_first_chunk::<16>().ok_or(Truncated("cooked header"))?;
    let stations = [station(u16::from_be_bytes([header[4], header[5]]).into(), &header[6..14]), Address::Unknown];
    behind_addresses(stations, &frame[14..])
}

/// Linux cooked, version 2: protocol, reserved, interface, hardware type, packet type, length and bytes of the address.
fn cooked_2(frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (header, bytes) = frame.split_first_chunk::<20>().ok_or(Truncated("cooked header"))?;
    let stations = [station(header[11].into(), &header[12..20]), Address::Unknown];
    behind_type(stations, u16::from_be_bytes([header[0], header[1]]), bytes)
}

fn station(length: usize, octets: &[u8]) -> Address {
    let known = octets.first_chunk::<6>().filter(|address| length == 6 && **address != [0; 6]);
    known.map_or(Address::Unknown, |address| Address::Mac(*address))
}

fn raw(frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let ether_type = match frame.first().ok_or(Truncated("IP header"))? >> 4 {
        4 => ether_type::IPV4,
        6 => ether_type::IPV6,
        version => return Err(ParseError::Version(version)),
    };
    Ok(Carried { ether_type, stations: [Address::Unknown; 2], bytes: frame })
}

/// BSD loopback: the address family in either byte order, then IP. The numbers of IPv6 are those of NetBSD, FreeBSD,
/// macOS and Linux.
fn loopback(frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (family, bytes) = frame.split_first_chunk::<4>().ok_or(Truncated("address family"))?;
    let family = u32::min(u32::from_be_bytes(*family), u32::from_le_bytes(*family));
    let ether_type = match family {
        2 => ether_type::IPV4,
        10 | 24 | 28 | 30 => ether_type::IPV6,
        family => return Err(ParseError::Family(family)),
    };
    Ok(Carried { ether_type, stations: [Address::Unknown; 2], bytes })
}

fn behind_addresses(stations: [Address; 2], rest: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (number, bytes) = rest.split_first_chunk::<2>().ok_or(Truncated("Ethernet type"))?;
    behind_type(stations, u16::from_be_bytes(*number), bytes)
}

/// What follows an Ethernet type: VLAN tags, each with a type of its own, or the headers of 802.2 behind a length.
fn behind_type(stations: [Address; 2], number: u16, rest: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (mut ether_type, mut bytes) = (number, rest);
    for _ in 0..MAX_TAGS {
        if !matches!(ether_type, ether_type::VLAN | ether_type::SERVICE_VLAN) {
            break;
        }
        let (&[_, _, high, low], rest) = bytes.split_first_chunk::<4>().ok_or(Truncated("VLAN tag"))?;
        (ether_type, bytes) = (u16::from_be_bytes([high, low]), rest);
    }
    if ether_type < MIN_ETHER_TYPE {
        let length = usize::from(ether_type).min(bytes.len());
        (ether_type, bytes) = logical_link(&bytes[..length])?;
    }
    Ok(Carried { ether_type, stations, bytes })
}

/// 802.2: service access points and control, and of SNAP an Ethernet type (RFC 1042).
pub(crate) fn logical_link(frame: &[u8]) -> Result<(u16, &[u8]), ParseError> {
    if let Some((&[0xaa, 0xaa, 3, 0, 0, 0, high, low], bytes)) = frame.split_first_chunk::<8>() {
        return Ok((u16::from_be_bytes([high, low]), bytes));
    }
    let (&[destination, ..], bytes) = frame.split_first_chunk::<3>().ok_or(Truncated("802.2 header"))?;
    Ok((destination.into(), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: [u8; 6] = [2, 0, 0, 0, 0, 1];
    const TO: [u8; 6] = [2, 0, 0, 0, 0, 2];

    fn ethernet_frame(rest: &[u8]) -> Vec<u8> {
        [&TO[..], &FROM, rest].concat()
    }

    fn read(link_type: LinkType, frame: &[u8]) -> (u16, Vec<u8>) {
        let carried = carried(link_type, frame).unwrap();
        (carried.ether_type, carried.bytes.to_vec())
    }

    #[test]
    fn an_ethernet_frame_gives_its_packet_behind_any_vlan_tags() {
        let plain = ethernet_frame(&[8, 0, 0x45, 1]);
        let tagged = ethernet_frame(&[0x88, 0xa8, 0, 5, 0x81, 0, 0, 7, 0x86, 0xdd, 0x60]);
        assert_eq!(read(LinkType::ETHERNET, &plain), (0x0800, vec![0x45, 1]));
        assert_eq!(read(LinkType::ETHERNET, &tagged), (0x86dd, vec![0x60]));
        assert_eq!(carried(LinkType::ETHERNET, &plain).unwrap().stations, [Address::Mac(FROM), Address::Mac(TO)]);
    }

    #[test]
    fn a_frame_with_a_length_gives_the_type_of_snap_or_its_access_point_without_padding() {
        let snap = ethernet_frame(&[0, 9, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45, 0, 0]);
        let spanning_tree = ethernet_frame(&[0, 4, 0x42, 0x42, 3, 9, 0, 0]);
        assert_eq!(read(LinkType::ETHERNET, &snap), (0x0800, vec![0x45]));
        assert_eq!(read(LinkType::ETHERNET, &spanning_tree), (0x42, vec![9]));
    }

    #[test]
    fn cooked_and_loopback_and_raw_frames_give_their_packet() {
        let cooked = [&[0, 0, 0, 1, 0, 6][..], &FROM, &[0, 0, 8, 0, 0x45]].concat();
        let cooked_2 = [&[0x86, 0xdd, 0, 0, 0, 0, 0, 3, 0, 1, 4, 6][..], &FROM, &[0, 0, 0x60]].concat();
        assert_eq!(read(LinkType::LINUX_SLL, &cooked), (0x0800, vec![0x45]));
        assert_eq!(read(LinkType::LINUX_SLL2, &cooked_2), (0x86dd, vec![0x60]));
        assert_eq!(carried(LinkType::LINUX_SLL2, &cooked_2).unwrap().stations[0], Address::Mac(FROM));
        assert_eq!(read(LinkType::NULL, &[2, 0, 0, 0, 0x45]), (0x0800, vec![0x45]));
        assert_eq!(read(LinkType::LOOP, &[0, 0, 0, 30, 0x60]), (0x86dd, vec![0x60]));
        assert_eq!(read(LinkType::RAW_IP, &[0x45]), (0x0800, vec![0x45]));
    }

    #[test]
    fn what_does_not_parse_is_refused_by_name() {
        let error = |link_type, frame: &[u8]| carried(link_type, frame).unwrap_err().to_string();
        assert_eq!(error(LinkType::ETHERNET, &FROM), "truncated in the Ethernet source");
        assert_eq!(error(LinkType::ETHERNET, &ethernet_frame(&[0x81, 0, 1])), "truncated in the VLAN tag");
        assert_eq!(error(LinkType::LINUX_SLL, &[0; 15]), "truncated in the cooked header");
        assert_eq!(error(LinkType::RAW_IP, &[0x50]), "version 5 of IP");
        assert_eq!(error(LinkType::NULL, &[7, 0, 0, 0]), "address family 7 of a loopback frame");
        assert!(is_read(LinkType::ETHERNET) && !is_read(LinkType(147)));
    }
}
