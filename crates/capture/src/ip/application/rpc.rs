//! ONC remote procedure calls (RFC 5531), as NFS, the port mapper, mount and lock services use them, over TCP behind record
//! marks (section 11). The transaction identifier (XID) names a call.

use super::octets::be32;
use super::{Framed, Message};

const CALL: u32 = 0;
const REPLY: u32 = 1;
/// The version of the protocol in calls.
const VERSION: u32 = 2;
/// The first program number that is given out, and the first that is not (section 8.3).
const PROGRAMS: std::ops::Range<u32> = 100_000..0x6000_0000;
/// The highest flavor of authentication in use, that of GSS (RFC 2203).
const GSS: u32 = 6;
/// Octets of the longest record: the data of a write, with room.
const LONGEST: usize = 16 << 20;

/// A call or a reply.
pub fn read(message: &[u8]) -> Option<Message> {
    let xid = be32(message, 0)?.into();
    Some(if to_server(message)? { Message::Request(xid) } else { Message::Answer(xid) })
}

/// Whether a message is a call, not a reply; `None` of what is neither.
pub fn to_server(message: &[u8]) -> Option<bool> {
    let is_call = |at: usize| Some(be32(message, at)? == VERSION && PROGRAMS.contains(&be32(message, at + 4)?));
    let is_reply = |at: usize| match be32(message, at)? {
        // accepted: verifier, and how far it got; denied: why
        0 => Some(be32(message, at + 4)? <= GSS && be32(message, at + 8)? <= 400),
        1 => Some(be32(message, at + 4)? <= 1),
        _ => None,
    };
    match be32(message, 4)? {
        CALL => is_call(8)?.then_some(true),
        REPLY => is_reply(8)?.then_some(false),
        _ => None,
    }
}

/// The fragment of a record at the beginning of a stream.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    let length = (be32(octets, 0)? & 0x7fff_ffff) as usize;
    if length == 0 || length > LONGEST { None } else { Framed::whole(4, 4 + length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A GETATTR call of NFS 3, and a reply that was accepted.
    const NFS_CALL: [u8; 32] = {
        let mut call = [0; 32];
        (call[0], call[3], call[11], call[13], call[14], call[15]) = (0x9a, 7, 2, 1, 0x86, 0xa3);
        (call[19], call[23], call[27]) = (3, 1, 1);
        call
    };
    const NFS_REPLY: [u8; 24] = {
        let mut reply = [0; 24];
        (reply[0], reply[3], reply[7]) = (0x9a, 7, 1);
        reply
    };

    #[test]
    fn a_reply_has_the_transaction_identifier_of_its_call() {
        assert_eq!(read(&NFS_CALL), Some(Message::Request(0x9a00_0007)));
        assert_eq!(read(&NFS_REPLY), Some(Message::Answer(0x9a00_0007)));
        assert_eq!([to_server(&NFS_CALL), to_server(&NFS_REPLY)], [Some(true), Some(false)]);
    }

    #[test]
    fn what_is_neither_call_nor_reply_names_nothing() {
        let mut other = NFS_CALL;
        other[11] = 1;
        assert_eq!(read(&other), None);
        assert_eq!(read(&NFS_CALL[..12]), None, "cut");
    }

    #[test]
    fn a_record_mark_has_the_length_of_a_fragment_and_whether_it_is_the_last() {
        assert_eq!(frame(&[0x80, 0, 0, 40, 1]), Framed::whole(4, 44));
        assert_eq!(frame(&[0, 0, 0, 40, 1]), Framed::whole(4, 44));
        assert_eq!((frame(&[0x80, 0, 0, 0]), frame(&[0xff, 0, 0, 0])), (None, None));
    }
}
