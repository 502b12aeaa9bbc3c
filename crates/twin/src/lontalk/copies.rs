//! Distinguishes copies forwarded by routers from new transmissions.
//!
//! A capture of several channels shows a routed packet once per channel, byte for byte the same. A retry has the same
//! bytes too, but recurs on its sender's channel. The channel of a packet is its interface and LON/IP session.

use std::collections::{BTreeMap, VecDeque};

use sojourn_core::{Duration, Time};

/// Routers forward a packet within this time, unless they are overloaded.
const FORWARDED_WITHIN: Duration = Duration::from_millis(500);
/// Channels of a packet remembered: more than routers in a row.
const CHANNELS: usize = 16;

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// A transmission of its source.
    New,
    /// A copy of one that was captured `after` before, on the channel of this number.
    Copy {
        /// The channel that it was forwarded from.
        from: usize,
        /// Time since then.
        after: Duration,
    },
}

/// Transmissions of the last moments.
#[derive(Debug, Default)]
pub(super) struct Copies {
    recent: BTreeMap<u64, Vec<(usize, Time)>>,
    by_age: VecDeque<(Time, u64)>,
}

impl Copies {
    /// Takes a packet by the hash of its bytes.
    pub fn packet(&mut self, hash: u64, channel: usize, time: Time) -> Seen {
        while let Some(&(since, hash)) = self.by_age.front()
            && time.since(since) > FORWARDED_WITHIN
        {
            self.by_age.pop_front();
            if self.recent.get(&hash).and_then(|seen| seen.last()).is_some_and(|last| last.1 <= since) {
                self.recent.remove(&hash);
            }
        }
        self.by_age.push_back((time, hash));
        let seen = self.recent.entry(hash).or_default();
        let again = seen.iter().any(|&(known, _)| known == channel) || seen.len() >= CHANNELS;
        match seen.last() {
            Some(&(from, last)) if !again => {
                seen.push((channel, time));
                Seen::Copy { from, after: time.since(last) }
            }
            _ => {
                *seen = vec![(channel, time)];
                Seen::New
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_copy_is_on_another_channel_and_a_retry_on_the_same() {
        let mut copies = Copies::default();
        assert_eq!(copies.packet(7, 0, at(0)), Seen::New);
        assert_eq!(copies.packet(7, 1, at(9)), Seen::Copy { from: 0, after: Duration::from_millis(9) });
        assert_eq!(copies.packet(7, 2, at(20)), Seen::Copy { from: 1, after: Duration::from_millis(11) });
        assert_eq!(copies.packet(7, 0, at(128)), Seen::New);
        assert_eq!(copies.packet(7, 1, at(140)), Seen::Copy { from: 0, after: Duration::from_millis(12) });
    }

    #[test]
    fn the_same_bytes_on_another_channel_much_later_are_new() {
        let mut copies = Copies::default();
        copies.packet(7, 0, at(0));
        assert_eq!(copies.packet(7, 1, at(2_000)), Seen::New);
        assert!(copies.recent.len() == 1 && copies.by_age.len() == 1, "what is old is forgotten");
    }
}
