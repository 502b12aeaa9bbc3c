//! LonTalk packets in a capture: LON/IP data packets in UDP datagrams to or from port 1628 or 1629 over IPv4.

use sojourn_protocols::lontalk::lonip::PORT;

use crate::{LinkType, Packet};

const ETHERNET_HEADER: usize = 14;
const VLAN_TAG: usize = 4;
const UDP_HEADER: usize = 8;
const LINUX_SLL_HEADER: usize = 16;
const LINUX_SLL2_HEADER: usize = 20;
const IPV4_TYPE: [u8; 2] = [0x08, 0x00];
const UDP: u8 = 17;
/// Of LON/IP, and of its urgent packets.
const PORTS: [u16; 2] = [PORT, PORT + 1];
/// More fragments, or an offset: all bits of the field but "do not fragment" and the reserved one.
const FRAGMENT: u16 = 0x3fff;

/// A LON/IP packet as a datagram carries it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LonIp<'a> {
    /// The payload of the datagram, as far as it was captured.
    pub payload: &'a [u8],
    /// The IPv4 address that the datagram is sent to.
    pub to: [u8; 4],
}

/// The LON/IP packet that a captured packet carries, if it carries one.
#[inline]
pub fn lonip<'a>(packet: &Packet<'a>) -> Option<LonIp<'a>> {
    let ip = ipv4(packet)?;
    let header_length = usize::from(*ip.first()? & 0x0f) * 4;
    if ip.first()? >> 4 != 4 || header_length < 20 || *ip.get(9)? != UDP {
        return None;
    }
    let udp = ip.get(header_length..)?;
    let [s0, s1, d0, d1, l0, l1, ..] = *udp.first_chunk::<UDP_HEADER>()?;
    if [[s0, s1], [d0, d1]].into_iter().all(|port| !PORTS.contains(&u16::from_be_bytes(port))) {
        return None;
    }
    if u16::from_be_bytes([*ip.get(6)?, *ip.get(7)?]) & FRAGMENT != 0 {
        return None;
    }
    let length = usize::from(u16::from_be_bytes([l0, l1])).clamp(UDP_HEADER, udp.len());
    Some(LonIp { payload: &udp[UDP_HEADER..length], to: *ip.get(16..)?.first_chunk()? })
}

/// The IPv4 packet of a captured one, which Ethernet pads.
#[inline]
fn ipv4<'a>(packet: &Packet<'a>) -> Option<&'a [u8]> {
    let data = packet.data;
    match packet.link_type {
        LinkType::RAW_IP | LinkType::BSD_RAW_IP | LinkType::IPV4 => Some(data),
        LinkType::ETHERNET => {
            let tags = match data.get(12..14)? {
                [0x81, 0x00] | [0x88, 0xa8] => VLAN_TAG,
                _ => 0,
            };
            (data.get(12 + tags..ETHERNET_HEADER + tags)? == IPV4_TYPE).then(|| &data[ETHERNET_HEADER + tags..])
        }
        LinkType::LINUX_SLL => (data.get(14..LINUX_SLL_HEADER)? == IPV4_TYPE).then(|| &data[LINUX_SLL_HEADER..]),
        LinkType::LINUX_SLL2 => {
            (data.get(..2)? == IPV4_TYPE && data.len() > LINUX_SLL2_HEADER).then(|| &data[LINUX_SLL2_HEADER..])
        }
        _ => None,
    }
}
