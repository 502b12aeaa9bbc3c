//! The probe format of ICMP echo: requests recognizable when returned.

use sojourn_core::Time;
use sojourn_protocols::icmp::{Echo, Kind, ParseError, Version, behind_ip_header};

use super::socket::Framing;
use crate::prober::peer::{PeerTimes, Request};
use crate::prober::udp_peer::ProbeFormat;

/// Octets of the sequence number in the data, and of the mark after it.
const NUMBER: usize = 8;
const MARK: usize = 8;

/// Echo requests of one measurement, whose data are a sequence number, a random mark and zeros.
#[derive(Debug)]
pub struct Requests {
    version: Version,
    framing: Framing,
    identifier: u16,
    mark: [u8; MARK],
    data: Vec<u8>,
}

impl Requests {
    /// Requests over a socket; the random octets are their mark and identifier. A ping socket replaces the identifier.
    pub fn new(version: Version, framing: Framing, random: [u8; MARK + 2]) -> Requests {
        let [mark @ .., high, low] = random;
        Requests { version, framing, identifier: u16::from_be_bytes([high, low]), mark, data: Vec::new() }
    }

    /// The ICMP message in what the socket delivered: a raw socket over IPv4 delivers the IP header before it.
    fn message<'a>(&self, delivered: &'a [u8]) -> Result<Echo<'a>, ParseError> {
        let message = match (self.framing, self.version) {
            (Framing::Raw, Version::V4) => behind_ip_header(delivered).ok_or(ParseError::Short(delivered.len()))?,
            _ => delivered,
        };
        Echo::parse(self.version, message)
    }
}

impl ProbeFormat for Requests {
    fn write(&mut self, request: Request, _leaves: Time, datagram: &mut Vec<u8>) {
        self.data.clear();
        self.data.extend(request.sequence.to_be_bytes());
        self.data.extend(self.mark);
        self.data.resize(self.data.len().max(request.octets as usize), 0);
        let Requests { identifier, ref data, .. } = *self;
        let echo = Echo { kind: Kind::Request, identifier, sequence: request.sequence as u16, data };
        echo.emit(self.version, datagram);
    }

    fn read(&mut self, delivered: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
        let echo = self.message(delivered).ok().filter(|echo| echo.kind == Kind::Reply)?;
        let (number, rest) = echo.data.split_first_chunk::<NUMBER>()?;
        rest.starts_with(&self.mark).then(|| (u64::from_be_bytes(*number), None))
    }

    /// Over a raw socket also requests, replies to others and errors arrive.
    fn read_control(&mut self, _now: Time, delivered: &[u8]) -> bool {
        self.framing == Framing::Raw
            && match self.message(delivered) {
                Ok(echo) => echo.kind == Kind::Request || echo.identifier != self.identifier,
                Err(ParseError::OtherType(_)) => true,
                Err(_) => false,
            }
    }

    fn min_octets(&self) -> u32 {
        (NUMBER + MARK) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RANDOM: [u8; 10] = *b"one mark\x12\x34";

    fn written(requests: &mut Requests, sequence: u64, octets: u32) -> Vec<u8> {
        let mut datagram = Vec::new();
        requests.write(Request { sequence, intended: Time::ZERO, octets }, Time::ZERO, &mut datagram);
        datagram
    }

    /// The reply to a request, as the peer's kernel makes it.
    fn reply(version: Version, request: &[u8]) -> Vec<u8> {
        let mut reply = Vec::new();
        let echo = Echo::parse(version, request).unwrap();
        Echo { kind: Kind::Reply, ..echo }.emit(version, &mut reply);
        reply
    }

    #[test]
    fn a_request_carries_as_many_octets_of_data_as_ping_would_send() {
        let datagram = written(&mut Requests::new(Version::V4, Framing::Raw, RANDOM), 0x1_0007, 56);
        let echo = Echo::parse(Version::V4, &datagram).unwrap();
        assert_eq!((echo.kind, echo.identifier, echo.sequence, echo.data.len()), (Kind::Request, 0x1234, 7, 56));
    }

    #[test]
    fn a_reply_is_recognized_by_its_mark_beyond_65536_requests() {
        for version in [Version::V4, Version::V6] {
            let mut requests = Requests::new(version, Framing::Ping, RANDOM);
            let sent = written(&mut requests, 0x1_0007, 64);
            assert_eq!(requests.read(&reply(version, &sent)), Some((0x1_0007, None)));
            assert_eq!(requests.read(&sent), None, "a request is not a reply");
            let mut others = Requests::new(version, Framing::Ping, *b"another!\x12\x34");
            assert_eq!(others.read(&reply(version, &sent)), None);
        }
    }

    #[test]
    fn a_raw_socket_delivers_the_ip_header_and_the_messages_of_others() {
        let mut requests = Requests::new(Version::V4, Framing::Raw, RANDOM);
        let packet = |message: &[u8]| [&[0x45; 20][..], message].concat();
        let sent = written(&mut requests, 7, 64);
        assert_eq!(requests.read(&packet(&reply(Version::V4, &sent))), Some((7, None)));
        assert!(requests.read_control(Time::ZERO, &packet(&sent)), "its own request on the loopback");
        let mut corrupt = packet(&reply(Version::V4, &sent));
        corrupt[60] ^= 1;
        assert_eq!(requests.read(&corrupt), None);
        assert!(!requests.read_control(Time::ZERO, &corrupt));
    }

    proptest! {
        #[test]
        fn any_octets_are_read_without_a_panic(octets in proptest::collection::vec(any::<u8>(), 0..200)) {
            for version in [Version::V4, Version::V6] {
                let mut requests = Requests::new(version, Framing::Raw, RANDOM);
                prop_assert_eq!(requests.read(&octets), None);
                requests.read_control(Time::ZERO, &octets);
            }
        }
    }
}
