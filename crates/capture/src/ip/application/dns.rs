//! The domain name system (RFC 1035, 4.1.1), over TCP behind a length (4.2.2).

use super::octets::be16;
use super::{Framed, Message};

/// Octets of a header.
const HEADER: usize = 12;

/// A query or response.
pub fn read(message: &[u8]) -> Option<Message> {
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

/// The message at the beginning of a stream.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let length = usize::from(be16(octets, 0)?);
    if length < HEADER { None } else { Framed::whole(2, 2 + length) }
}

#[cfg(test)]
mod tests {
    use super::super::Application;
    use super::*;

    #[test]
    fn a_dns_response_names_its_query_by_the_transaction_id() {
        assert_eq!(Application::Dns.read(Some(true), &[0x12, 0x34, 1, 0, 0, 1]), Message::Request(0x1234));
        assert_eq!(Application::Dns.read(Some(false), &[0x12, 0x34, 0x81, 0x83]), Message::Answer(0x1234));
        assert_eq!(Application::Dns.read(Some(false), &[0x12, 0x34, 0x81, 5]), Message::Refusal(0x1234));
        assert_eq!(Application::Dns.stream_message(&[0, 30, 0x12, 0x34]), Framed::whole(2, 32));
        assert_eq!(Application::Dns.stream_message(&[0, 3]), None);
    }
}
