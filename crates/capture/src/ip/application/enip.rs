//! EtherNet/IP encapsulation and CIP over it (ODVA, The CIP Networks Library, Volume 2, chapter 2, and Volume 1, chapter 3).
//!
//! Session and sender context name a command; over a connection, which has no context, the sequence count and the service
//! of CIP do.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::octets::{le16, le32};
use super::{Framed, Message};

/// Octets of the encapsulation header.
const HEADER: usize = 24;
/// Octets of interface handle and timeout in front of the items.
const ITEMS: usize = HEADER + 6;
/// Items of a packet that are looked at.
const MOST_ITEMS: u16 = 4;

mod command {
    pub const NOP: u16 = 0;
    pub const LIST_SERVICES: u16 = 4;
    pub const LIST_IDENTITY: u16 = 0x63;
    pub const LIST_INTERFACES: u16 = 0x64;
    pub const REGISTER_SESSION: u16 = 0x65;
    pub const UNREGISTER_SESSION: u16 = 0x66;
    pub const SEND_REQUEST: u16 = 0x6f;
    pub const SEND_UNIT: u16 = 0x70;
}

mod item {
    pub const CONNECTED: u16 = 0xb1;
    pub const UNCONNECTED: u16 = 0xb2;
}

/// A command or its reply. The service of CIP says which; other commands have the direction of the connection.
pub fn read(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    let named = |is_request: Option<bool>, name: u64| {
        Some(if is_request? { Message::Request(name) } else { Message::Answer(name) })
    };
    match le16(message, 0)? {
        command::SEND_REQUEST => {
            let by_service = item(message, item::UNCONNECTED).and_then(|data| Some(data.first()? & 0x80 == 0));
            named(by_service.or(to_server), context(message)?)
        }
        command::SEND_UNIT => {
            let data = item(message, item::CONNECTED)?;
            let (sequence, service) = (le16(data, 0)?, *data.get(2)?);
            let name = 1 << 63 | u64::from(service & 0x7f) << 16 | u64::from(sequence);
            named(Some(service & 0x80 == 0), name)
        }
        command::LIST_SERVICES | command::LIST_IDENTITY | command::LIST_INTERFACES | command::REGISTER_SESSION => {
            named(to_server, context(message)?)
        }
        // these two have no reply
        command::NOP | command::UNREGISTER_SESSION => None,
        _ => None,
    }
}

/// Whether a request that is cut may turn out to be a reply: the service of CIP is not there yet.
pub fn may_change(message: &[u8]) -> bool {
    let has_service = || item(message, item::UNCONNECTED).is_some_and(|data| !data.is_empty());
    le16(message, 0) == Some(command::SEND_REQUEST) && !has_service()
}

/// What names a command: its kind, the session except where that is being opened, and what the sender chose.
fn context(message: &[u8]) -> Option<u64> {
    let (command, session, context) = (le16(message, 0)?, le32(message, 4)?, message.get(12..20)?);
    let session = if command == command::REGISTER_SESSION { 0 } else { session };
    Some(FixedState::default().hash_one((command, session, context)) >> 1)
}

/// The data of the first item of a kind.
fn item(message: &[u8], kind: u16) -> Option<&[u8]> {
    let count = le16(message, ITEMS)?;
    let mut at = ITEMS + 2;
    for _ in 0..count.min(MOST_ITEMS) {
        let (found, length) = (le16(message, at)?, usize::from(le16(message, at + 2)?));
        let data = &message[at + 4..message.len().min(at + 4 + length)];
        if found == kind {
            return Some(data);
        }
        at += 4 + length;
    }
    None
}

/// The packet at the beginning of a stream.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let (command, length) = (le16(octets, 0)?, usize::from(le16(octets, 2)?));
    let is_command = matches!(command, command::NOP | command::LIST_SERVICES)
        || (command::LIST_IDENTITY..=command::SEND_UNIT).contains(&command);
    // options are none
    let has_options = le32(octets, 20).is_some_and(|options| options != 0);
    if !is_command || has_options { None } else { Framed::whole(0, HEADER + length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(command: u8, session: u8, context: u8, items: &[u8]) -> Vec<u8> {
        let mut packet = vec![0; HEADER];
        (packet[0], packet[2], packet[4], packet[12]) = (command, items.len() as u8, session, context);
        [packet, items.to_vec()].concat()
    }

    /// Items of an unconnected service, and of a connected one with its sequence count.
    fn unconnected(service: u8) -> Vec<u8> {
        vec![0, 0, 0, 0, 5, 0, 2, 0, 0, 0, 0, 0, 0xb2, 0, 2, 0, service, 2]
    }

    fn connected(sequence: u8, service: u8) -> Vec<u8> {
        vec![0, 0, 0, 0, 0, 0, 2, 0, 0xa1, 0, 4, 0, 9, 9, 9, 9, 0xb1, 0, 4, 0, sequence, 1, service, 2]
    }

    #[test]
    fn a_reply_returns_session_and_sender_context() {
        let Some(Message::Request(name)) = read(None, &packet(0x6f, 7, 1, &unconnected(0x4c))) else { panic!() };
        assert_eq!(read(None, &packet(0x6f, 7, 1, &unconnected(0xcc))), Some(Message::Answer(name)));
        assert_ne!(read(None, &packet(0x6f, 7, 2, &unconnected(0xcc))), Some(Message::Answer(name)));
        assert_eq!(read(Some(false), &packet(0x6f, 7, 1, &[])), Some(Message::Answer(name)), "an error");
        assert_eq!(read(None, &packet(0x66, 7, 1, &[])), None, "unregistering a session has no reply");
    }

    #[test]
    fn a_session_is_registered_under_no_number_yet() {
        let Some(Message::Request(name)) = read(Some(true), &packet(0x65, 0, 1, &[])) else { panic!() };
        assert_eq!(read(Some(false), &packet(0x65, 7, 1, &[])), Some(Message::Answer(name)));
    }

    #[test]
    fn over_a_connection_the_sequence_count_names_a_request() {
        let name = 1 << 63 | 0x4c << 16 | 0x103;
        assert_eq!(read(None, &packet(0x70, 7, 0, &connected(3, 0x4c))), Some(Message::Request(name)));
        assert_eq!(read(None, &packet(0x70, 7, 0, &connected(3, 0xcc))), Some(Message::Answer(name)));
    }

    #[test]
    fn a_packet_in_a_stream_has_its_length_behind_the_command() {
        let packet = packet(0x6f, 7, 1, &unconnected(0x4c));
        assert_eq!(frame(&packet), Framed::whole(0, 42));
        assert_eq!(frame(&[0x47, 0x45, 0x54, 0x20]), None);
    }
}
