//! One station that connected to this one, and what it has sent and is to have back.

use sojourn_core::{Duration, Time};

use crate::transports::ax25::block::{Beginning, beginning};

/// What is known of a visitor's link.
#[derive(Debug)]
pub struct Session {
    /// Whose link it is.
    pub name: String,
    since: Time,
    /// What came and goes back once it is whole.
    gathered: Vec<u8>,
    /// I frames that this end had sent again when it came.
    pub retransmitted_before: u64,
    /// Whether it was told to wait.
    pub is_busy: bool,
    /// Blocks sent back.
    pub blocks: u64,
    /// Octets sent back.
    pub octets: u64,
}

impl Session {
    /// One whose link is up since `since`.
    pub fn new(name: String, since: Time, retransmitted_before: u64) -> Session {
        Session { name, since, retransmitted_before, gathered: Vec::new(), is_busy: false, blocks: 0, octets: 0 }
    }

    /// How long it has been here.
    pub fn stay(&self, now: Time) -> Duration {
        now.since(self.since)
    }

    /// Takes what it said; what goes back at once: whole blocks, and anything that is none.
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
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transports::ax25::block::block;

    #[test]
    fn a_block_goes_back_whole_however_it_came() {
        let mut session = Session::new("PING-1".to_owned(), Time::ZERO, 0);
        let blocks = [block(1, 300), block(2, 64)].concat();
        assert!(session.take(&blocks[..5]).is_empty());
        assert!(session.take(&blocks[5..299]).is_empty());
        assert_eq!(session.take(&blocks[299..320]), blocks[..300]);
        assert_eq!(session.take(&blocks[320..]), blocks[300..]);
        assert_eq!((session.blocks, session.octets), (2, 364));
    }

    #[test]
    fn what_is_no_block_goes_back_as_it_comes() {
        let mut session = Session::new("PING-1".to_owned(), Time::ZERO, 0);
        assert_eq!(session.take(b"hello\r"), b"hello\r");
        assert_eq!((session.blocks, session.octets), (0, 6));
    }
}
