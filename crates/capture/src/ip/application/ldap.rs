//! LDAP (RFC 4511, 4.1.1): the message identifier names an operation. Entries of a search are parts of its answer, which ends
//! with the result.

use super::octets::Element;
use super::{Framed, Message};

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 2;
/// Octets of the longest message, with room for photographs.
const LONGEST: usize = 16 << 20;

/// An operation or its result, by the tag of its protocol operation.
pub fn read(message: &[u8]) -> Option<Message> {
    let whole = Element::of(message).filter(|whole| whole.tag == SEQUENCE)?;
    let within = whole.within(message);
    let id = Element::of(within).filter(|id| id.tag == INTEGER)?;
    let name = id.number(within)?;
    Some(match within.get(id.end())? {
        // unbind and abandon have no response
        0x42 | 0x50 => return None,
        // bind, search, modify, add, delete, rename, compare, extended
        0x60 | 0x63 | 0x66 | 0x68 | 0x4a | 0x6c | 0x6e | 0x77 => Message::Request(name),
        // entries, references and intermediate responses
        0x64 | 0x73 | 0x79 => Message::Part(name),
        // notifications have the number 0
        0x78 if name == 0 => return None,
        0x61 | 0x65 | 0x67 | 0x69 | 0x6b | 0x6d | 0x6f | 0x78 => Message::Answer(name),
        _ => return None,
    })
}

/// The message at the beginning of a stream; of one that is encrypted (SASL) none.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let whole = Element::of(octets).filter(|whole| whole.tag == SEQUENCE)?;
    let is_message = octets.get(whole.contents).is_none_or(|tag| *tag == INTEGER) && whole.length > 0;
    if !is_message || whole.length > LONGEST { None } else { Framed::whole(0, whole.end()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u8, operation: u8) -> [u8; 7] {
        [0x30, 5, 2, 1, id, operation, 0]
    }

    #[test]
    fn a_result_has_the_message_identifier_of_its_operation_and_entries_are_parts_of_the_answer() {
        assert_eq!(read(&message(7, 0x63)), Some(Message::Request(7)));
        assert_eq!(read(&message(7, 0x64)), Some(Message::Part(7)));
        assert_eq!(read(&message(7, 0x65)), Some(Message::Answer(7)));
        assert_eq!((read(&message(7, 0x42)), read(&message(0, 0x78))), (None, None));
    }

    #[test]
    fn lengths_may_be_long_as_windows_writes_them() {
        let long = [0x30, 0x84, 0, 0, 0, 6, 2, 2, 1, 7, 0x60, 0];
        assert_eq!((read(&long), frame(&long)), (Some(Message::Request(0x107)), Framed::whole(0, 12)));
        assert_eq!((frame(&[0x30, 0]), frame(&[0x30, 5, 4, 1]), frame(&[0, 0, 1, 4])), (None, None, None));
    }
}
