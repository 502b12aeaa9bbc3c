//! Matches transmit timestamps to replies.

use sojourn_protocols::probe::wire::Token;

/// Replies remembered: timestamps arrive within microseconds; later ones are ignored.
const REMEMBERED: usize = 1024;

/// A reply that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Token of its session.
    pub token: Token,
    /// Sequence number of its probe.
    pub sequence: u64,
    /// Arrival of its probe, in nanoseconds.
    pub receive_ns: u64,
}

/// The last replies, by the kernel's number of their datagram.
#[derive(Debug)]
pub struct Replies {
    sent: Box<[Option<(u32, Reply)>; REMEMBERED]>,
}

impl Replies {
    /// A table that remembers no reply.
    pub fn new() -> Replies {
        Replies { sent: Box::new([None; REMEMBERED]) }
    }

    /// Datagram `number` holds this reply.
    pub fn sent(&mut self, number: u32, reply: Reply) {
        self.sent[number as usize % REMEMBERED] = Some((number, reply));
    }

    /// Removes and returns the reply in datagram `number`.
    pub fn take(&mut self, number: u32) -> Option<Reply> {
        let slot = &mut self.sent[number as usize % REMEMBERED];
        slot.take_if(|(named, _)| *named == number).map(|(_, reply)| reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_matches_its_reply_once_and_never_another() {
        let mut replies = Replies::new();
        let reply = |sequence| Reply { token: [1; 16], sequence, receive_ns: 5 };
        replies.sent(3, reply(30));
        replies.sent(4, reply(40));
        assert_eq!(replies.take(3), Some(reply(30)));
        assert_eq!((replies.take(3), replies.take(5)), (None, None));
        replies.sent(4 + REMEMBERED as u32, reply(50));
        assert_eq!(replies.take(4), None, "the slot has been taken by a later one");
        assert_eq!(replies.take(4 + REMEMBERED as u32), Some(reply(50)));
    }
}
