//! The protocol of PostgreSQL (its manual, 55.2 and 55.7): queries, and the Sync that ends a batch of the extended protocol, are
//! answered in order, each up to the server's ReadyForQuery.

use super::octets::be32;
use super::{Framed, Message};

/// Codes of the messages that begin a connection: the version, and a request of encryption.
const VERSION_3: u32 = 3 << 16;
const ENCRYPTION: [u32; 2] = [80_877_103, 80_877_104];
/// Octets of the longest message.
const LONGEST: u32 = 1 << 30;

/// A message by its type; the first of a connection has none.
pub fn read(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    let first = *message.first()?;
    if to_server? {
        return match first {
            0 | b'Q' | b'S' | b'F' => Some(Message::Request(0)),
            _ => None,
        };
    }
    match first {
        b'Z' => Some(Message::Answer(0)),
        // whether a connection may be encrypted, in one octet
        b'S' | b'N' if message.len() == 1 => Some(Message::Answer(0)),
        // states of the session, notices and notifications come at any time
        b'S' | b'N' | b'A' => None,
        _ => Some(Message::Part(0)),
    }
}

/// Octets that say how long a message is; the first of a connection has no type, and a code.
pub fn header(octets: &[u8]) -> usize {
    if octets.first() == Some(&0) { 8 } else { 5 }
}

/// The message at the beginning of a stream.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let first = *octets.first()?;
    if octets.len() == 1 && matches!(first, b'S' | b'N') {
        return Framed::whole(0, 1);
    }
    if first == 0 {
        let (length, code) = (be32(octets, 0)?, be32(octets, 4)?);
        let is_known = code == VERSION_3 || ENCRYPTION.contains(&code);
        return if is_known && length >= 8 { Framed::whole(0, length as usize) } else { None };
    }
    let length = be32(octets, 1)?;
    let is_type = first.is_ascii_alphanumeric();
    if !is_type || !(4..=LONGEST).contains(&length) { None } else { Framed::whole(0, 1 + length as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, length: u8) -> [u8; 6] {
        [kind, 0, 0, 0, length, 0]
    }

    #[test]
    fn a_query_and_the_end_of_a_batch_are_requests_and_answered_up_to_ready_for_query() {
        let client = |kind| read(Some(true), &message(kind, 9));
        assert_eq!((client(b'Q'), client(b'S')), (Some(Message::Request(0)), Some(Message::Request(0))));
        assert_eq!((client(b'P'), client(b'X')), (None, None), "parsing and the end");
        let server = |kind| read(Some(false), &message(kind, 9));
        assert_eq!(
            (server(b'T'), server(b'D'), server(b'E')),
            (Some(Message::Part(0)), Some(Message::Part(0)), Some(Message::Part(0)))
        );
        assert_eq!((server(b'Z'), server(b'A')), (Some(Message::Answer(0)), None));
    }

    #[test]
    fn a_connection_begins_without_a_type_and_an_octet_answers_whether_it_may_be_encrypted() {
        let start = [0, 0, 0, 20, 0, 3, 0, 0, b'u'];
        assert_eq!((read(Some(true), &start), frame(&start)), (Some(Message::Request(0)), Framed::whole(0, 20)));
        assert_eq!((read(Some(false), b"S"), frame(b"S")), (Some(Message::Answer(0)), Framed::whole(0, 1)));
        assert_eq!(
            (frame(&message(b'Q', 9)), frame(&message(b'Q', 3)), frame(&message(0x16, 9))),
            (Framed::whole(0, 10), None, None)
        );
    }
}
