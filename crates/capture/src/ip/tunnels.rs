//! Packets within packets: what IP and UDP carry for another network.
//!
//! Sources: RFC 2003 (IP in IP), RFC 4213 (IPv6 in IPv4), RFC 2473 (in IPv6), RFC 2784 and RFC 2890 (GRE), RFC 2637 (PPP in
//! GRE), draft-foschiano-erspan, RFC 4023 (MPLS in IP), RFC 7510 (in UDP), RFC 8086 (GRE in UDP), RFC 7348 (VXLAN), RFC 8926 (GENEVE), 3GPP TS 29.281 (GTP-U).

use super::frame::ether_type;

/// Tunnels within each other that are followed.
pub const MOST_NESTED: u8 = 8;

const IPV4: u8 = 4;
const IPV6: u8 = 41;
const GRE: u8 = 47;
const MPLS: u8 = 137;

/// Ports of UDP. The second of VXLAN is that of Linux before the port was assigned.
const VXLAN: [u16; 2] = [4789, 8472];
const GENEVE: u16 = 6081;
const GTP_U: u16 = 2152;
const GRE_IN_UDP: u16 = 4754;
const MPLS_IN_UDP: u16 = 6635;

/// Types of payload of GRE beside those of Ethernet.
const BRIDGED: u16 = 0x6558;
const ERSPAN: u16 = 0x88be;
const ERSPAN_3: u16 = 0x22eb;
const PPP: u16 = 0x880b;

/// What a tunnel carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inner<'a> {
    /// An Ethernet frame.
    Frame(&'a [u8]),
    /// A frame of PPP.
    Ppp(&'a [u8]),
    /// A packet behind an Ethernet type.
    Packet(u16, &'a [u8]),
}

/// The name of the tunnel that the payload of a packet of IP is, and what it carries.
pub fn of_protocol(protocol: u8, payload: &[u8]) -> Option<(&'static str, Inner<'_>)> {
    Some(match protocol {
        IPV4 => ("IPv4 in IP", packet(payload)?),
        IPV6 => ("IPv6 in IP", packet(payload)?),
        MPLS => ("MPLS in IP", Inner::Packet(ether_type::MPLS, payload)),
        GRE => return gre(payload),
        _ => return None,
    })
}

/// The same of the user data of a datagram between two ports.
pub fn of_datagram(ports: [u16; 2], data: &[u8]) -> Option<(&'static str, Inner<'_>)> {
    let [source, destination] = ports;
    match destination {
        port if VXLAN.contains(&port) => Some(("VXLAN", vxlan(data)?)),
        GENEVE => Some(("GENEVE", geneve(data)?)),
        GRE_IN_UDP => Some(("GRE in UDP", gre(data)?.1)),
        MPLS_IN_UDP => Some(("MPLS in UDP", Inner::Packet(ether_type::MPLS, data))),
        _ if [source, destination].contains(&GTP_U) => Some(("GTP-U", gtp(data)?)),
        _ => None,
    }
}

/// IP of either version.
fn packet(bytes: &[u8]) -> Option<Inner<'_>> {
    match bytes.first()? >> 4 {
        4 => Some(Inner::Packet(ether_type::IPV4, bytes)),
        6 => Some(Inner::Packet(ether_type::IPV6, bytes)),
        _ => None,
    }
}

fn gre(bytes: &[u8]) -> Option<(&'static str, Inner<'_>)> {
    let (&[flags, version, high, low], rest) = bytes.split_first_chunk()?;
    let kind = u16::from_be_bytes([high, low]);
    let words = |bits: u8| usize::try_from((flags & bits).count_ones()).ok();
    // checksum and reserved, key, sequence number
    let mut header = 4 * words(0xb0)?;
    match (version & 7, kind) {
        (0, BRIDGED) => Some(("GRE", Inner::Frame(rest.get(header..)?))),
        (0, ERSPAN) => {
            // without a sequence number there is no header (type I)
            header += if flags & 0x10 != 0 { 8 } else { 0 };
            Some(("ERSPAN", Inner::Frame(rest.get(header..)?)))
        }
        (0, ERSPAN_3) => {
            let of_platform = rest.get(header + 11)? & 1 != 0;
            header += if of_platform { 20 } else { 12 };
            Some(("ERSPAN", Inner::Frame(rest.get(header..)?)))
        }
        (0, ether_type::IPV4 | ether_type::IPV6) => Some(("GRE", packet(rest.get(header..)?)?)),
        (0, ether_type::MPLS | ether_type::MPLS_UPSTREAM) => Some(("GRE", Inner::Packet(kind, rest.get(header..)?))),
        // the type of the payload is in front of the metadata, not behind them
        (0, ether_type::METADATA) => {
            let rest = rest.get(header..)?;
            let (&[high, low, ..], payload) = rest.split_first_chunk::<8>()?;
            match u16::from_be_bytes([high, low]) {
                ether_type::IPV4 | ether_type::IPV6 => Some(("Cisco metadata in GRE", packet(payload)?)),
                BRIDGED => Some(("Cisco metadata in GRE", Inner::Frame(payload))),
                _ => None,
            }
        }
        (1, PPP) => {
            // the acknowledgement number is announced beside the version
            header += if version & 0x80 != 0 { 4 } else { 0 };
            let payload = rest.get(header..).filter(|payload| !payload.is_empty())?;
            Some(("PPP in GRE", Inner::Ppp(payload)))
        }
        _ => None,
    }
}

fn vxlan(data: &[u8]) -> Option<Inner<'_>> {
    let (&[flags, _, _, _, _, _, _, _], frame) = data.split_first_chunk::<8>()?;
    // a network identifier is there, and version and next protocol are not (as of GPE)
    (flags & 0x3c == 0x08).then_some(Inner::Frame(frame))
}

fn geneve(data: &[u8]) -> Option<Inner<'_>> {
    let (&[first, _, high, low, ..], _) = data.split_first_chunk::<8>()?;
    let options = 4 * usize::from(first & 0x3f);
    let payload = data.get(8 + options..).filter(|_| first >> 6 == 0)?;
    match u16::from_be_bytes([high, low]) {
        BRIDGED => Some(Inner::Frame(payload)),
        kind => Some(Inner::Packet(kind, payload)),
    }
}

/// A user's packet: version 1 of GTP, not that for charging, message 255.
fn gtp(data: &[u8]) -> Option<Inner<'_>> {
    let (&[flags, 255, ..], rest) = data.split_first_chunk::<8>()? else { return None };
    if flags & 0xf0 != 0x30 {
        return None;
    }
    if flags & 7 == 0 {
        return packet(rest);
    }
    // sequence number, N-PDU number and the type of the next extension header
    let (&[_, _, _, mut next], mut rest) = rest.split_first_chunk::<4>()?;
    while next != 0 {
        let length = 4 * usize::from(*rest.first().filter(|length| **length > 0)?);
        next = *rest.get(length - 1).filter(|_| flags & 4 != 0)?;
        rest = &rest[length..];
    }
    packet(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FRAME: &[u8] = &[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45];
    const PACKET: &[u8] = &[0x45, 0, 0, 20];

    fn with(header: &[u8], rest: &[u8]) -> Vec<u8> {
        [header, rest].concat()
    }

    #[test]
    fn packets_in_packets_are_named() {
        let four = Inner::Packet(ether_type::IPV4, PACKET);
        assert_eq!(of_protocol(4, PACKET), Some(("IPv4 in IP", four)));
        assert_eq!(of_protocol(41, &[0x60, 1]), Some(("IPv6 in IP", Inner::Packet(ether_type::IPV6, &[0x60, 1]))));
        assert_eq!(of_protocol(41, &[0, 1]), None);
        assert_eq!(of_protocol(50, PACKET), None, "ESP");
    }

    #[test]
    fn gre_carries_packets_frames_and_copies_of_frames_behind_its_options() {
        let gre = |header: &[u8], rest: &[u8]| {
            let bytes = with(header, rest);
            of_protocol(47, &bytes).map(|(name, inner)| {
                let rest = match inner {
                    Inner::Frame(rest) | Inner::Ppp(rest) | Inner::Packet(_, rest) => rest.to_vec(),
                };
                (name, rest)
            })
        };
        assert_eq!(gre(&[0, 0, 8, 0], PACKET), Some(("GRE", PACKET.to_vec())));
        let keyed = [0xb0, 0, 0x65, 0x58, 1, 1, 0, 0, 0, 0, 0, 7, 0, 0, 0, 1];
        assert_eq!(gre(&keyed, FRAME), Some(("GRE", FRAME.to_vec())));
        let copied = [0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, 1, 2, 3, 0, 0, 0, 0];
        assert_eq!(gre(&copied, FRAME), Some(("ERSPAN", FRAME.to_vec())));
        assert_eq!(gre(&[0, 0, 0x88, 0xbe], FRAME), Some(("ERSPAN", FRAME.to_vec())), "type I");
        let third = [0x10, 0, 0x22, 0xeb, 0, 0, 0, 1, 0x20, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1];
        assert_eq!(gre(&[&third[..], &[9; 8]].concat(), FRAME), Some(("ERSPAN", FRAME.to_vec())), "type III");
        let tunnelled = [0x30, 0x81, 0x88, 0x0b, 0, 5, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9];
        assert_eq!(gre(&tunnelled, &[0, 0x21, 0x45]), Some(("PPP in GRE", vec![0, 0x21, 0x45])));
        let metadata = [0, 0, 0x89, 9, 8, 0, 1, 1, 0, 1, 0, 7];
        assert_eq!(gre(&metadata, PACKET), Some(("Cisco metadata in GRE", PACKET.to_vec())));
        assert_eq!(gre(&[0, 0, 0x20, 1], PACKET), None, "not followed");
    }

    #[test]
    fn datagrams_carry_frames_and_the_packets_of_mobile_users() {
        let inner = |ports, data: &[u8]| of_datagram(ports, data).map(|(name, _)| name);
        assert_eq!(inner([50_000, 4789], &with(&[8, 0, 0, 0, 0, 0, 7, 0], FRAME)), Some("VXLAN"));
        assert_eq!(inner([50_000, 4789], &with(&[0; 8], FRAME)), None);
        let options = [1, 0, 0x65, 0x58, 0, 0, 7, 0, 1, 2, 3, 4];
        let data = with(&options, FRAME);
        assert_eq!(of_datagram([50_000, 6081], &data), Some(("GENEVE", Inner::Frame(FRAME))));
        let data = with(&[0x34, 255, 0, 12, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0x10, 9, 0], PACKET);
        assert_eq!(of_datagram([2152, 2152], &data), Some(("GTP-U", Inner::Packet(ether_type::IPV4, PACKET))));
        assert_eq!(inner([50_000, 4754], &with(&[0, 0, 8, 0], PACKET)), Some("GRE in UDP"));
        let labelled = with(&[0, 0, 0x11, 64], PACKET);
        let expected = Some(("MPLS in UDP", Inner::Packet(ether_type::MPLS, &labelled[..])));
        assert_eq!(of_datagram([50_000, 6635], &labelled), expected);
        assert_eq!(inner([2152, 2152], &with(&[0x30, 1, 0, 0, 0, 0, 0, 0], PACKET)), None, "an echo");
        assert_eq!(inner([2152, 2152], &with(&[0x34, 255, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0x85, 0, 0, 0, 0], PACKET)), None);
    }

    proptest! {
        #[test]
        fn any_octets_are_a_tunnel_or_none(bytes in prop::collection::vec(any::<u8>(), 0..80), protocol: u8) {
            for protocol in [protocol, GRE] {
                of_protocol(protocol, &bytes);
            }
            for port in [4789, 6081, 2152, 4754, 6635] {
                of_datagram([2152, port], &bytes);
            }
        }
    }
}
