//! SNMP (RFC 1157, 4.1; RFC 3416, 3; RFC 3412, 6): the request identifier names a request, of version 3 the message
//! identifier, which is in front of what may be encrypted.

use super::Message;
use super::octets::Element;

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 2;
const STRING: u8 = 4;
const VERSION_3: u64 = 3;

/// A request or a response; traps have none.
pub fn read(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    let whole = Element::of(message).filter(|whole| whole.tag == SEQUENCE)?;
    let within = whole.within(message);
    let version = Element::of(within).filter(|version| version.tag == INTEGER)?;
    let behind = within.get(version.end()..)?;
    let next = Element::of(behind)?;
    if version.number(within)? == VERSION_3 {
        // the message's identifier is the first of its global data
        let global = next.within(behind);
        let id = Element::of(global).filter(|id| next.tag == SEQUENCE && id.tag == INTEGER)?;
        let name = id.number(global)?;
        return Some(if to_server? { Message::Request(name) } else { Message::Answer(name) });
    }
    let pdu = behind.get(next.end()..).filter(|_| next.tag == STRING)?;
    let header = Element::of(pdu)?;
    let fields = header.within(pdu);
    let id = Element::of(fields).filter(|id| id.tag == INTEGER)?;
    let name = id.number(fields)?;
    match header.tag {
        // get, get next, set, get bulk, inform
        0xa0 | 0xa1 | 0xa3 | 0xa5 | 0xa6 => Some(Message::Request(name)),
        0xa2 => Some(Message::Answer(name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8) -> [u8; 19] {
        [0x30, 17, 2, 1, 1, 4, 3, b'p', b'u', b'b', kind, 7, 2, 2, 1, 7, 2, 1, 0]
    }

    #[test]
    fn a_response_has_the_request_identifier() {
        assert_eq!(read(None, &message(0xa1)), Some(Message::Request(0x107)));
        assert_eq!(read(None, &message(0xa2)), Some(Message::Answer(0x107)));
        assert_eq!(read(None, &message(0xa7)), None, "a trap");
    }

    #[test]
    fn of_version_3_the_message_identifier_is_in_clear() {
        let message = [0x30, 11, 2, 1, 3, 0x30, 4, 2, 2, 1, 7, 4, 0];
        assert_eq!(read(Some(true), &message), Some(Message::Request(0x107)));
        assert_eq!((read(Some(false), &message), read(None, &message)), (Some(Message::Answer(0x107)), None));
    }
}
