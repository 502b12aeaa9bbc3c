//! Identification: an UI frame to `ID` in clear text, at an interval while transmitting and once at the end.
//!
//! The rules of amateur radio ask for it every ten minutes and at the end of a communication (as 47 CFR 97.119 does);
//! that every frame carries the callsign in its address is not counted on.

use sojourn_core::{Duration, Time};
use sojourn_protocols::ax25::wire::Address;

/// When the station has said last who it is, and whether it owes it again.
#[derive(Clone, Debug)]
pub struct Identification {
    interval: Duration,
    /// When the first transmission since the last identification was.
    since: Option<Time>,
}

impl Identification {
    /// At least every `interval`.
    pub fn new(interval: Duration) -> Identification {
        Identification { interval, since: None }
    }

    /// The station transmitted.
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

    /// Identification goes out.
    pub fn done(&mut self) {
        self.since = None;
    }
}

/// Octets of the text, at most.
pub const LONGEST: u64 = 64;

/// Whom it is said to.
pub fn address() -> Address {
    Address::new("ID", 0).expect("two letters are a callsign")
}

/// What is said.
pub fn text(own: &Address) -> Vec<u8> {
    format!("{own} Sojourn, measuring response time\r").into_bytes()
}
