//! ICMP echo requests and replies of both versions of IP (RFC 792, page 14; RFC 4443, sections 4.1 and 4.2).
//!
//! Parsing never panics. The checksum of ICMPv6 covers the addresses (RFC 4443, section 2.3), which only the kernel knows: it
//! writes and checks it (RFC 3542, section 3.1).

use crate::checksum::sum;

/// Octets of the header: type, code, checksum, identifier, sequence number.
pub const HEADER: usize = 8;

/// The version of IP that carries a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// ICMP over IPv4 (RFC 792).
    V4,
    /// ICMPv6 (RFC 4443).
    V6,
}

/// Whether an echo message asks or answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Echo request: type 8, of ICMPv6 128.
    Request,
    /// Echo reply: type 0, of ICMPv6 129.
    Reply,
}

/// An echo request or reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo<'a> {
    /// Whether it asks or answers.
    pub kind: Kind,
    /// Distinguishes the sessions of a host.
    pub identifier: u16,
    /// Number of the request within its session, modulo 65536.
    pub sequence: u16,
    /// Returned as it was sent.
    pub data: &'a [u8],
}

/// Why octets are not an echo request or reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Shorter than the header.
    #[error("{0} octets are shorter than the header of an echo message")]
    Short(usize),
    /// The checksum of the IPv4 message is wrong.
    #[error("wrong checksum")]
    Checksum,
    /// Another message of ICMP.
    #[error("ICMP type {0} is not echo")]
    OtherType(u8),
    /// An echo message with a code, which none has.
    #[error("code {0} of an echo message is not 0")]
    Code(u8),
}

impl Echo<'_> {
    /// Parses a message as the kernel delivers it; the checksum over IPv4 is verified.
    pub fn parse(version: Version, message: &[u8]) -> Result<Echo<'_>, ParseError> {
        if message.len() >= HEADER && version == Version::V4 && sum(message) != 0xffff {
            return Err(ParseError::Checksum);
        }
        Echo::parse_unverified(version, message)
    }

    /// Parses a captured message, whose data may be cut.
    pub fn parse_unverified(version: Version, message: &[u8]) -> Result<Echo<'_>, ParseError> {
        let Some((&[message_type, code, _, _, i1, i0, s1, s0], data)) = message.split_first_chunk::<HEADER>() else {
            return Err(ParseError::Short(message.len()));
        };
        let kinds = [Kind::Request, Kind::Reply];
        let kind = kinds.into_iter().find(|kind| kind.message_type(version) == message_type);
        let kind = kind.ok_or(ParseError::OtherType(message_type))?;
        if code != 0 {
            return Err(ParseError::Code(code));
        }
        let (identifier, sequence) = (u16::from_be_bytes([i1, i0]), u16::from_be_bytes([s1, s0]));
        Ok(Echo { kind, identifier, sequence, data })
    }

    /// Appends the message; the checksum of ICMPv6 is left to the kernel.
    pub fn emit(&self, version: Version, message: &mut Vec<u8>) {
        let begin = message.len();
        message.extend([self.kind.message_type(version), 0, 0, 0]);
        message.extend(self.identifier.to_be_bytes());
        message.extend(self.sequence.to_be_bytes());
        message.extend(self.data);
        if version == Version::V4 {
            let checksum = !sum(&message[begin..]);
            message[begin + 2..begin + 4].copy_from_slice(&checksum.to_be_bytes());
        }
    }
}

impl Kind {
    fn message_type(self, version: Version) -> u8 {
        match (self, version) {
            (Kind::Request, Version::V4) => 8,
            (Kind::Reply, Version::V4) => 0,
            (Kind::Request, Version::V6) => 128,
            (Kind::Reply, Version::V6) => 129,
        }
    }
}

/// The payload of an IPv4 packet as a raw socket delivers it, behind its header (raw(7)); `None` if that is truncated.
pub fn behind_ip_header(packet: &[u8]) -> Option<&[u8]> {
    let header = usize::from(packet.first()? & 0x0f) * 4;
    packet.get(header..).filter(|_| header >= 20)
}

/// Entry point of fuzzing.
pub mod fuzz {
    use super::{Echo, Version, behind_ip_header};

    /// Parses octets as messages of both versions and as a packet; what parses is emitted to the same message.
    pub fn message(octets: &[u8]) {
        for version in [Version::V4, Version::V6] {
            let Ok(echo) = Echo::parse(version, octets) else { continue };
            let mut emitted = Vec::new();
            echo.emit(version, &mut emitted);
            // not the same octets: of the two zeros of one's complement the checksum may be either
            let again = Echo::parse(version, &emitted).expect("an emitted message parses");
            assert_eq!((again, emitted.len()), (echo, octets.len()));
        }
        if let Some(message) = behind_ip_header(octets) {
            assert!(message.len() + 20 <= octets.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_of_ping_parses_and_is_emitted_alike() {
        // identifier 0x1234, sequence number 7, data "ping"
        let octets = [8, 0, 0x06, 0xf4, 0x12, 0x34, 0, 7, b'p', b'i', b'n', b'g'];
        let echo = Echo { kind: Kind::Request, identifier: 0x1234, sequence: 7, data: b"ping" };
        let mut emitted = Vec::new();
        echo.emit(Version::V4, &mut emitted);
        assert_eq!(emitted, octets);
        assert_eq!(Echo::parse(Version::V4, &octets), Ok(echo));
    }

    #[test]
    fn what_is_no_echo_is_refused_by_name() {
        let message = |octets: &[u8]| Echo::parse(Version::V6, octets).unwrap_err();
        assert_eq!(message(&[129, 0, 0, 0, 1, 2, 3]), ParseError::Short(7));
        assert_eq!(message(&[1, 4, 0, 0, 0, 0, 0, 0]), ParseError::OtherType(1));
        assert_eq!(message(&[129, 1, 0, 0, 0, 0, 0, 0]), ParseError::Code(1));
        assert_eq!(Echo::parse(Version::V4, &[8, 0, 0, 0, 0, 0, 0, 0]), Err(ParseError::Checksum));
    }

    #[test]
    fn a_packet_gives_its_payload_and_a_truncated_one_none() {
        let packet = [&[0x45; 20][..], b"rest"].concat();
        assert_eq!(behind_ip_header(&packet), Some(&b"rest"[..]));
        assert_eq!(behind_ip_header(&packet[..19]), None);
        assert_eq!(behind_ip_header(&[0x41; 30]), None);
        assert_eq!(behind_ip_header(&[]), None);
    }

    proptest! {
        #[test]
        fn any_message_comes_back_as_it_was(
            is_reply: bool, identifier: u16, sequence: u16, data in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            let kind = if is_reply { Kind::Reply } else { Kind::Request };
            for version in [Version::V4, Version::V6] {
                let echo = Echo { kind, identifier, sequence, data: &data };
                let mut emitted = Vec::new();
                echo.emit(version, &mut emitted);
                prop_assert_eq!(Echo::parse(version, &emitted), Ok(echo));
            }
        }

        #[test]
        fn any_octets_are_parsed_without_a_panic(octets in proptest::collection::vec(any::<u8>(), 0..200)) {
            fuzz::message(&octets);
        }
    }
}
