//! The session of a station that connected to this one, and its data to echo.

use sojourn_core::{Duration, Time};

use crate::transports::ax25::block::{Beginning, beginning};

/// State of a session.
#[derive(Debug)]
pub struct Session {
    /// The far station's callsign.
    pub name: String,
    since: Time,
    /// Data of an incomplete block.
    gathered: Vec<u8>,
    /// I frames that this end had retransmitted when it began.
    pub retransmitted_before: u64,
    /// Whether it is flow-controlled (RNR).
    pub is_busy: bool,
    /// Whether an answer exceeded the airtime budget, which has no room for the next one yet.
    pub overdraws: bool,
    /// Blocks echoed to the peer.
    pub blocks: u64,
    /// Octets echoed to the peer.
    pub octets: u64,
    /// Octets of the longest answer so far.
    largest: u64,
}

impl Session {
    /// A session whose link is up since `since`.
    pub fn new(name: String, since: Time, retransmitted_before: u64) -> Session {
        Session {
            name,
            since,
            retransmitted_before,
            gathered: Vec::new(),
            is_busy: false,
            overdraws: false,
            blocks: 0,
            octets: 0,
            largest: 0,
        }
    }

    /// Time since the link was set up.
    pub fn stay(&self, now: Time) -> Duration {
        now.since(self.since)
    }

    /// Octets of the longest answer so far.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Whether no block has begun that awaits its answer.
    pub fn is_between_blocks(&self) -> bool {
        self.gathered.is_empty()
    }

    /// Takes received data; returns what to echo now: complete blocks, and plain text.
    pub fn take(&mut self, data: &[u8]) -> Vec<u8> {
        self.gathered.extend_from_slice(data);
        let mut back = Vec::new();
        while !self.gathered.is_empty() {
            let whole = match beginning(&self.gathered) {
                Beginning::Block(length) if length <= self.gathered.len() => {
                    self.blocks += 1;
                    length
                }
                Beginning::Text => self.gathered.len(),
                Beginning::Block(_) | Beginning::Undecided => break,
            };
            back.extend(self.gathered.drain(..whole));
        }
        self.octets += back.len() as u64;
        self.largest = self.largest.max(back.len() as u64);
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transports::ax25::block::block;

    #[test]
    fn a_block_is_echoed_once_complete() {
        let mut session = Session::new("PING-1".to_owned(), Time::ZERO, 0);
        let blocks = [block(1, 300), block(2, 64)].concat();
        assert!(session.take(&blocks[..5]).is_empty());
        assert!(session.take(&blocks[5..299]).is_empty());
        assert_eq!(session.take(&blocks[299..320]), blocks[..300]);
        assert_eq!(session.take(&blocks[320..]), blocks[300..]);
        assert_eq!((session.blocks, session.octets), (2, 364));
    }

    #[test]
    fn plain_text_is_echoed_as_it_arrives() {
        let mut session = Session::new("PING-1".to_owned(), Time::ZERO, 0);
        assert_eq!(session.take(b"hello\r"), b"hello\r");
        assert_eq!((session.blocks, session.octets), (0, 6));
    }
}
