//! Headers of captured IPv4 and IPv6 packets, which may be truncated or lack a checksum that the adapter computes
//! later.
//!
//! Sources: RFC 791, RFC 8200 section 4, RFC 4302 section 2 (AH).

use std::net::{Ipv4Addr, Ipv6Addr};

use sojourn_protocols::limits::Truncated;

pub use std::net::IpAddr;

/// Protocol numbers beside those of [`sojourn_protocols::ip::protocol`] (IANA).
pub mod protocol {
    pub use sojourn_protocols::ip::protocol::{TCP, UDP, XTP};
    /// ICMP of IPv4 (RFC 792).
    pub const ICMP: u8 = 1;
    /// AH (RFC 4302), also an extension header of IPv6.
    pub const AUTHENTICATION: u8 = 51;
    /// ICMPv6 (RFC 4443).
    pub const ICMPV6: u8 = 58;
}

/// Extension headers of IPv6 that may stand before the transport header (RFC 8200, 4.1); over IPv4 that of AH alone.
mod extension {
    pub const HOP_BY_HOP: u8 = 0;
    pub const ROUTING: u8 = 43;
    pub const FRAGMENT: u8 = 44;
    pub use super::protocol::AUTHENTICATION;
    pub const DESTINATION: u8 = 60;
    pub const MOBILITY: u8 = 135;
}

/// Extension headers of a packet at most.
const MAX_EXTENSIONS: usize = 8;
/// Octets of the header of IPv6 without extensions.
const IPV6_HEADER: usize = 40;

/// What the headers of a packet say, with its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// Protocol of the payload.
    pub protocol: u8,
    /// Octets of the packet, headers included, before the capture cut it.
    pub length: u32,
    /// Time to live of IPv4, hop limit of IPv6: each router takes one from it.
    pub hop_limit: u8,
    /// Identification field of IPv4; 0 of IPv6.
    pub identification: u16,
    /// Of a fragment its place.
    pub fragment: Option<Fragment>,
    /// Whether an authentication header (AH) is in front of the payload.
    pub is_authenticated: bool,
    /// Octets of the payload before the capture cut it.
    pub payload_length: u32,
    /// The payload as captured, without padding of the link.
    pub payload: &'a [u8],
}

/// The place of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Identification of the datagram.
    pub identification: u32,
    /// Whether it begins the datagram, and so has the transport header.
    pub is_first: bool,
}

/// Why octets are not a packet of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The packet ends within the named field.
    #[error(transparent)]
    Truncated(#[from] Truncated),
    /// The version field is not that of the link's header.
    #[error("version {0}")]
    Version(u8),
    /// The header length or the total length is less than the header.
    #[error("a length field is less than the header")]
    Length,
    /// More extension headers than any sender has.
    #[error("more than {MAX_EXTENSIONS} extension headers")]
    Extensions,
}

impl<'a> Header<'a> {
    /// Parses a packet of either version. `on_link` counts its octets before the capture cut them, with the padding of the
    /// link: they are its length where the length field is zero because an adapter segments it later.
    pub fn parse(bytes: &'a [u8], on_link: u32) -> Result<Header<'a>, ParseError> {
        match bytes.first().ok_or(Truncated("IP header"))? >> 4 {
            4 => version_4(bytes, on_link),
            6 => version_6(bytes, on_link),
            version => Err(ParseError::Version(version)),
        }
    }
}

fn version_4(bytes: &[u8], on_link: u32) -> Result<Header<'_>, ParseError> {
    let (fixed, _) = bytes.split_first_chunk::<20>().ok_or(Truncated("IPv4 header"))?;
    let header_length = usize::from(fixed[0] & 0x0f) * 4;
    let length = match u16::from_be_bytes([fixed[2], fixed[3]]) {
        0 => on_link,
        length => length.into(),
    };
    let payload_length = length.checked_sub(header_length as u32).ok_or(ParseError::Length)?;
    if header_length < fixed.len() {
        return Err(ParseError::Length);
    }
    let payload = bytes.get(header_length..).ok_or(Truncated("IPv4 options"))?;
    let identification = u16::from_be_bytes([fixed[4], fixed[5]]);
    let place = u16::from_be_bytes([fixed[6], fixed[7]]);
    let (more, offset) = (place & 0x2000 != 0, place & 0x1fff);
    let fragment =
        (more || offset > 0).then_some(Fragment { identification: identification.into(), is_first: offset == 0 });
    let address = |at: usize| IpAddr::V4(Ipv4Addr::new(fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]));
    let mut header = Header {
        source: address(12),
        destination: address(16),
        protocol: fixed[9],
        length,
        hop_limit: fixed[8],
        identification,
        fragment,
        is_authenticated: false,
        payload_length,
        payload: cut(payload, payload_length),
    };
    // over IPv4 AH may stand once in front of each other kind of header: any further one is not followed
    if header.protocol == protocol::AUTHENTICATION {
        header.skip_extension()?;
    }
    Ok(header)
}

fn version_6(bytes: &[u8], on_link: u32) -> Result<Header<'_>, ParseError> {
    let (fixed, rest) = bytes.split_first_chunk::<IPV6_HEADER>().ok_or(Truncated("IPv6 header"))?;
    let behind_fixed = match u16::from_be_bytes([fixed[4], fixed[5]]) {
        0 => on_link.checked_sub(IPV6_HEADER as u32).ok_or(ParseError::Length)?,
        length => length.into(),
    };
    let address = |at: usize| {
        let octets: [u8; 16] = std::array::from_fn(|index| fixed[at + index]);
        IpAddr::V6(Ipv6Addr::from(octets))
    };
    let mut header = Header {
        source: address(8),
        destination: address(24),
        protocol: fixed[6],
        length: behind_fixed.saturating_add(IPV6_HEADER as u32),
        hop_limit: fixed[7],
        identification: 0,
        fragment: None,
        is_authenticated: false,
        payload_length: behind_fixed,
        payload: cut(rest, behind_fixed),
    };
    for _ in 0..MAX_EXTENSIONS {
        if !header.skip_extension()? {
            return Ok(header);
        }
    }
    Err(ParseError::Extensions)
}

impl Header<'_> {
    /// Goes behind the next extension header; `false` if the transport header follows.
    fn skip_extension(&mut self) -> Result<bool, ParseError> {
        use extension::{AUTHENTICATION, DESTINATION, FRAGMENT, HOP_BY_HOP, MOBILITY, ROUTING};
        let is_later = self.fragment.is_some_and(|fragment| !fragment.is_first);
        if is_later
            || !matches!(self.protocol, HOP_BY_HOP | ROUTING | FRAGMENT | AUTHENTICATION | DESTINATION | MOBILITY)
        {
            return Ok(false);
        }
        let (fixed, _) = self.payload.split_first_chunk::<8>().ok_or(Truncated("extension header"))?;
        let length = match self.protocol {
            FRAGMENT => 8,
            AUTHENTICATION => (usize::from(fixed[1]) + 2) * 4,
            _ => (usize::from(fixed[1]) + 1) * 8,
        };
        if self.protocol == FRAGMENT {
            let place = u16::from_be_bytes([fixed[2], fixed[3]]);
            let identification = u32::from_be_bytes([fixed[4], fixed[5], fixed[6], fixed[7]]);
            // an atomic fragment is a whole datagram (RFC 6946)
            self.fragment = (place & 0xfff9 != 0).then_some(Fragment { identification, is_first: place & 0xfff8 == 0 });
        }
        self.is_authenticated |= self.protocol == AUTHENTICATION;
        self.protocol = fixed[0];
        self.payload = self.payload.get(length..).ok_or(Truncated("extension header"))?;
        self.payload_length = self.payload_length.checked_sub(length as u32).ok_or(ParseError::Length)?;
        Ok(true)
    }
}

/// Octets of a packet without what the link appended.
fn cut(captured: &[u8], length: u32) -> &[u8] {
    &captured[..captured.len().min(length as usize)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ipv4(total_length: u16, place: u16, behind: &[u8]) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 0, 0, 9, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
        packet[2..4].copy_from_slice(&total_length.to_be_bytes());
        packet[6..8].copy_from_slice(&place.to_be_bytes());
        packet.extend(behind);
        packet
    }

    fn ipv6(payload_length: u16, next: u8, behind: &[u8]) -> Vec<u8> {
        let mut packet = vec![0x60, 0, 0, 0, 0, 0, next, 64];
        packet[4..6].copy_from_slice(&payload_length.to_be_bytes());
        packet.extend([[0xfd; 16], [0xfe; 16]].concat());
        packet.extend(behind);
        packet
    }

    #[test]
    fn the_length_field_counts_and_padding_does_not() {
        let padded = ipv4(22, 0x4000, &[1, 2, 0, 0, 0]);
        let header = Header::parse(&padded, 25).unwrap();
        assert_eq!((header.payload, header.payload_length, header.length), (&[1, 2][..], 2, 22));
        assert_eq!((header.protocol, header.fragment), (17, None));
        assert_eq!(header.source, IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)));
    }

    #[test]
    fn a_cut_packet_keeps_its_length_and_one_without_a_length_has_that_of_the_link() {
        let cut = ipv4(1500, 0, &[1, 2]);
        let header = Header::parse(&cut, 1500).unwrap();
        assert_eq!((header.payload.len(), header.payload_length), (2, 1480));
        let unsegmented = ipv4(0, 0, &[1, 2]);
        assert_eq!(Header::parse(&unsegmented, 65_020).unwrap().payload_length, 65_000);
    }

    #[test]
    fn fragments_of_both_versions_have_their_place() {
        let first = ipv4(28, 0x2000, &[0; 8]);
        let last = ipv4(28, 3, &[0; 8]);
        let place = |packet: &[u8]| Header::parse(packet, 0).unwrap().fragment.unwrap().is_first;
        assert!(place(&first) && !place(&last));
        let hop_by_hop_then_fragment = [[44, 0, 1, 4, 0, 0, 0, 0], [17, 0, 0, 9, 0, 0, 0, 7], [1; 8]].concat();
        let packet = ipv6(24, 0, &hop_by_hop_then_fragment);
        let header = Header::parse(&packet, 64).unwrap();
        assert_eq!(header.fragment, Some(Fragment { identification: 7, is_first: false }));
        assert_eq!((header.protocol, header.payload_length, header.length), (17, 8, 64));
    }

    #[test]
    fn an_authentication_header_is_passed_over_both_versions() {
        // next header, length in words less two, reserved, SPI, sequence number, 12 octets of check value
        let ah = [&[17, 4, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1][..], &[7; 12], &[1, 2]].concat();
        let mut four = ipv4(20 + 26, 0, &ah);
        four[9] = 51;
        let six = ipv6(26, 51, &ah);
        for packet in [four, six] {
            let header = Header::parse(&packet, 0).unwrap();
            assert_eq!((header.protocol, header.payload, header.payload_length), (17, &[1, 2][..], 2));
            assert!(header.is_authenticated);
        }
    }

    #[test]
    fn what_does_not_parse_is_refused_by_name() {
        let error = |packet: &[u8]| Header::parse(packet, 0).unwrap_err();
        assert_eq!(error(&[]), ParseError::Truncated(Truncated("IP header")));
        assert_eq!(error(&[0x45; 19]), ParseError::Truncated(Truncated("IPv4 header")));
        assert_eq!(error(&[0x70]), ParseError::Version(7));
        assert_eq!(error(&ipv4(19, 0, &[])), ParseError::Length);
        assert_eq!(error(&[&[0x44][..], &[9; 30]].concat()), ParseError::Length);
        assert_eq!(error(&ipv6(8, 0, &[0; 4])), ParseError::Truncated(Truncated("extension header")));
        assert_eq!(error(&ipv6(80, 0, &[0; 80])), ParseError::Extensions);
    }
}
