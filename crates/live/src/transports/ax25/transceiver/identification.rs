//! Station identification: a UI frame to `ID` in clear text, at an interval while transmitting and once at the end.
//!
//! Amateur radio rules require it every ten minutes and at the end of a communication (47 CFR 97.119); the callsign in the
//! address of every frame is not relied on.

use sojourn_core::{Duration, Time};
use sojourn_protocols::ax25::wire::Address;

/// When the next identification is due.
#[derive(Clone, Debug)]
pub struct Identification {
    interval: Duration,
    /// Time of the first transmission since the last identification.
    since: Option<Time>,
}

impl Identification {
    /// Identification at least every `interval`.
    pub fn new(interval: Duration) -> Identification {
        Identification { interval, since: None }
    }

    /// The station transmitted at `now`: an identification becomes due.
    pub fn transmitted(&mut self, now: Time) {
        self.since.get_or_insert(now);
    }

    /// Whether anything was transmitted since the last identification.
    pub fn is_owed(&self) -> bool {
        self.since.is_some()
    }

    /// When the next is due.
    pub fn due(&self) -> Time {
        self.since.map_or(Time::NEVER, |since| since + self.interval)
    }

    /// The identification was sent.
    pub fn done(&mut self) {
        self.since = None;
    }
}

/// Octets of the text at most.
pub const LONGEST: u64 = 64;

/// The destination address of identification.
pub fn address() -> Address {
    Address::new("ID", 0).expect("two letters are a callsign")
}

/// The text of identification.
pub fn text(own: &Address) -> Vec<u8> {
    format!("{own} Sojourn, measuring response time\r").into_bytes()
}
