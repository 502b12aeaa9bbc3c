//! Extracts the network-layer packet from a link frame: Ethernet, Linux "cooked" frames, PPP, HDLC, Frame Relay, 802.11, raw
//! IP, loopback.
//!
//! Sources: RFC 2427 (Frame Relay); <https://www.tcpdump.org/linktypes.html>.

use sojourn_protocols::limits::Truncated;

pub use super::frame::{Carried, ParseError, ether_type};
use super::frame::{MIN_ETHER_TYPE, behind_addresses, pppoe};
pub(crate) use super::frame::{behind_type, ethernet, logical_link, point_to_point};
use super::wireless;
use crate::{Address, LinkType};

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
        LinkType::PPP | LinkType::PPP_HDLC => point_to_point(frame),
        LinkType::PPPOE => pppoe([Address::Unknown; 2], frame),
        LinkType::CISCO_HDLC => cisco_hdlc(frame),
        LinkType::FRAME_RELAY => frame_relay(frame),
        LinkType::IEEE_802_11 => wireless::frame(frame),
        LinkType::RADIOTAP => wireless::frame(wireless::behind_radiotap(frame)?),
        LinkType::PRISM => wireless::frame(wireless::behind_prism(frame)?),
        LinkType::AVS => wireless::frame(wireless::behind_avs(frame)?),
        LinkType(number) => Err(ParseError::LinkType(number)),
    }
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
    Ok(Carried { ether_type, stations: [Address::Unknown; 2], within: None, bytes: frame })
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
    Ok(Carried { ether_type, stations: [Address::Unknown; 2], within: None, bytes })
}

/// HDLC as Cisco has it: address, control, an Ethernet type.
fn cisco_hdlc(frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (&[_, _, high, low], bytes) = frame.split_first_chunk::<4>().ok_or(Truncated("HDLC header"))?;
    behind_type([Address::Unknown; 2], u16::from_be_bytes([high, low]).max(MIN_ETHER_TYPE), bytes)
}

/// Frame Relay: an address of two to four octets, then control, perhaps padding and which protocol follows (RFC 2427), or an
/// Ethernet type, as Cisco has it.
fn frame_relay(frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    const LAST: u8 = 1;
    let stations = [Address::Unknown; 2];
    let truncated = Truncated("Frame Relay header");
    let address = frame.iter().take(4).skip(1).position(|octet| octet & LAST != 0).map_or(2, |place| place + 2);
    let rest = frame.get(address..).ok_or(truncated)?;
    let rest = rest.strip_prefix(&[3, 0]).or(rest.strip_prefix(&[3])).unwrap_or(rest);
    let (ether_type, bytes) = match rest.split_first().ok_or(truncated)? {
        (0xcc, bytes) => (ether_type::IPV4, bytes),
        (0x8e, bytes) => (ether_type::IPV6, bytes),
        (0x80, bytes) => {
            let (&[_, _, _, high, low], bytes) = bytes.split_first_chunk().ok_or(Truncated("SNAP header"))?;
            return behind_type(stations, u16::from_be_bytes([high, low]).max(MIN_ETHER_TYPE), bytes);
        }
        (high, [low, bytes @ ..]) if u16::from_be_bytes([*high, *low]) >= MIN_ETHER_TYPE => {
            return behind_type(stations, u16::from_be_bytes([*high, *low]), bytes);
        }
        (_, bytes) => (0, bytes),
    };
    Ok(Carried { ether_type, stations, within: None, bytes })
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
    fn labels_and_sessions_are_taken_off_and_named() {
        let labelled =
            |rest: &[u8]| ethernet_frame(&[&[0x88, 0x47, 0, 0, 0x10, 64, 0, 0, 0x21, 64][..], rest].concat());
        let plain = labelled(&[0x45, 1]);
        let carried_by = |frame: &[u8]| {
            let carried = carried(LinkType::ETHERNET, frame).unwrap();
            (carried.within, carried.ether_type, carried.bytes.to_vec())
        };
        assert_eq!(carried_by(&plain), (Some("MPLS"), 0x0800, vec![0x45, 1]));
        let wire = labelled(&[&[0, 0, 0, 0][..], &ethernet_frame(&[0x86, 0xdd, 0x60])].concat());
        assert_eq!(carried_by(&wire), (Some("MPLS"), 0x86dd, vec![0x60]));
        let session = ethernet_frame(&[0x88, 0x64, 0x11, 0, 0, 7, 0, 3, 0, 0x21, 0x45, 0, 0]);
        assert_eq!(carried_by(&session), (Some("PPPoE"), 0x0800, vec![0x45]));
        let old_tags = ethernet_frame(&[0x91, 0, 0, 5, 0x92, 0, 0, 6, 0x81, 0, 0, 7, 8, 0, 0x45]);
        assert_eq!(carried_by(&old_tags), (None, 0x0800, vec![0x45]));
    }

    #[test]
    fn serial_lines_give_their_packet() {
        assert_eq!(read(LinkType::PPP, &[0xff, 3, 0, 0x21, 0x45]), (0x0800, vec![0x45]));
        assert_eq!(read(LinkType::PPP_HDLC, &[0x57, 0x60]), (0x86dd, vec![0x60]));
        assert_eq!(read(LinkType::PPP, &[0xc0, 0x21, 1]), (0, vec![1]), "its own protocol");
        assert_eq!(read(LinkType::PPPOE, &[0x11, 0, 0, 7, 0, 3, 0, 0x21, 0x45]), (0x0800, vec![0x45]));
        assert_eq!(read(LinkType::CISCO_HDLC, &[0x0f, 0, 8, 0, 0x45]), (0x0800, vec![0x45]));
        assert_eq!(read(LinkType::FRAME_RELAY, &[0x18, 0x41, 3, 0xcc, 0x45]), (0x0800, vec![0x45]));
        assert_eq!(read(LinkType::FRAME_RELAY, &[0x18, 0x41, 3, 0, 0x80, 0, 0, 0, 8, 0, 0x45]), (0x0800, vec![0x45]));
        assert_eq!(read(LinkType::FRAME_RELAY, &[0x18, 0x61, 8, 0, 0x45]), (0x0800, vec![0x45]), "as Cisco has it");
        assert_eq!(
            read(LinkType::FRAME_RELAY, &[0x18, 0x40, 2, 5, 3, 0xcc, 0x45]),
            (0x0800, vec![0x45]),
            "a long address"
        );
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
