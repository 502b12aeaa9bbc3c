//! Applications whose messages carry a request identifier, recognized by the server port.
//!
//! Sources: RFC 1035 section 4.1.1 (DNS), RFC 5905 section 7.3 (NTP), RFC 8762 section 4 (STAMP), ASHRAE 135 clauses 6, 20
//! and J (BACnet/IP), Modbus Messaging on TCP/IP Implementation Guide V1.0b section 3.1.

use foldhash::fast::FixedState;
use std::hash::BuildHasher;

use sojourn_protocols::{probe, stamp};

/// An application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Application {
    /// The echo service (RFC 862): an answer repeats its request.
    Echo,
    /// The domain name system, over UDP and TCP.
    Dns,
    /// The network time protocol, client and server.
    Ntp,
    /// Simple Two-way Active Measurement Protocol, RFC 8762.
    Stamp,
    /// BACnet over IP.
    Bacnet,
    /// Modbus over TCP.
    Modbus,
    /// Measurements of `sojourn agent`.
    Probe,
}

/// What a message is, with what names its request among those of the two hosts and ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A request.
    Request(u64),
    /// The answer to a request.
    Answer(u64),
    /// The refusal of a request.
    Refusal(u64),
    /// Part of neither, as an announcement.
    Other,
}

/// Octets of a datagram by which the echo service's requests are distinguished.
const ECHO_OCTETS: usize = 64;

impl Application {
    /// The application of a server's UDP port.
    pub fn of_udp_port(port: u16) -> Option<Application> {
        match port {
            7 => Some(Application::Echo),
            53 => Some(Application::Dns),
            123 => Some(Application::Ntp),
            stamp::PORT => Some(Application::Stamp),
            47_808 => Some(Application::Bacnet),
            probe::DEFAULT_PORT => Some(Application::Probe),
            _ => None,
        }
    }

    /// The application of a server's TCP port.
    pub fn of_tcp_port(port: u16) -> Option<Application> {
        match port {
            53 => Some(Application::Dns),
            502 => Some(Application::Modbus),
            probe::DEFAULT_PORT => Some(Application::Probe),
            _ => None,
        }
    }

    /// What a message is, or the beginning of one that was cut. `to_server` is its direction as ports and handshake show
    /// it; `None` where both ports are the server's.
    pub fn read(self, to_server: Option<bool>, message: &[u8]) -> Message {
        let read = match self {
            Application::Echo => echo(to_server, message),
            Application::Dns => dns(message),
            Application::Ntp => ntp(message),
            Application::Stamp => stamp_packet(to_server, message),
            Application::Bacnet => bacnet(message),
            Application::Modbus => modbus(to_server, message),
            Application::Probe => probe_packet(message),
        };
        read.unwrap_or(Message::Other)
    }

    /// Octets of the header that [`stream_message`](Self::stream_message) needs.
    pub const STREAM_HEADER: usize = 24;

    /// The first message in the octets of a TCP stream: where it begins and what its length is with what stands before it;
    /// `None` if no message begins here.
    pub fn stream_message(self, octets: &[u8]) -> Option<(usize, usize)> {
        let field = |at: usize| Some(u16::from_be_bytes([*octets.get(at)?, *octets.get(at + 1)?]));
        match self {
            Application::Dns => {
                let length = usize::from(field(0)?);
                (length >= 12).then_some((2, 2 + length))
            }
            Application::Modbus => {
                // protocol 0, and a length from unit and function to the longest PDU
                let (protocol, length) = (field(2)?, usize::from(field(4)?));
                (protocol == 0 && (2..=254).contains(&length)).then_some((0, 6 + length))
            }
            Application::Probe => {
                let length = usize::from(probe::wire::frame_length(octets)?);
                (octets.starts_with(b"SJN") && length >= probe::wire::MIN_PACKET.into()).then_some((0, length))
            }
            Application::Echo | Application::Ntp | Application::Stamp | Application::Bacnet => None,
        }
    }
}

fn echo(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    let name = FixedState::default().hash_one(&message[..message.len().min(ECHO_OCTETS)]);
    Some(if to_server? { Message::Request(name) } else { Message::Answer(name) })
}

fn dns(message: &[u8]) -> Option<Message> {
    const REFUSED: u8 = 5;
    let &[id1, id0, flags, code] = message.first_chunk()?;
    let id = u16::from_be_bytes([id1, id0]).into();
    let is_response = flags & 0x80 != 0;
    Some(match (is_response, code & 0x0f) {
        (false, _) => Message::Request(id),
        (true, REFUSED) => Message::Refusal(id),
        (true, _) => Message::Answer(id),
    })
}

fn ntp(message: &[u8]) -> Option<Message> {
    const CLIENT: u8 = 3;
    const SERVER: u8 = 4;
    let stamp = |at: usize| Some(u64::from_be_bytes(*message.get(at..)?.first_chunk()?));
    match message.first()? & 7 {
        // the server returns the client's transmit timestamp as its origin timestamp
        CLIENT => Some(Message::Request(stamp(40)?)),
        SERVER => Some(Message::Answer(stamp(24)?)),
        _ => None,
    }
}

fn stamp_packet(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    let number = |at: usize| Some(u32::from_be_bytes(*message.get(at..)?.first_chunk()?).into());
    // in authenticated mode octets that must be zero follow the sequence number, else a timestamp
    let is_authenticated = message.len() >= stamp::AUTHENTICATED_LENGTH && message[4..16] == [0; 12];
    let (probe_number, probe_timestamp) = if is_authenticated { (48, 64) } else { (24, 28) };
    let is_probe = match to_server {
        Some(to_server) => to_server,
        None => message.get(probe_timestamp..)?.first_chunk()? == &[0; 8],
    };
    Some(if is_probe { Message::Request(number(0)?) } else { Message::Answer(number(probe_number)?) })
}

fn probe_packet(message: &[u8]) -> Option<Message> {
    use probe::wire::Kind;
    match probe::wire::number_field(message)? {
        (Kind::Probe, number) => Some(Message::Request(number)),
        (Kind::Reply, number) => Some(Message::Answer(number)),
        _ => None,
    }
}

/// The unit and the transaction identifier name a request; the highest bit of the function marks an exception.
fn modbus(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    let &[id1, id0, _, _, _, _, unit, function] = message.first_chunk()?;
    let name = u32::from_be_bytes([0, unit, id1, id0]).into();
    Some(match (to_server?, function & 0x80) {
        (true, _) => Message::Request(name),
        (false, 0) => Message::Answer(name),
        (false, _) => Message::Refusal(name),
    })
}

/// Confirmed requests and what answers them, whichever host asks: both ports are 47808. The name is the invoke ID with the
/// address of a device behind a router.
fn bacnet(message: &[u8]) -> Option<Message> {
    let (network, apdu) = bacnet_network(message)?;
    let kind = *apdu.first()?;
    let at = |index: usize| apdu.get(index).map(|invoke| u64::from(*invoke));
    let (is_segmented, more_follows) = (kind & 8 != 0, kind & 4 != 0);
    match kind >> 4 {
        // of a segmented request the first segment asks
        0 if is_segmented && at(3)? > 0 => None,
        0 => Some(Message::Request(at(2)? | bacnet_address(network.destination) << 8)),
        2 => Some(Message::Answer(at(1)? | bacnet_address(network.source) << 8)),
        // of a segmented answer the last segment answers
        3 if is_segmented && more_follows => None,
        3 => Some(Message::Answer(at(1)? | bacnet_address(network.source) << 8)),
        5..=7 => Some(Message::Refusal(at(1)? | bacnet_address(network.source) << 8)),
        _ => None,
    }
}

/// Addresses of a network layer's packet: network and device, empty without them.
struct BacnetNetwork<'a> {
    destination: &'a [u8],
    source: &'a [u8],
}

/// The network layer's addresses and the PDU of the application layer, if there is one.
fn bacnet_network(message: &[u8]) -> Option<(BacnetNetwork<'_>, &[u8])> {
    const FORWARDED: u8 = 4;
    const UNICAST: u8 = 10;
    const BROADCAST: u8 = 11;
    let (&[0x81, function, _, _], mut rest) = message.split_first_chunk()? else { return None };
    match function {
        UNICAST | BROADCAST => {}
        FORWARDED => rest = rest.get(6..)?,
        _ => return None,
    }
    let (&[1, control], mut rest) = rest.split_first_chunk()? else { return None };
    let mut address = |is_present: bool| {
        if !is_present {
            return Some(&[][..]);
        }
        let length = 3 + usize::from(*rest.get(2)?);
        let (address, behind) = rest.split_at_checked(length)?;
        rest = behind;
        Some(address)
    };
    let is_routed = control & 0x20 != 0;
    let (destination, source) = (address(is_routed)?, address(control & 8 != 0)?);
    let rest = if is_routed { rest.get(1..)? } else { rest };
    let is_network_message = control & 0x80 != 0;
    (!is_network_message).then_some((BacnetNetwork { destination, source }, rest))
}

/// A device behind a router as a number, 0 of none.
fn bacnet_address(octets: &[u8]) -> u64 {
    if octets.is_empty() { 0 } else { FixedState::default().hash_one(octets) >> 8 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sojourn_protocols::authentication::Key;

    use super::*;

    #[test]
    fn a_dns_response_names_its_query_by_the_transaction_id() {
        assert_eq!(Application::Dns.read(Some(true), &[0x12, 0x34, 1, 0, 0, 1]), Message::Request(0x1234));
        assert_eq!(Application::Dns.read(Some(false), &[0x12, 0x34, 0x81, 0x83]), Message::Answer(0x1234));
        assert_eq!(Application::Dns.read(Some(false), &[0x12, 0x34, 0x81, 5]), Message::Refusal(0x1234));
        assert_eq!(Application::Dns.stream_message(&[0, 30, 0x12, 0x34]), Some((2, 32)));
        assert_eq!(Application::Dns.stream_message(&[0, 3]), None);
    }

    #[test]
    fn an_ntp_server_returns_the_clients_transmit_timestamp() {
        let (mut client, mut server) = ([0; 48], [0; 48]);
        (client[0], server[0]) = (0x23, 0x24);
        client[40..].copy_from_slice(&7_u64.to_be_bytes());
        server[24..32].copy_from_slice(&7_u64.to_be_bytes());
        assert_eq!(Application::Ntp.read(None, &client), Message::Request(7));
        assert_eq!(Application::Ntp.read(None, &server), Message::Answer(7));
        assert_eq!(Application::Ntp.read(None, &[0x25; 48]), Message::Other);
    }

    #[test]
    fn stamp_replies_name_their_probe_in_both_modes_even_between_equal_ports() {
        for key in [None, Some(Key::new(b"key"))] {
            let (mut probe, mut reply) = (Vec::new(), Vec::new());
            stamp::Probe { sequence: 9, ..stamp::probes()[1].1 }.emit(key.as_ref(), &mut probe);
            stamp::Reply { sequence: 3, probe_sequence: 9, ..stamp::replies()[1].1 }.emit(key.as_ref(), &mut reply);
            for [to, back] in [[Some(true), Some(false)], [None, None]] {
                assert_eq!(Application::Stamp.read(to, &probe), Message::Request(9));
                assert_eq!(Application::Stamp.read(back, &reply), Message::Answer(9));
            }
        }
    }

    #[test]
    fn an_agents_reply_names_its_probe_by_the_sequence_number() {
        use probe::wire::{NO_TOKEN, Packet, Pdu};
        let mut bytes = Vec::new();
        let probe = Packet { token: NO_TOKEN, sequence: 5, pdu: Pdu::Probe { sent_ns: 0, phase: 0 } };
        probe.emit(&Key::new(b""), 64, &mut bytes);
        assert_eq!(Application::Probe.read(None, &bytes), Message::Request(5));
        assert_eq!(Application::Probe.stream_message(&bytes), Some((0, 64)));
        Packet { pdu: Pdu::Stop, ..probe }.emit(&Key::new(b""), 64, &mut bytes);
        assert_eq!(Application::Probe.read(None, &bytes), Message::Other);
    }

    #[test]
    fn a_modbus_exception_is_a_refusal() {
        let message = |function: u8| [0, 7, 0, 0, 0, 6, 1, function, 0, 0, 0, 1];
        assert_eq!(Application::Modbus.read(Some(true), &message(3)), Message::Request(0x1_0007));
        assert_eq!(Application::Modbus.read(Some(false), &message(3)), Message::Answer(0x1_0007));
        assert_eq!(Application::Modbus.read(Some(false), &message(0x83)), Message::Refusal(0x1_0007));
        assert_eq!(Application::Modbus.stream_message(&message(3)), Some((0, 12)));
        assert_eq!(Application::Modbus.stream_message(&[0, 7, 0, 1, 0, 6]), None);
    }

    #[test]
    fn a_bacnet_answer_names_its_request_by_invoke_id_and_device() {
        let unicast = |behind: &[u8]| Application::Bacnet.read(None, &[&[0x81, 10, 0, 0, 1][..], behind].concat());
        assert_eq!(unicast(&[4, 0x00, 0x05, 42, 12]), Message::Request(42));
        assert_eq!(unicast(&[0, 0x30, 42, 12]), Message::Answer(42));
        assert_eq!(unicast(&[0, 0x20, 42, 15]), Message::Answer(42));
        assert_eq!(unicast(&[0, 0x50, 42, 12]), Message::Refusal(42));
        assert_eq!(unicast(&[0, 0x10, 8]), Message::Other, "Who-Is asks for no answer");
        assert_eq!(unicast(&[0, 0x3c, 42, 0]), Message::Other, "more segments follow");
        let Message::Request(routed) = unicast(&[0x24, 0, 5, 1, 9, 255, 0x00, 0x05, 42, 12]) else {
            panic!("a request")
        };
        assert_eq!(unicast(&[8, 0, 5, 1, 9, 0x30, 42, 12]), Message::Answer(routed));
        assert_ne!(routed, 42);
    }

    proptest! {
        #[test]
        fn any_message_is_read_without_a_panic(
            octets in proptest::collection::vec(any::<u8>(), 0..150), to_server: Option<bool>,
        ) {
            use Application::{Bacnet, Dns, Echo, Modbus, Ntp, Probe, Stamp};
            for application in [Bacnet, Dns, Echo, Modbus, Ntp, Probe, Stamp] {
                application.read(to_server, &octets);
                if let Some((begin, length)) = application.stream_message(&octets) {
                    prop_assert!(begin < length);
                }
            }
        }
    }
}
