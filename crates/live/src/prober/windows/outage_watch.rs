//! Detects outages of a continuous measurement, request by request.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use crate::prober::outages::{Outage, REQUESTS, SHORTEST};
use crate::prober::packets::{Packet, Verdict};

/// Which requests in a row have no response.
#[derive(Debug)]
pub struct OutageWatch {
    timeout: Duration,
    /// The requests without a response since the last one with, if any.
    silent: Option<Outage>,
    /// Whether they are an outage that was reported.
    is_reported: bool,
    /// Outages that have ended.
    ended: VecDeque<Outage>,
}

/// A change of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// An outage is found that began earlier.
    Began(Outage),
    /// The outage ended.
    Ended(Outage),
}

impl OutageWatch {
    /// Requests without a response before the timeout are lost.
    pub fn new(timeout: Duration) -> OutageWatch {
        OutageWatch { timeout, silent: None, is_reported: false, ended: VecDeque::new() }
    }

    /// The next request, in the order of sending, is answered or lost; an outage that is found only at its end both begins
    /// and ends with it.
    pub fn next(&mut self, packet: &Packet) -> Vec<Change> {
        let verdict = packet.verdict(self.timeout);
        if verdict == Verdict::Unknown {
            return Vec::new();
        }
        if verdict != Verdict::Answered {
            let silent = self.silent.get_or_insert(Outage { begin: packet.sent, end: None, requests: 0 });
            silent.requests += 1;
            let is_outage = silent.requests >= REQUESTS && packet.sent.since(silent.begin) >= SHORTEST;
            if is_outage && !self.is_reported {
                self.is_reported = true;
                return vec![Change::Began(*silent)];
            }
            return Vec::new();
        }
        let Some(silent) = self.silent.take() else { return Vec::new() };
        let outage = Outage { end: Some(packet.sent), ..silent };
        let was_reported = std::mem::take(&mut self.is_reported);
        if !was_reported && (outage.requests < REQUESTS || packet.sent.since(outage.begin) < SHORTEST) {
            return Vec::new();
        }
        self.ended.push_back(outage);
        let began = (!was_reported).then_some(Change::Began(outage));
        began.into_iter().chain([Change::Ended(outage)]).collect()
    }

    /// The outages that are known, in order; the last one may not have ended.
    pub fn known(&self) -> Vec<Outage> {
        let lasting = self.silent.filter(|_| self.is_reported);
        self.ended.iter().copied().chain(lasting).collect()
    }

    /// Whether an outage lasts.
    pub fn is_outage(&self) -> bool {
        self.is_reported
    }

    /// Whether the latest request has no response.
    pub fn is_silent(&self) -> bool {
        self.silent.is_some()
    }

    /// Drops outages that ended before a time.
    pub fn forget(&mut self, before: Time) {
        self.ended.retain(|outage| outage.end.is_none_or(|end| end >= before));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// A request every 100 ms, answered where the text has a `+`: when each change was found, and what it is.
    fn changes(answers: &str) -> Vec<(u64, &'static str, u64)> {
        let mut watch = OutageWatch::new(Duration::from_millis(500));
        let mut found = Vec::new();
        for (number, answer) in (0..).zip(answers.chars()) {
            let sent = at(100 * number);
            let received = (answer == '+').then_some(sent + Duration::from_millis(10));
            let packet = Packet { intended: sent, sent, received, ..Packet::default() };
            let ms = |time: Time| time.since(Time::ZERO).picoseconds() / 1_000_000_000;
            found.extend(watch.next(&packet).into_iter().map(|change| match change {
                Change::Began(outage) => (100 * number, "began", ms(outage.begin)),
                Change::Ended(outage) => (100 * number, "ended", outage.end.map_or(0, ms)),
            }));
        }
        found
    }

    #[test]
    fn an_outage_is_found_after_a_second_and_ends_with_the_next_response() {
        assert_eq!(changes("++---------------+++"), [(1200, "began", 200), (1700, "ended", 1700)]);
    }

    #[test]
    fn an_outage_of_a_second_is_found_at_its_end_and_shorter_ones_are_losses() {
        assert_eq!(changes("++----------+++"), [(1200, "began", 200), (1200, "ended", 1200)]);
        assert_eq!(changes("++---------+++"), []);
    }

    #[test]
    fn outages_are_known_until_they_are_forgotten() {
        let mut watch = OutageWatch::new(Duration::from_millis(500));
        for ms in [0, 1000, 2000] {
            watch.next(&Packet { intended: at(ms), sent: at(ms), ..Packet::default() });
        }
        assert_eq!(watch.known(), [Outage { begin: at(0), end: None, requests: 3 }]);
        watch.forget(at(9000));
        assert_eq!(watch.known().len(), 1, "it has not ended");
    }
}
