//! RADIUS (RFC 2865, 3; RFC 2866; RFC 5176): the identifier names a request of one port.

use super::Message;
use super::octets::be16;

/// Octets of a header, which every packet has.
const HEADER: u16 = 20;
/// Octets of the longest packet.
const LONGEST: u16 = 4096;

/// A request or a response, by its code. A reject is an answer: the server decided.
pub fn read(message: &[u8]) -> Option<Message> {
    let &[code, identifier] = message.first_chunk()?;
    if !(HEADER..=LONGEST).contains(&be16(message, 2)?) {
        return None;
    }
    // access, accounting, changes of authorization, and the status of a server (RFC 5997)
    let (kind, is_request) = match code {
        1 => (1, true),
        2 | 3 | 11 => (1, false),
        4 => (4, true),
        5 => (4, false),
        40 => (40, true),
        41 | 42 => (40, false),
        43 => (43, true),
        44 | 45 => (43, false),
        12 => (12, true),
        _ => return None,
    };
    let name = |kind: u64| kind << 8 | u64::from(identifier);
    // what answers the status of a server is that of access or accounting
    let name = name(if kind == 12 { 1 } else { kind });
    Some(if is_request { Message::Request(name) } else { Message::Answer(name) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(code: u8, identifier: u8) -> [u8; 20] {
        let mut packet = [7; 20];
        (packet[0], packet[1], packet[2], packet[3]) = (code, identifier, 0, 20);
        packet
    }

    #[test]
    fn accepts_rejects_and_challenges_answer_the_request_of_their_identifier() {
        assert_eq!(read(&packet(1, 9)), Some(Message::Request(0x109)));
        for code in [2, 3, 11] {
            assert_eq!(read(&packet(code, 9)), Some(Message::Answer(0x109)));
        }
        assert_eq!(
            (read(&packet(4, 9)), read(&packet(5, 9))),
            (Some(Message::Request(0x409)), Some(Message::Answer(0x409)))
        );
        assert_eq!(read(&packet(43, 9)), Some(Message::Request(0x2b09)));
        assert_eq!((read(&packet(12, 9)), read(&packet(6, 9))), (Some(Message::Request(0x109)), None));
    }

    #[test]
    fn what_is_shorter_than_a_header_or_longer_than_a_packet_is_none() {
        let mut packet = packet(1, 9);
        packet[3] = 19;
        assert_eq!(read(&packet), None);
        (packet[2], packet[3]) = (0x10, 1);
        assert_eq!((read(&packet), read(&packet[..3])), (None, None));
    }
}
