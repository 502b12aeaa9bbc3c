//! What an Ethernet type announces: packets behind tags of VLANs, labels of MPLS, sessions of PPPoE and headers of 802.2.
//!
//! Sources: IEEE 802.3, IEEE 802.1Q, IEEE 802.2, RFC 1042; RFC 1661 and 1662 (PPP), RFC 2516 (PPPoE), RFC 3032 and 4385 (MPLS).

use sojourn_protocols::limits::Truncated;

use crate::Address;

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
    /// Service VLAN tags before they were standardized.
    pub const OLD_SERVICE_VLANS: [u16; 3] = [0x9100, 0x9200, 0x9300];
    /// Labels of MPLS (RFC 5332: assigned downstream, and upstream).
    pub const MPLS: u16 = 0x8847;
    /// The same, assigned upstream.
    pub const MPLS_UPSTREAM: u16 = 0x8848;
    /// A session of PPPoE.
    pub const PPPOE: u16 = 0x8864;
    /// Metadata of Cisco: a security group.
    pub const METADATA: u16 = 0x8909;
}

/// Below this the field behind the addresses is a length (IEEE 802.3, 3.2.6).
pub(super) const MIN_ETHER_TYPE: u16 = 0x0600;
/// Numbers of PPP.
const PPP_IPV4: u16 = 0x0021;
const PPP_IPV6: u16 = 0x0057;
const PPP_MPLS: u16 = 0x0281;
/// VLAN tags of a frame at most; a customer's within a service provider's makes two.
const MAX_TAGS: usize = 4;

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried<'a> {
    /// The Ethernet type; of an 802.2 frame without one its destination service access point.
    pub ether_type: u16,
    /// The sending and the receiving station, as far as the link names them.
    pub stations: [Address; 2],
    /// The encapsulation around the packet, other than VLAN tags.
    pub within: Option<&'static str>,
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

/// The packet of an Ethernet frame without its check sequence.
pub(crate) fn ethernet(frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (stations, rest) = addresses(frame)?;
    behind_addresses(stations, rest)
}

/// The sending and the receiving station of an Ethernet frame, and what is behind them.
fn addresses(frame: &[u8]) -> Result<([Address; 2], &[u8]), ParseError> {
    let (to, rest) = frame.split_first_chunk::<6>().ok_or(Truncated("Ethernet destination"))?;
    let (from, rest) = rest.split_first_chunk::<6>().ok_or(Truncated("Ethernet source"))?;
    Ok(([Address::Mac(*from), Address::Mac(*to)], rest))
}

/// An Ethernet type, and what is behind it.
fn announced(bytes: &[u8]) -> Result<(u16, &[u8]), ParseError> {
    let (number, rest) = bytes.split_first_chunk::<2>().ok_or(Truncated("Ethernet type"))?;
    Ok((u16::from_be_bytes(*number), rest))
}

pub(super) fn behind_addresses(stations: [Address; 2], rest: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (number, bytes) = announced(rest)?;
    behind_type(stations, number, bytes)
}

/// What follows an Ethernet type: VLAN tags, each with a type of its own, the headers of 802.2 behind a length, labels or a
/// session.
pub(crate) fn behind_type(stations: [Address; 2], number: u16, rest: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (mut ether_type, mut bytes) = (number, rest);
    for _ in 0..MAX_TAGS {
        let is_tag = matches!(ether_type, ether_type::VLAN | ether_type::SERVICE_VLAN);
        if !is_tag && !ether_type::OLD_SERVICE_VLANS.contains(&ether_type) {
            break;
        }
        let (&[_, _, high, low], rest) = bytes.split_first_chunk::<4>().ok_or(Truncated("VLAN tag"))?;
        (ether_type, bytes) = (u16::from_be_bytes([high, low]), rest);
    }
    if ether_type < MIN_ETHER_TYPE {
        let length = usize::from(ether_type).min(bytes.len());
        (ether_type, bytes) = logical_link(&bytes[..length])?;
    }
    match ether_type {
        ether_type::MPLS | ether_type::MPLS_UPSTREAM => labelled(stations, bytes),
        ether_type::PPPOE => pppoe(stations, bytes),
        ether_type::METADATA => metadata(stations, bytes),
        _ => Ok(Carried { ether_type, stations, within: None, bytes }),
    }
}

/// Metadata of Cisco: version, length, options and security group, then the type of what follows (as in Wireshark's
/// packet-cisco-metadata).
fn metadata(stations: [Address; 2], frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (&[_, _, _, _, _, _, high, low], rest) = frame.split_first_chunk::<8>().ok_or(Truncated("metadata"))?;
    let ether_type = u16::from_be_bytes([high, low]);
    let is_nested = ether_type < MIN_ETHER_TYPE || ether_type == ether_type::METADATA;
    let carried = if is_nested {
        Carried { ether_type, stations, within: None, bytes: rest }
    } else {
        behind_type(stations, ether_type, rest)?
    };
    Ok(Carried { within: carried.within.or(Some("Cisco metadata")), ..carried })
}

/// MPLS: labels up to the bottom of the stack, then IP, as its version shows, or an Ethernet frame, perhaps behind a control
/// word.
fn labelled(stations: [Address; 2], frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let within = Some("MPLS");
    let mut rest = frame;
    loop {
        let (&[_, _, bottom, _], behind) = rest.split_first_chunk::<4>().ok_or(Truncated("MPLS label"))?;
        rest = behind;
        if bottom & 1 != 0 {
            break;
        }
    }
    let ether_type = match rest.first().ok_or(Truncated("MPLS payload"))? >> 4 {
        4 => ether_type::IPV4,
        6 => ether_type::IPV6,
        0 => {
            let inner = innermost(rest.get(4..).ok_or(Truncated("control word"))?)?;
            return Ok(Carried { within, ..inner });
        }
        _ => return Ok(Carried { within, ..innermost(rest)? }),
    };
    Ok(Carried { ether_type, stations, within, bytes: rest })
}

/// An Ethernet frame within another one, which is not looked into for labels again.
fn innermost(frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (stations, rest) = addresses(frame)?;
    let (ether_type, bytes) = announced(rest)?;
    Ok(Carried { ether_type, stations, within: None, bytes })
}

/// PPPoE: version and type, code, session and length, then PPP.
pub(crate) fn pppoe(stations: [Address; 2], frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let (&[_, _, _, _, high, low], rest) = frame.split_first_chunk::<6>().ok_or(Truncated("PPPoE header"))?;
    let length = usize::from(u16::from_be_bytes([high, low])).min(rest.len());
    Ok(Carried { stations, within: Some("PPPoE"), ..point_to_point(&rest[..length])? })
}

/// PPP: perhaps address and control of HDLC, then a number of one or two octets.
pub(crate) fn point_to_point(frame: &[u8]) -> Result<Carried<'_>, ParseError> {
    let truncated = Truncated("PPP header");
    let frame = frame.strip_prefix(&[0xff, 3]).unwrap_or(frame);
    let &first = frame.first().ok_or(truncated)?;
    let (number, bytes) = if first & 1 != 0 {
        (first.into(), &frame[1..])
    } else {
        let (number, bytes) = frame.split_first_chunk::<2>().ok_or(truncated)?;
        (u16::from_be_bytes(*number), bytes)
    };
    let stations = [Address::Unknown; 2];
    let ether_type = match number {
        PPP_IPV4 => ether_type::IPV4,
        PPP_IPV6 => ether_type::IPV6,
        PPP_MPLS => return labelled(stations, bytes),
        // of PPP itself: no number of Ethernet
        _ => 0,
    };
    Ok(Carried { ether_type, stations, within: None, bytes })
}

/// 802.2: service access points and control, and of SNAP an Ethernet type (RFC 1042).
pub(crate) fn logical_link(frame: &[u8]) -> Result<(u16, &[u8]), ParseError> {
    if let Some((&[0xaa, 0xaa, 3, 0, 0, 0, high, low], bytes)) = frame.split_first_chunk::<8>() {
        return Ok((u16::from_be_bytes([high, low]), bytes));
    }
    let (&[destination, ..], bytes) = frame.split_first_chunk::<3>().ok_or(Truncated("802.2 header"))?;
    Ok((destination.into(), bytes))
}
