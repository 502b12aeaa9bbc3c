//! MQTT (OASIS MQTT 3.1.1 and 5.0, chapter 2): the packet identifier names a message with its quality of service, a
//! subscription and a release; pings and connects have none and are one at a time. Either side may publish.

use super::octets::be16;
use super::{Framed, Message};

/// Octets of the longest remaining length.
const LENGTH_OCTETS: usize = 4;

/// A control packet by its type.
pub fn read(message: &[u8]) -> Option<Message> {
    let first = *message.first()?;
    let behind = message.get(1 + length(message)?.1..)?;
    let named = |kind: u64| Some(kind << 16 | u64::from(be16(behind, 0)?));
    Some(match first >> 4 {
        1 => Message::Request(1 << 16),
        2 => Message::Answer(1 << 16),
        // without acknowledgement
        3 if first >> 1 & 3 == 0 => return None,
        3 => Message::Request(3 << 16 | u64::from(be16(behind, 2 + usize::from(be16(behind, 0)?))?)),
        // received once, and received with more to come
        4 | 5 => Message::Answer(named(3)?),
        6 => Message::Request(named(6)?),
        7 => Message::Answer(named(6)?),
        8 => Message::Request(named(8)?),
        9 => Message::Answer(named(8)?),
        10 => Message::Request(named(10)?),
        11 => Message::Answer(named(10)?),
        12 => Message::Request(12 << 16),
        13 => Message::Answer(12 << 16),
        _ => return None,
    })
}

/// The remaining length of a packet, and how many octets state it.
fn length(octets: &[u8]) -> Option<(usize, usize)> {
    let mut length = 0;
    for place in 0..LENGTH_OCTETS {
        let octet = *octets.get(1 + place)?;
        length |= usize::from(octet & 0x7f) << (7 * place);
        if octet & 0x80 == 0 {
            return Some((length, place + 1));
        }
    }
    None
}

/// Whether the remaining length goes on behind these octets.
pub fn is_cut(octets: &[u8]) -> bool {
    octets.len() <= LENGTH_OCTETS && length(octets).is_none()
}

/// The packet at the beginning of a stream, by the flags that its type has.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let first = *octets.first()?;
    let is_type = match first >> 4 {
        0 => false,
        3 => first >> 1 & 3 < 3,
        6 | 8 | 10 => first & 0x0f == 2,
        _ => first & 0x0f == 0,
    };
    let (length, stated) = length(octets)?;
    if is_type { Framed::whole(0, 1 + stated + length) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLISH: [u8; 9] = [0x32, 7, 0, 1, b't', 0x12, 0x34, b'o', b'n'];

    #[test]
    fn an_acknowledgement_has_the_packet_identifier_of_what_was_published() {
        assert_eq!(read(&PUBLISH), Some(Message::Request(0x3_1234)));
        assert_eq!(read(&[0x40, 2, 0x12, 0x34]), Some(Message::Answer(0x3_1234)));
        assert_eq!(read(&[0x50, 2, 0x12, 0x34]), Some(Message::Answer(0x3_1234)));
        assert_eq!(read(&[0x62, 2, 0x12, 0x34]), Some(Message::Request(0x6_1234)));
        assert_eq!(read(&[0x70, 2, 0x12, 0x34]), Some(Message::Answer(0x6_1234)));
        assert_eq!(read(&[0x30, 5, 0, 1, b't', b'o', b'n']), None, "at most once");
    }

    #[test]
    fn connects_and_pings_are_answered_one_at_a_time() {
        assert_eq!(
            (read(&[0x10, 0]), read(&[0x20, 2, 0, 0])),
            (Some(Message::Request(1 << 16)), Some(Message::Answer(1 << 16)))
        );
        assert_eq!(
            (read(&[0xc0, 0]), read(&[0xd0, 0])),
            (Some(Message::Request(12 << 16)), Some(Message::Answer(12 << 16)))
        );
    }

    #[test]
    fn the_remaining_length_has_seven_bits_an_octet() {
        assert_eq!(frame(&PUBLISH), Framed::whole(0, 9));
        assert_eq!(frame(&[0x82, 0xc1, 2]), Framed::whole(0, 3 + 321));
        assert_eq!((frame(&[0x80, 2]), frame(&[0x36, 2]), frame(&[0x30, 0x80])), (None, None, None));
    }
}
