//! IPv4 datagrams without options or fragments (RFC 791), and the pseudo-header that the checksums of TCP and UDP
//! cover (RFC 9293, 3.1; RFC 768).

use crate::UserData;
use crate::checksum;

/// Protocol numbers of the header (IANA).
pub mod protocol {
    /// Transmission Control Protocol (RFC 9293).
    pub const TCP: u8 = 6;
    /// User Datagram Protocol (RFC 768).
    pub const UDP: u8 = 17;
    /// Xpress Transport Protocol, revision 4.0.
    pub const XTP: u8 = 36;
}

/// Explicit congestion notification in the IP header (ECN; RFC 3168, section 5, and RFC 8311): the last two bits of the traffic
/// class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ecn {
    /// Not-ECT: queues drop it where they would mark others.
    #[default]
    NotEct,
    /// ECT(1): the sender reacts as scalable congestion controls do (L4S, RFC 9331).
    Ect1,
    /// ECT(0): the sender reacts to a mark as to a loss.
    Ect0,
    /// CE: congestion experienced.
    Ce,
}

impl Ecn {
    /// The two bits.
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// The code point of two bits; others are ignored.
    pub const fn of(bits: u8) -> Self {
        match bits & 0b11 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    /// Whether a queue may mark it.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Ecn::NotEct)
    }
}

/// Octets of the header without options (RFC 791, 3.1).
pub const HEADER_LENGTH: usize = 20;

/// Time to live of emitted datagrams (RFC 1700's recommended default).
const TTL: u8 = 64;

/// A transport packet that a datagram carries.
pub trait Payload: Clone + PartialEq {
    /// Protocol number in the IP header.
    const PROTOCOL: u8;

    /// Octets of the packet, its own header included.
    fn length(&self) -> usize;

    /// Writes the packet to `buffer`, which is exactly [`length`](Self::length) long; `false` if it cannot be emitted.
    fn emit(&self, buffer: &mut [u8], pseudo: &PseudoHeader) -> bool;
}

/// An IPv4 datagram. It implements [`UserData`], so a frame can carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<P> {
    /// IPv4 address of the source.
    pub source: [u8; 4],
    /// IPv4 address of the destination.
    pub destination: [u8; 4],
    /// Identification field (RFC 791, 3.1).
    pub identification: u16,
    /// The transport packet that the datagram carries.
    pub packet: P,
}

impl<P: Payload> Datagram<P> {
    fn header(&self) -> [u8; HEADER_LENGTH] {
        let mut header = [0; HEADER_LENGTH];
        header[0] = 0x45;
        header[2..4].copy_from_slice(&(self.length() as u16).to_be_bytes());
        header[4..6].copy_from_slice(&self.identification.to_be_bytes());
        header[8] = TTL;
        header[9] = P::PROTOCOL;
        header[12..16].copy_from_slice(&self.source);
        header[16..20].copy_from_slice(&self.destination);
        let check = checksum::complement(checksum::sum(&header));
        header[10..12].copy_from_slice(&check.to_be_bytes());
        header
    }
}

impl<P: Payload> UserData for Datagram<P> {
    fn length(&self) -> usize {
        HEADER_LENGTH + self.packet.length()
    }

    /// Writes the datagram; a packet that cannot be emitted leaves the header as it was.
    fn emit(&self, buffer: &mut [u8]) {
        let pseudo = PseudoHeader::new(self.source, self.destination, P::PROTOCOL);
        if let Some((header, packet)) = buffer.split_at_mut_checked(HEADER_LENGTH)
            && self.packet.emit(packet, &pseudo)
        {
            header.copy_from_slice(&self.header());
        }
    }
}

/// The pseudo-header that the checksums of UDP and TCP cover: addresses, protocol and length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PseudoHeader {
    octets: [u8; 12],
}

impl PseudoHeader {
    /// The pseudo-header of datagrams of `protocol` from `source` to `destination`.
    pub const fn new(source: [u8; 4], destination: [u8; 4], protocol: u8) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (source, destination);
        PseudoHeader { octets: [a, b, c, d, e, f, g, h, 0, protocol, 0, 0] }
    }

    /// The checksum of `octets`, in which the checksum field is zero.
    pub fn checksum(&self, octets: &[u8]) -> u16 {
        checksum::complement(self.sum(octets))
    }

    /// Whether the checksum field within `octets` is correct.
    pub fn is_valid(&self, octets: &[u8]) -> bool {
        self.checksum(octets) == 0
    }

    fn sum(&self, octets: &[u8]) -> u16 {
        let mut pseudo = self.octets;
        pseudo[10..].copy_from_slice(&(octets.len() as u16).to_be_bytes());
        let (sum, carry) = checksum::sum(&pseudo).overflowing_add(checksum::sum(octets));
        sum + u16::from(carry)
    }
}
