//! Which session a probe belongs to, and how many of its replies were sent.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};

/// How many sessions are counted at a time; the one silent for longest makes room for the next.
const MOST_SESSIONS: usize = 1024;
/// A session silent for so long has ended: REFWAIT of RFC 5357 section 4.2.
const SILENCE: Duration = Duration::from_secs(900);

/// Numbers replies, for each address and session identifier apart.
#[derive(Debug)]
pub struct Sessions<P> {
    open: BTreeMap<(P, u16), Session>,
}

#[derive(Debug)]
struct Session {
    next: u32,
    heard: Time,
}

impl<P: Ord + Copy> Sessions<P> {
    /// None yet.
    pub fn new() -> Sessions<P> {
        Sessions { open: BTreeMap::new() }
    }

    /// The number of the next reply to this address and session.
    pub fn next_number(&mut self, now: Time, from: P, session: u16) -> u32 {
        let name = (from, session);
        if !self.open.contains_key(&name) && self.open.len() == MOST_SESSIONS {
            self.forget_the_most_silent();
        }
        let found = self.open.entry(name).or_insert(Session { next: 0, heard: now });
        if now.since(found.heard) > SILENCE {
            found.next = 0;
        }
        found.heard = now;
        let number = found.next;
        found.next = number.wrapping_add(1);
        number
    }

    fn forget_the_most_silent(&mut self) {
        let silent = self.open.iter().min_by_key(|(_, session)| session.heard).map(|(name, _)| *name);
        silent.and_then(|name| self.open.remove(&name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn every_address_and_session_is_counted_on_its_own() {
        let mut sessions = Sessions::new();
        let numbers =
            [('a', 1), ('a', 1), ('a', 2), ('b', 1), ('a', 1)].map(|(from, id)| sessions.next_number(at(0), from, id));
        assert_eq!(numbers, [0, 1, 0, 0, 2]);
    }

    #[test]
    fn a_session_begins_anew_after_fifteen_minutes_of_silence() {
        let mut sessions = Sessions::new();
        let numbers = [0, 900, 1801].map(|second| sessions.next_number(at(second), 'a', 0));
        assert_eq!(numbers, [0, 1, 0]);
    }

    #[test]
    fn a_flood_of_addresses_keeps_no_more_than_the_most_sessions_and_those_that_still_talk() {
        let mut sessions = Sessions::new();
        sessions.next_number(at(0), 0, 0);
        for address in 1..5000_u64 {
            sessions.next_number(at(address), address, 0);
            sessions.next_number(at(address), 0, 0);
        }
        assert_eq!(sessions.open.len(), MOST_SESSIONS);
        assert_eq!(sessions.next_number(at(5000), 0, 0), 5000);
    }
}
