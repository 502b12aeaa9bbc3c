//! OPC UA over TCP (OPC 10000-6, 6.7 and 7.1): the request identifier of the secure channel names a request, where messages are not
//! encrypted. A publish request waits until there is something to publish, and is none.

use super::octets::{le16, le32};
use super::{Framed, Message};

/// Octets of the header of a message, and of the numbers of the secure channel behind it.
const HEADER: usize = 8;
const SEQUENCE: usize = 16;
/// Octets of the longest chunk.
const LONGEST: u32 = 64 << 20;
/// Name of what opens a connection, and set in that of what opens a channel.
const HELLO: u64 = u64::MAX;
const OPEN: u64 = 1 << 32;

/// Types of messages in their binary encoding (OPC 10000-6, annex A).
mod node {
    pub const OPEN_REQUEST: u16 = 446;
    pub const OPEN_RESPONSE: u16 = 449;
    pub const PUBLISH_REQUEST: u16 = 826;
    pub const PUBLISH_RESPONSE: u16 = 829;
    /// What any request may be answered with.
    pub const FAULT: u16 = 397;
}

/// The type of a response less that of its request.
const RESPONSE: u16 = 3;
/// Types of requests: activation of a session, its creation and end, browsing, reading, writing, calls, and what manages nodes,
/// monitored items and subscriptions.
const REQUESTS: [u16; 33] = [
    422, 428, 461, 467, 473, 479, 488, 494, 500, 506, 527, 533, 554, 560, 566, 615, 621, 631, 664, 673, 700, 712, 751,
    763, 769, 775, 781, 787, 793, 799, 832, 841, 847,
];

/// A message or its first chunk.
pub fn read(message: &[u8]) -> Option<Message> {
    match message.get(..3)? {
        b"HEL" => Some(Message::Request(HELLO)),
        b"ACK" => Some(Message::Answer(HELLO)),
        b"OPN" => channel(message),
        b"MSG" => {
            let name = le32(message, SEQUENCE + 4)?.into();
            match node(message, SEQUENCE + 8)? {
                node::PUBLISH_REQUEST | node::PUBLISH_RESPONSE => None,
                kind if REQUESTS.contains(&kind) => Some(Message::Request(name)),
                kind if kind == node::FAULT || REQUESTS.contains(&kind.wrapping_sub(RESPONSE)) => {
                    Some(Message::Answer(name))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The request that opens a channel, or its response, behind policy and certificates.
fn channel(message: &[u8]) -> Option<Message> {
    let mut at = HEADER + 4;
    for _ in 0..3 {
        let length = le32(message, at)?;
        at += 4 + if length == u32::MAX { 0 } else { length as usize };
    }
    let name = OPEN | u64::from(le32(message, at.checked_add(4)?)?);
    match node(message, at + 8)? {
        node::OPEN_REQUEST => Some(Message::Request(name)),
        node::OPEN_RESPONSE => Some(Message::Answer(name)),
        _ => None,
    }
}

/// The type of a body: a numeric identifier of namespace 0 in four octets.
fn node(message: &[u8], at: usize) -> Option<u16> {
    if message.get(at..at.checked_add(2)?)? == [1, 0] { le16(message, at + 2) } else { None }
}

/// The chunk at the beginning of a stream.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let (kind, chunk) = octets.get(..4)?.split_at(3);
    let is_chunk =
        matches!(kind, b"HEL" | b"ACK" | b"ERR" | b"OPN" | b"MSG" | b"CLO") && matches!(chunk, b"F" | b"C" | b"A");
    let length = le32(octets, 4)?;
    if !is_chunk || !(HEADER as u32..=LONGEST).contains(&length) { None } else { Framed::whole(0, length as usize) }
}

#[cfg(test)]
mod tests {
    use super::super::Application;
    use super::*;

    fn message(request: u8, node: u16) -> Vec<u8> {
        let [low, high] = node.to_le_bytes();
        [b"MSGF", &[28, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, request, 0, 0, 0, 1, 0, low, high][..]].concat()
    }

    #[test]
    fn a_response_has_the_request_identifier_of_its_request() {
        assert_eq!(read(&message(7, 631)), Some(Message::Request(7)), "read");
        assert_eq!(read(&message(7, 634)), Some(Message::Answer(7)));
        assert_eq!(read(&message(7, 397)), Some(Message::Answer(7)), "a fault");
        assert_eq!((read(&message(8, 826)), read(&message(8, 829))), (None, None), "a publish request waits");
        assert_eq!(
            (frame(&message(7, 631)), Application::OpcUa.direction_in_stream(&message(7, 634))),
            (Framed::whole(0, 28), Some(false))
        );
    }

    #[test]
    fn channels_are_opened_behind_policy_and_certificates() {
        let open = |node: u16| {
            let [low, high] = node.to_le_bytes();
            let none = [0xff; 4];
            let policy = [2, 0, 0, 0, b'n', b'o'];
            let begin = [b"OPNF", &[44, 0, 0, 0, 0, 0, 0, 0][..], &policy, &none, &none].concat();
            read(&[&begin[..], &[1, 0, 0, 0, 5, 0, 0, 0, 1, 0, low, high]].concat())
        };
        assert_eq!((open(446), open(449)), (Some(Message::Request(OPEN | 5)), Some(Message::Answer(OPEN | 5))));
        assert_eq!(read(b"HELF\x20\0\0\0"), Some(Message::Request(HELLO)));
    }

    #[test]
    fn what_is_encrypted_names_nothing() {
        let mut encrypted = message(7, 631);
        encrypted[24] = 0x5a;
        assert_eq!(read(&encrypted), None);
        assert_eq!((frame(b"MSGX\x20\0\0\0"), frame(b"MSGF\x07\0\0\0")), (None, None));
    }
}
