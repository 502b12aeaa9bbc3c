//! SMB 2 and 3 ([MS-SMB2] 2.2.1), and SMB 1 ([MS-CIFS] 2.2.3.1) from which sessions begin, behind a NetBIOS length. The message
//! identifier names a request; a compound holds several.

use super::octets::{be32, le16, le32, le64};
use super::{Framed, Message};

const SMB1: &[u8] = b"\xffSMB";
const SMB2: &[u8] = b"\xfeSMB";

/// Octets of a header of SMB 2.
const HEADER: usize = 64;
/// Octets of the longest message: 8 MiB of data and its header, with room.
const LONGEST: usize = 9 << 20;
/// An answer that only says that the request will take its time.
const STATUS_PENDING: u32 = 0x103;
/// The identifier of a message that the server sends unasked, as when another client wants a file.
const UNSOLICITED: u64 = u64::MAX;
/// Set in the names of SMB 1.
const OLD: u64 = 1 << 63;

mod command {
    /// The first request of SMB 1, which SMB 2 may answer.
    pub const NEGOTIATE_OLD: u8 = 0x72;
    /// Cancels a request: the only answer is that to the request.
    pub const CANCEL: u16 = 0x0c;
    /// Waits until a folder is changed.
    pub const CHANGE_NOTIFY: u16 = 0x0f;
}

/// A message, or the first of a compound, behind its NetBIOS length or not.
pub fn read(message: &[u8]) -> Option<Message> {
    if message.starts_with(SMB1) { old(message) } else { new(message) }
}

fn new(message: &[u8]) -> Option<Message> {
    if !message.starts_with(SMB2) {
        return None;
    }
    let (status, command, flags) = (le32(message, 8)?, le16(message, 12)?, le32(message, 16)?);
    let id = le64(message, 24)?;
    // notifications are subscriptions: their time is that of other users
    if matches!(command, command::CANCEL | command::CHANGE_NOTIFY) || id == UNSOLICITED {
        return None;
    }
    let is_answer = flags & 1 != 0;
    Some(match (is_answer, status) {
        (false, _) => Message::Request(id),
        (true, STATUS_PENDING) => Message::Pending(id),
        (true, _) => Message::Answer(id),
    })
}

fn old(message: &[u8]) -> Option<Message> {
    let (command, flags) = (*message.get(4)?, *message.get(9)?);
    let (process, multiplex) = (u64::from(le16(message, 26)?), u64::from(le16(message, 30)?));
    // that of negotiation is the first of SMB 2, which may answer it
    let name = if command == command::NEGOTIATE_OLD { 0 } else { OLD | process << 16 | multiplex };
    Some(if flags & 0x80 == 0 { Message::Request(name) } else { Message::Answer(name) })
}

/// Where the next message of a compound begins.
pub fn next_message(message: &[u8]) -> Option<usize> {
    if !message.starts_with(SMB2) {
        return None;
    }
    let next = le32(message, 20)? as usize;
    (next >= HEADER).then_some(next)
}

/// Whether the message at the beginning of a stream goes to the server.
pub fn to_server(octets: &[u8]) -> Option<bool> {
    let message = octets.get(4..)?;
    frame(octets)?;
    match read(message)? {
        Message::Request(_) => Some(true),
        Message::Answer(_) | Message::Pending(_) => Some(false),
        _ => None,
    }
}

/// The message at the beginning of a stream; of one that is encrypted or compressed none, as its identifier is within.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let length = be32(octets, 0)? as usize;
    let begin = octets.get(4..8)?;
    let is_message = [SMB1, SMB2].contains(&begin);
    if !is_message || !(32..=LONGEST).contains(&length) { None } else { Framed::whole(4, 4 + length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of SMB 2 with its command, flags, status and message identifier, and where the next message begins.
    fn header(command: u8, flags: u8, status: u16, id: u8, next: u8) -> Vec<u8> {
        let mut header = [SMB2, &[0; 60]].concat();
        header[4] = 64;
        header[8..10].copy_from_slice(&status.to_le_bytes());
        (header[12], header[16], header[20], header[24]) = (command, flags, next, id);
        header
    }

    #[test]
    fn an_answer_has_the_message_identifier_of_its_request_and_a_pending_one_is_none_yet() {
        assert_eq!(read(&header(9, 0, 0, 5, 0)), Some(Message::Request(5)));
        assert_eq!(read(&header(9, 3, 0x103, 5, 0)), Some(Message::Pending(5)));
        assert_eq!(read(&header(9, 3, 0, 5, 0)), Some(Message::Answer(5)));
        assert_eq!(read(&header(0x0c, 0, 0, 5, 0)), None, "a cancel");
        assert_eq!(read(&header(0x0f, 0, 0, 6, 0)), None, "a notification may come never");
        let mut unasked = header(0x12, 1, 0, 0, 0);
        unasked[24..32].fill(0xff);
        assert_eq!(read(&unasked), None);
    }

    #[test]
    fn a_compound_holds_several_messages() {
        let compound = [header(5, 0, 0, 7, 64), header(6, 0, 0, 8, 0)].concat();
        assert_eq!(next_message(&compound), Some(64));
        assert_eq!(read(&compound[64..]), Some(Message::Request(8)));
        assert_eq!(next_message(&compound[64..]), None);
    }

    #[test]
    fn negotiation_with_smb_1_is_answered_by_smb_2() {
        let mut old = [SMB1, &[0; 28]].concat();
        old[4] = 0x72;
        assert_eq!((read(&old), read(&header(0, 1, 0, 0, 0))), (Some(Message::Request(0)), Some(Message::Answer(0))));
        (old[4], old[9], old[30]) = (0x73, 0x80, 3);
        assert_eq!(read(&old), Some(Message::Answer(OLD | 3)));
    }

    #[test]
    fn a_netbios_length_is_in_front_of_each_message() {
        let framed = [&[0, 0, 0, 64][..], &header(5, 0, 0, 7, 0)].concat();
        assert_eq!((frame(&framed), to_server(&framed)), (Framed::whole(4, 68), Some(true)));
        assert_eq!(frame(&[0x85, 0, 0, 0]), None, "a keep-alive of NetBIOS");
        assert_eq!(frame(b"\0\0\0\x60\xfdSMB"), None, "encrypted");
    }
}
