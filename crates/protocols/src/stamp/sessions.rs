//! Sessions of a stateful reflector and their sequence numbers.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};

/// Maximum number of sessions; beyond it a new session replaces the one idle for longest.
const MAX_SESSIONS: usize = 1024;
/// Idle timeout of a session (REFWAIT; RFC 5357, section 4.2).
const REFWAIT: Duration = Duration::from_secs(900);

/// Sequence numbers of replies per address and SSID.
#[derive(Debug)]
pub struct Sessions<P> {
    open: BTreeMap<(P, u16), Session>,
}

#[derive(Debug)]
struct Session {
    next: u32,
    last_probe: Time,
}

impl<P: Ord + Copy> Sessions<P> {
    /// A table without sessions.
    pub fn new() -> Sessions<P> {
        Sessions { open: BTreeMap::new() }
    }

    /// The sequence number of the next reply to this address and SSID.
    pub fn next_number(&mut self, now: Time, from: P, session: u16) -> u32 {
        let name = (from, session);
        if !self.open.contains_key(&name) && self.open.len() == MAX_SESSIONS {
            self.remove_longest_idle();
        }
        let found = self.open.entry(name).or_insert(Session { next: 0, last_probe: now });
        if now.since(found.last_probe) > REFWAIT {
            found.next = 0;
        }
        found.last_probe = now;
        let number = found.next;
        found.next = number.wrapping_add(1);
        number
    }

    fn remove_longest_idle(&mut self) {
        let silent = self.open.iter().min_by_key(|(_, session)| session.last_probe).map(|(name, _)| *name);
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
    fn each_address_and_ssid_has_its_own_sequence_numbers() {
        let mut sessions = Sessions::new();
        let numbers =
            [('a', 1), ('a', 1), ('a', 2), ('b', 1), ('a', 1)].map(|(from, id)| sessions.next_number(at(0), from, id));
        assert_eq!(numbers, [0, 1, 0, 0, 2]);
    }

    #[test]
    fn a_session_restarts_after_refwait() {
        let mut sessions = Sessions::new();
        let numbers = [0, 900, 1801].map(|second| sessions.next_number(at(second), 'a', 0));
        assert_eq!(numbers, [0, 1, 0]);
    }

    #[test]
    fn a_flood_of_addresses_replaces_idle_sessions_only() {
        let mut sessions = Sessions::new();
        sessions.next_number(at(0), 0, 0);
        for address in 1..5000_u64 {
            sessions.next_number(at(address), address, 0);
            sessions.next_number(at(address), 0, 0);
        }
        assert_eq!(sessions.open.len(), MAX_SESSIONS);
        assert_eq!(sessions.next_number(at(5000), 0, 0), 5000);
    }
}
