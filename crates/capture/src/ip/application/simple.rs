//! Applications whose messages have a fixed layout: echo (RFC 862), NTP (RFC 5905, 7.3; RFC 9327), STAMP (RFC 8762, 4) and
//! measurements of `sojourn agent`.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use sojourn_protocols::{probe, stamp};

use super::{Framed, Message};

/// Octets of a datagram by which the echo service's requests are distinguished.
const ECHO_OCTETS: usize = 64;

/// A message of the echo service.
pub fn echo(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    let name = FixedState::default().hash_one(&message[..message.len().min(ECHO_OCTETS)]);
    Some(if to_server? { Message::Request(name) } else { Message::Answer(name) })
}

/// A message of NTP: between client and server, of control (RFC 9327, 2) or private to an implementation, as its
/// `ntp_request.h` has it.
pub fn ntp(message: &[u8]) -> Option<Message> {
    const CLIENT: u8 = 3;
    const SERVER: u8 = 4;
    const CONTROL: u8 = 6;
    const PRIVATE: u8 = 7;
    let stamp = |at: usize| Some(u64::from_be_bytes(*message.get(at..)?.first_chunk()?));
    match message.first()? & 7 {
        // the server returns the client's transmit timestamp as its origin timestamp
        CLIENT => Some(Message::Request(stamp(40)?)),
        SERVER => Some(Message::Answer(stamp(24)?)),
        // operation, sequence number and association
        CONTROL => {
            let &[_, operation, sequence1, sequence0, _, _, association1, association0] = message.first_chunk()?;
            let name = [CONTROL, operation & 0x1f, sequence1, sequence0, association1, association0];
            Some(ntp_query(operation & 0x80 != 0, operation & 0x20 != 0, name))
        }
        // the sequence number counts packets of an answer: implementation and code of the request name it
        PRIVATE => {
            let &[first, _, implementation, code] = message.first_chunk()?;
            let name = [PRIVATE, implementation, code, 0, 0, 0];
            Some(ntp_query(first & 0x80 != 0, first & 0x40 != 0, name))
        }
        _ => None,
    }
}

/// A message of control or a private one, by its name.
fn ntp_query(is_answer: bool, has_more: bool, name: [u8; 6]) -> Message {
    let name = name.iter().fold(0, |number, octet| number << 8 | u64::from(*octet));
    match (is_answer, has_more) {
        (false, _) => Message::Request(name),
        (true, true) => Message::Part(name),
        (true, false) => Message::Answer(name),
    }
}

/// A packet of STAMP.
pub fn stamp(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
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

/// A packet of a measurement.
pub fn probe(message: &[u8]) -> Option<Message> {
    use probe::wire::Kind;
    match probe::wire::number_field(message)? {
        (Kind::Probe, number) => Some(Message::Request(number)),
        (Kind::Reply, number) => Some(Message::Answer(number)),
        _ => None,
    }
}

/// The packet of a measurement at the beginning of a stream.
pub fn probe_frame(octets: &[u8]) -> Option<Framed> {
    let length = usize::from(probe::wire::frame_length(octets)?);
    if !octets.starts_with(b"SJN") || length < probe::wire::MIN_PACKET.into() {
        return None;
    }
    Framed::whole(0, length)
}

#[cfg(test)]
mod tests {
    use sojourn_protocols::authentication::Key;

    use super::super::Application;
    use super::*;

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
    fn messages_of_control_are_named_by_operation_sequence_and_association() {
        let message = |operation: u8, sequence: u8| [0x16, operation, 1, sequence, 0, 0, 0, 9, 0, 0, 0, 0];
        let name = 0x06_02_01_04_00_09;
        assert_eq!(Application::Ntp.read(None, &message(2, 4)), Message::Request(name));
        assert_eq!(Application::Ntp.read(None, &message(0xa2, 4)), Message::Part(name), "more follows");
        assert_eq!(Application::Ntp.read(None, &message(0x82, 4)), Message::Answer(name));
        assert_eq!(Application::Ntp.read(None, &message(0xc2, 4)), Message::Answer(name), "an error");
        assert_ne!(Application::Ntp.read(None, &message(0x82, 5)), Message::Answer(name));
    }

    #[test]
    fn private_messages_are_named_by_implementation_and_code() {
        // a list of monitored hosts (42) of implementation 3
        let read = |first: u8, sequence: u8| Application::Ntp.read(None, &[first, sequence, 3, 42, 0, 0, 0, 0]);
        let name = 0x07_03_2a_00_00_00;
        assert_eq!(read(0x17, 0), Message::Request(name));
        assert_eq!((read(0xd7, 0), read(0x97, 1)), (Message::Part(name), Message::Answer(name)));
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
        assert_eq!(Application::Probe.stream_message(&bytes), Framed::whole(0, 64));
        Packet { pdu: Pdu::Stop, ..probe }.emit(&Key::new(b""), 64, &mut bytes);
        assert_eq!(Application::Probe.read(None, &bytes), Message::Other);
    }
}
