//! IEC 60870-5-104: a command is an I frame whose cause is an activation, a deactivation or a request; its type, address and
//! object name it, and its confirmation returns them (IEC 60870-5-101, 7.2.3). S and U frames, which acknowledge and test,
//! are not requests.

use super::octets::le16;
use super::{Framed, Message};

const START: u8 = 0x68;
/// The longest frame behind its length, and the shortest, control fields alone.
const LENGTHS: std::ops::RangeInclusive<u8> = 4..=253;
/// Where the unit of the application begins.
const UNIT: usize = 6;
/// The command that reads one object, answered by the object.
const READ: u8 = 102;
/// Types below this one are of the controlled station.
const FIRST_COMMAND: u8 = 45;

mod cause {
    pub const REQUEST: u8 = 5;
    pub const ACTIVATION: u8 = 6;
    pub const ACTIVATION_CONFIRMATION: u8 = 7;
    pub const DEACTIVATION: u8 = 8;
    pub const DEACTIVATION_CONFIRMATION: u8 = 9;
}

/// Type, cause, common address and object of a command or of what answers it.
pub fn read(message: &[u8]) -> Option<Message> {
    let is_information = message.get(2)? & 1 == 0;
    if *message.first()? != START || !is_information {
        return None;
    }
    let &[kind, _, cause] = message.get(UNIT..)?.first_chunk()?;
    let address = u64::from(le16(message, UNIT + 4)?);
    let object = message.get(UNIT + 6..UNIT + 9)?.iter().rev().fold(0, |number, octet| number << 8 | u64::from(*octet));
    let name = |kind: u8, is_deactivation: bool| {
        u64::from(is_deactivation) << 48 | u64::from(kind) << 40 | address << 24 | object
    };
    Some(match cause & 0x3f {
        cause::ACTIVATION => Message::Request(name(kind, false)),
        cause::DEACTIVATION => Message::Request(name(kind, true)),
        cause::REQUEST if kind == READ => Message::Request(name(READ, false)),
        cause::REQUEST if kind < FIRST_COMMAND => Message::Answer(name(READ, false)),
        cause::ACTIVATION_CONFIRMATION => Message::Answer(name(kind, false)),
        cause::DEACTIVATION_CONFIRMATION => Message::Answer(name(kind, true)),
        // unknown type, cause, address or object
        44..=47 => Message::Answer(name(kind, false)),
        _ => return None,
    })
}

/// The frame at the beginning of a stream.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let &[start, length] = octets.first_chunk()?;
    if start != START || !LENGTHS.contains(&length) { None } else { Framed::whole(0, 2 + usize::from(length)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn information(kind: u8, cause: u8) -> [u8; 16] {
        [0x68, 14, 2, 0, 0, 0, kind, 1, cause, 0, 1, 0, 4, 5, 0, 20]
    }

    #[test]
    fn a_confirmation_returns_type_address_and_object_of_its_command() {
        let name = 100 << 40 | 1 << 24 | 0x504;
        assert_eq!(read(&information(100, 6)), Some(Message::Request(name)));
        assert_eq!(read(&information(100, 7)), Some(Message::Answer(name)));
        assert_eq!(read(&information(100, 0x47)), Some(Message::Answer(name)), "negative");
        assert_eq!(read(&information(100, 10)), None, "the termination");
        assert_eq!(read(&information(100, 9)), Some(Message::Answer(1 << 48 | name)));
    }

    #[test]
    fn the_object_that_was_read_answers_whatever_its_type() {
        let Some(Message::Request(name)) = read(&information(102, 5)) else { panic!("a request") };
        assert_eq!((read(&information(13, 5)), read(&information(13, 3))), (Some(Message::Answer(name)), None));
    }

    #[test]
    fn supervisory_and_unnumbered_frames_are_no_requests() {
        assert_eq!(read(&[0x68, 4, 1, 0, 6, 0]), None);
        assert_eq!(read(&[0x68, 4, 0x43, 0, 0, 0]), None);
        assert_eq!((frame(&[0x68, 4, 1, 0, 6, 0]), frame(&[0x68, 3])), (Framed::whole(0, 6), None));
    }
}
