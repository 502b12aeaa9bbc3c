//! DNP3 (IEEE 1815): the application's sequence number, with both link addresses, names a request. A confirmation is none.

use super::octets::le16;
use super::{Framed, Message};

/// Octets of the link header with its CRC, and of a block of data, which has a CRC of two octets behind it.
const HEADER: usize = 10;
const BLOCK: usize = 16;
/// The start of a link frame.
const START: [u8; 2] = [5, 0x64];
/// The shortest length field: control and addresses.
const SHORTEST: u8 = 5;

mod function {
    pub const CONFIRM: u8 = 0;
    pub const RESPONSE: u8 = 129;
    pub const AUTHENTICATION_RESPONSE: u8 = 131;
}

/// Functions that ask for no response: direct operate, freeze and authenticate, each without acknowledgement.
const UNANSWERED: [u8; 5] = [6, 8, 10, 12, 33];

/// The first fragment of a request or a response in a link frame.
pub fn read(message: &[u8]) -> Option<Message> {
    let to_outstation = to_server(message)?;
    if message[2] == SHORTEST {
        return None;
    }
    let [destination, source] = [le16(message, 4)?, le16(message, 6)?];
    let &[transport, control, function] = message.get(HEADER..)?.first_chunk()?;
    let (is_first_segment, is_first_fragment) = (transport & 0x40 != 0, control & 0x80 != 0);
    if !is_first_segment || !is_first_fragment {
        return None;
    }
    let (master, outstation) = if to_outstation { (source, destination) } else { (destination, source) };
    let name = u64::from(master) << 32 | u64::from(outstation) << 16 | u64::from(control & 0x0f);
    match function {
        function::CONFIRM => None,
        function::RESPONSE | function::AUTHENTICATION_RESPONSE => Some(Message::Answer(name)),
        // unsolicited responses
        130 => None,
        _ if UNANSWERED.contains(&function) || function > 128 => None,
        _ => Some(Message::Request(name)),
    }
}

/// Whether a link frame comes from the master.
pub fn to_server(octets: &[u8]) -> Option<bool> {
    frame(octets)?;
    Some(octets.get(3)? & 0x80 != 0)
}

/// Where the next link frame in a datagram begins.
pub fn next_message(message: &[u8]) -> Option<usize> {
    let length = frame(message)?.length;
    message.get(length..)?.starts_with(&START).then_some(length)
}

/// The link frame at the beginning of a stream.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let &[start, end_of_start, length] = octets.first_chunk()?;
    if [start, end_of_start] != START || length < SHORTEST {
        return None;
    }
    let data = usize::from(length - SHORTEST);
    Framed::whole(0, HEADER + data + 2 * data.div_ceil(BLOCK))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link frame with addresses 1 of the master and 10 of the outstation, and a fragment in it.
    fn frame_of(from_master: bool, fragment: [u8; 3]) -> Vec<u8> {
        let (control, destination, source) = if from_master { (0xc4, 10, 1) } else { (0x44, 1, 10) };
        let [transport, application, function] = fragment;
        vec![5, 0x64, 8, control, destination, 0, source, 0, 0, 0, transport, application, function, 0, 0]
    }

    const NAME: u64 = 1 << 32 | 10 << 16 | 3;

    #[test]
    fn a_response_has_the_sequence_number_of_its_request() {
        assert_eq!(read(&frame_of(true, [0xc0, 0xc3, 1])), Some(Message::Request(NAME)));
        assert_eq!(read(&frame_of(false, [0xc5, 0xe3, 129])), Some(Message::Answer(NAME)));
        assert_eq!([true, false].map(|side| to_server(&frame_of(side, [0; 3]))), [Some(true), Some(false)]);
    }

    #[test]
    fn confirmations_later_fragments_and_unsolicited_responses_are_no_requests() {
        assert_eq!(read(&frame_of(true, [0xc0, 0xc3, 0])), None, "a confirmation");
        assert_eq!(read(&frame_of(true, [0xc0, 0xc3, 6])), None, "direct operation without acknowledgement");
        assert_eq!(read(&frame_of(false, [0xc0, 0xf3, 130])), None, "unsolicited");
        assert_eq!(read(&frame_of(false, [0x80, 0x23, 129])), None, "a later segment");
        assert_eq!(read(&[5, 0x64, 5, 0xc9, 10, 0, 1, 0, 0, 0]), None, "of the link alone");
    }

    #[test]
    fn a_frame_has_a_check_sequence_behind_every_sixteen_octets() {
        assert_eq!(frame(&frame_of(true, [0; 3])), Framed::whole(0, 15));
        assert_eq!(frame(&[5, 0x64, 5 + 17, 0]), Framed::whole(0, 10 + 17 + 4));
        let two = [frame_of(true, [0; 3]), frame_of(true, [0; 3])].concat();
        assert_eq!((next_message(&two), next_message(&two[15..])), (Some(15), None));
    }
}
