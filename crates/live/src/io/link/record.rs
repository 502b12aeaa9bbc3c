//! Records datagrams as IP packets in capture files.

use std::net::{IpAddr, SocketAddr};

/// Bytes of an IPv4 header without options, and of a UDP header.
const IP_HEADER: usize = 20;
const UDP_HEADER: usize = 8;
const UDP: u8 = 17;
const TIME_TO_LIVE: u8 = 64;

/// Replaces `record` by an IP packet of `protocol`, of the IP version of its addresses.
pub fn ip((source, destination): (SocketAddr, SocketAddr), protocol: u8, payload: &[u8], record: &mut Vec<u8>) {
    record.clear();
    match (source.ip(), destination.ip()) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let length = u16::try_from(IP_HEADER + payload.len()).unwrap_or(u16::MAX);
            record.extend([0x45, 0]);
            record.extend(length.to_be_bytes());
            record.extend([0, 0, 0, 0, TIME_TO_LIVE, protocol, 0, 0]);
            record.extend(source.octets());
            record.extend(destination.octets());
            let check = checksum(record);
            record[10..12].copy_from_slice(&check.to_be_bytes());
        }
        (source, destination) => {
            let length = u16::try_from(payload.len()).unwrap_or(u16::MAX);
            record.extend([0x60, 0, 0, 0]);
            record.extend(length.to_be_bytes());
            record.extend([protocol, TIME_TO_LIVE]);
            record.extend(version_6(source));
            record.extend(version_6(destination));
        }
    }
    record.extend_from_slice(payload);
}

/// Replaces `record` by an IP packet with a UDP datagram, whose checksum field is 0 (not computed).
pub fn udp(ends: (SocketAddr, SocketAddr), payload: &[u8], record: &mut Vec<u8>) {
    let length = u16::try_from(UDP_HEADER + payload.len()).unwrap_or(u16::MAX);
    let mut datagram = Vec::with_capacity(UDP_HEADER + payload.len());
    datagram.extend(ends.0.port().to_be_bytes());
    datagram.extend(ends.1.port().to_be_bytes());
    datagram.extend(length.to_be_bytes());
    datagram.extend([0, 0]);
    datagram.extend_from_slice(payload);
    ip(ends, UDP, &datagram, record);
}

/// The octets of an IPv6 address, mapped from IPv4 where needed.
fn version_6(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    }
}

/// The checksum of a header (RFC 791).
fn checksum(header: &[u8]) -> u16 {
    let words = header.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
    let sum: u32 = words.sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_stands_behind_headers_whose_lengths_and_checksum_are_right() {
        let (near, far): (SocketAddr, SocketAddr) =
            ("192.168.0.1:5000".parse().unwrap(), "192.168.0.199:36000".parse().unwrap());
        let mut record = Vec::new();
        udp((near, far), b"hello", &mut record);
        assert_eq!((record.len(), &record[2..4], record[9]), (33, &[0, 33][..], 17));
        assert_eq!(checksum(&record[..20]), 0, "a header with its checksum adds up to nothing");
        assert_eq!(record[12..24], [192, 168, 0, 1, 192, 168, 0, 199, 0x13, 0x88, 0x8c, 0xa0]);
        assert_eq!((&record[24..26], &record[28..]), (&[0, 13][..], &b"hello"[..]));
    }

    #[test]
    fn between_addresses_of_ipv6_the_packet_is_of_ipv6() {
        let (near, far): (SocketAddr, SocketAddr) =
            ("[2001:db8::1]:5000".parse().unwrap(), "[2001:db8::2]:36000".parse().unwrap());
        let mut record = Vec::new();
        udp((near, far), b"hello", &mut record);
        assert_eq!(record[..8], [0x60, 0, 0, 0, 0, 13, 17, 64]);
        assert_eq!((record[8..10].to_vec(), record[23], record[39]), (vec![0x20, 0x01], 1, 2));
        assert_eq!((record.len(), &record[48..]), (53, &b"hello"[..]));
    }
}
