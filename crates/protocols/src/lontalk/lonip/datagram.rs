//! IPv4 and UDP around a LON/IP data packet, for capture files of link type 101.

use super::header::{DataPacket, HEADER_LENGTH, PORT};
use crate::UserData;
use crate::lontalk::wire::{Destination, EmitError, LONGEST, Packet, SubnetNode};

const IPV4_LENGTH: usize = 20;
const UDP_LENGTH: usize = 8;
/// Bytes of a datagram beside the LPDU: IPv4, UDP and the common header.
pub const HEADERS_LENGTH: usize = IPV4_LENGTH + UDP_LENGTH + HEADER_LENGTH;
const UDP: u8 = 17;
const TIME_TO_LIVE: u8 = 64;
const DO_NOT_FRAGMENT: [u8; 2] = [0x40, 0x00];

/// The LON/IP header fields of a packet in a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The run's session number, not 0.
    pub session: u32,
    /// The packet's sequence number in the capture.
    pub sequence: u32,
    /// End of its transmission, in milliseconds from the start.
    pub time_stamp_ms: u32,
}

/// The IPv4 address that represents a node: 10.0.subnet.node.
pub const fn host(address: SubnetNode) -> [u8; 4] {
    [10, 0, address.subnet, address.node]
}

/// The IPv4 address that represents a destination: a node's address, 10.0.subnet.255 for a subnet and for a unique id
/// addressed in it, 10.255.255.255 for the whole domain, 239.192.0.group for a group.
pub const fn destination_host(destination: &Destination) -> [u8; 4] {
    match *destination {
        Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } => host(node),
        Destination::Group { group } => [239, 192, 0, group],
        Destination::Broadcast { subnet: 0 } | Destination::UniqueId { subnet: 0, .. } => [10, 255, 255, 255],
        Destination::Broadcast { subnet } | Destination::UniqueId { subnet, .. } => [10, 0, subnet, 255],
    }
}

/// Replaces `record` by the IPv4 packet that carries the LonTalk packet, from port 1628 to port 1628, between addresses that represent its
/// source and destination.
pub fn capture_record<D: UserData>(packet: &Packet<D>, stamp: Stamp, record: &mut Vec<u8>) -> Result<(), EmitError> {
    datagram_record(packet, (host(packet.source), destination_host(&packet.destination)), stamp, record)
}

/// The same between these addresses: what one member of an IP-852 channel sends to another.
pub fn datagram_record<D: UserData>(
    packet: &Packet<D>,
    hosts: ([u8; 4], [u8; 4]),
    stamp: Stamp,
    record: &mut Vec<u8>,
) -> Result<(), EmitError> {
    let mut lpdu = [0; LONGEST];
    let length = packet.emit(&mut lpdu)?;
    record.clear();
    emit_ipv4(hosts, UDP_LENGTH + HEADER_LENGTH + length, stamp.sequence as u16, record);
    record.extend_from_slice(&PORT.to_be_bytes());
    record.extend_from_slice(&PORT.to_be_bytes());
    record.extend_from_slice(&((UDP_LENGTH + HEADER_LENGTH + length) as u16).to_be_bytes());
    record.extend_from_slice(&[0, 0]);
    let data = DataPacket {
        session: stamp.session,
        sequence: stamp.sequence,
        time_stamp_ms: stamp.time_stamp_ms,
        lpdu: &lpdu[..length],
    };
    data.emit(record).map_err(|_| EmitError::TooLong(length))?;
    fill_udp_checksum(record);
    Ok(())
}

fn emit_ipv4((source, destination): ([u8; 4], [u8; 4]), payload: usize, identification: u16, record: &mut Vec<u8>) {
    record.extend_from_slice(&[0x45, 0]);
    record.extend_from_slice(&((IPV4_LENGTH + payload) as u16).to_be_bytes());
    record.extend_from_slice(&identification.to_be_bytes());
    record.extend_from_slice(&DO_NOT_FRAGMENT);
    record.extend_from_slice(&[TIME_TO_LIVE, UDP, 0, 0]);
    record.extend_from_slice(&source);
    record.extend_from_slice(&destination);
    let checksum = !ones_complement_sum(0, record);
    record[10..12].copy_from_slice(&checksum.to_be_bytes());
}

/// The checksum of UDP covers the addresses, the protocol and the length too; 0 would mean that there is none
/// (RFC 768).
fn fill_udp_checksum(record: &mut [u8]) {
    let (header, datagram) = record.split_at_mut(IPV4_LENGTH);
    let pseudo_header = u32::from(UDP) + datagram.len() as u32;
    let with_addresses = u32::from(ones_complement_sum(pseudo_header, &header[12..20]));
    let checksum = match !ones_complement_sum(with_addresses, datagram) {
        0 => 0xffff,
        other => other,
    };
    datagram[6..8].copy_from_slice(&checksum.to_be_bytes());
}

/// The sum of RFC 1071 over 16-bit words, begun with `start`.
fn ones_complement_sum(start: u32, bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|word| u32::from(word[0]) << 8 | u32::from(*word.get(1).unwrap_or(&0)));
    let mut sum = start + words.sum::<u32>();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lontalk::wire::examples;

    #[test]
    fn every_example_is_carried_whole_with_right_checksums() {
        for (name, packet) in examples() {
            let mut record = vec![0xee; 3];
            let stamp = Stamp { session: 7, sequence: 3, time_stamp_ms: 12 };
            capture_record(&packet, stamp, &mut record).unwrap();
            assert_eq!(ones_complement_sum(0, &record[..20]), 0xffff, "IPv4 header of {name}");
            let pseudo_header = u32::from(UDP) + record.len() as u32 - 20;
            assert_eq!(ones_complement_sum(pseudo_header, &record[12..]), 0xffff, "UDP of {name}");
            let data = DataPacket::parse(&record[28..]).unwrap();
            assert_eq!((data.session, data.sequence, data.time_stamp_ms), (7, 3, 12));
            assert_eq!(data.lpdu, packet.to_bytes().unwrap());
        }
    }

    #[test]
    fn nodes_groups_and_subnets_have_addresses_of_their_own() {
        let node = SubnetNode::new(3, 17);
        assert_eq!(host(node), [10, 0, 3, 17]);
        assert_eq!(destination_host(&Destination::GroupAcknowledgement { node, group: 1, member: 2 }), [10, 0, 3, 17]);
        assert_eq!(destination_host(&Destination::Broadcast { subnet: 9 }), [10, 0, 9, 255]);
        assert_eq!(destination_host(&Destination::Broadcast { subnet: 0 }), [10, 255, 255, 255]);
        assert_eq!(destination_host(&Destination::Group { group: 7 }), [239, 192, 0, 7]);
    }
}
