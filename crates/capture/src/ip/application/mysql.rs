//! The protocol of MySQL (MySQL Internals, "Client/Server Protocol"): a command begins with sequence number 0, its answer with 1, and
//! they are in order.

use super::{Framed, Message};

/// Octets of a packet's header.
const HEADER: usize = 4;
/// Commands without an answer: the end, data of a long parameter, and closing a statement.
const UNANSWERED: [u8; 3] = [0x01, 0x18, 0x19];
/// No command has a number above.
const LAST_COMMAND: u8 = 0x1f;

/// A packet with its header.
pub fn read(to_server: Option<bool>, message: &[u8]) -> Option<Message> {
    let &[_, _, _, sequence, command] = message.first_chunk()?;
    match (to_server?, sequence) {
        (true, 0) if command <= LAST_COMMAND && !UNANSWERED.contains(&command) => Some(Message::Request(0)),
        (false, 1) => Some(Message::Answer(0)),
        _ => None,
    }
}

/// The packet at the beginning of a stream.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let &[low, middle, high, _] = octets.first_chunk()?;
    let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
    if length == 0 { None } else { Framed::whole(0, HEADER + length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_sequence_number_0_and_its_answer_1() {
        assert_eq!(read(Some(true), &[5, 0, 0, 0, 3, b'S']), Some(Message::Request(0)));
        assert_eq!(read(Some(false), &[1, 0, 0, 1, 2]), Some(Message::Answer(0)));
        assert_eq!(read(Some(false), &[1, 0, 0, 2, 2]), None, "a later packet");
        assert_eq!((read(Some(true), &[1, 0, 0, 0, 1]), read(Some(true), &[9, 0, 0, 1, 0x85])), (None, None));
        assert_eq!((frame(&[5, 1, 0, 0, 3]), frame(&[0, 0, 0, 0])), (Framed::whole(0, 265), None));
    }
}
