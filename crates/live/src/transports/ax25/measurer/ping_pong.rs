//! Ping-pong: blocks to a station that echoes them, one at a time, as in the packet-radio benchmark.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;

use super::link_session::Application;
use super::node_path::NodePath;
use crate::progress::watch::Watch;
use crate::transports::ax25::block::block;

/// Settings of the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Number of round trips.
    pub round_trips: u32,
    /// Octets of a block.
    pub size: u32,
    /// Timeout of a round trip.
    pub time_out: Duration,
    /// Pause between round trips.
    pub pause: Duration,
    /// How long a node or station must be silent before its greeting counts as complete.
    pub quiet: Duration,
}

/// Sends blocks and waits for their echo. It continues on a new link when one fails.
#[derive(Debug)]
pub struct PingPong<'a> {
    wanted: Wanted,
    node_path: NodePath,
    /// Round-trip times, from sending a block's first octet to receiving its last.
    pub times: Distribution,
    /// Round trips that were not completed.
    pub failures: u32,
    /// A permanent error of the far station, if any.
    pub fault: Option<String>,
    is_answered: bool,
    number: u64,
    /// The outstanding block: send time, and the octets still expected.
    in_flight: Option<(Time, VecDeque<u8>)>,
    next: Time,
    watch: &'a Watch,
}

impl<'a> PingPong<'a> {
    /// A probe whose first block has this number.
    pub fn new(wanted: Wanted, first: u64, node_path: &[String], watch: &'a Watch) -> PingPong<'a> {
        PingPong {
            node_path: NodePath::new(node_path, wanted.time_out, wanted.quiet),
            wanted,
            times: Distribution::new(),
            failures: 0,
            fault: None,
            is_answered: false,
            number: first,
            in_flight: None,
            next: Time::ZERO,
            watch,
        }
    }

    /// Whether all round trips are done.
    pub fn is_complete(&self) -> bool {
        self.fault.is_some() || self.attempted() >= u64::from(self.wanted.round_trips)
    }

    /// Round trips completed or failed.
    fn attempted(&self) -> u64 {
        self.times.count() + u64::from(self.failures)
    }

    /// The link is down: an outstanding round trip has failed.
    pub fn broken(&mut self) {
        if self.in_flight.take().is_some() {
            self.failures += 1;
        }
        self.node_path.broken();
        self.fault = self.fault.take().or_else(|| self.node_path.fault().map(str::to_owned));
    }

    /// Whether any octet of a block was echoed.
    pub fn is_answered(&self) -> bool {
        self.is_answered
    }

    /// Octets of all blocks echoed.
    pub fn octets(&self) -> u64 {
        self.times.count() * u64::from(self.wanted.size)
    }

    fn late(&self) -> Time {
        self.in_flight.as_ref().map_or(Time::NEVER, |(since, _)| *since + self.wanted.time_out)
    }

    fn completed(&mut self, now: Time, since: Time) {
        self.times.record(now.since(since));
        self.in_flight = None;
        self.next = now + self.wanted.pause;
        self.watch.set_done(self.attempted());
    }
}

impl Application for PingPong<'_> {
    fn up(&mut self, now: Time, _asked: Time) {
        self.node_path.begin(now);
    }

    fn begins(&self, now: Time) -> Option<u64> {
        let begins = self.node_path.is_open(now) && self.in_flight.is_none() && !self.is_complete() && now >= self.next;
        begins.then_some(self.wanted.size.into())
    }

    fn write(&mut self, now: Time) -> Option<Vec<u8>> {
        if !self.node_path.is_open(now) {
            return self.node_path.write(now);
        }
        self.begins(now)?;
        let block = block(self.number, self.wanted.size);
        self.number += 1;
        self.in_flight = Some((now, block.iter().copied().collect()));
        Some(block)
    }

    fn take(&mut self, now: Time, data: &[u8]) {
        if !self.node_path.is_open(now) {
            self.node_path.take(now, data);
            self.fault = self.node_path.fault().map(str::to_owned);
            return;
        }
        // data between blocks are ignored
        let Some((since, rest)) = &mut self.in_flight else { return };
        let since = *since;
        self.is_answered = true;
        for octet in data {
            if rest.pop_front() != Some(*octet) {
                self.fault = Some("the echo differs from the block sent: the station is not an echo".to_owned());
                return;
            }
        }
        if rest.is_empty() {
            self.completed(now, since);
        }
    }

    fn due(&self) -> Time {
        let next = if self.in_flight.is_none() { self.next } else { Time::NEVER };
        self.late().min(next).min(self.node_path.due())
    }

    fn is_done(&self, now: Time) -> bool {
        self.is_complete() || now >= self.late() || self.node_path.is_late(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    const WANTED: Wanted = Wanted {
        round_trips: 2,
        size: 64,
        time_out: Duration::from_secs(60),
        pause: Duration::from_secs(1),
        quiet: Duration::from_secs(3),
    };

    #[test]
    fn a_round_trip_ends_with_the_last_octet_and_the_next_begins_after_the_pause() {
        let watch = Watch::new();
        let mut user = PingPong::new(WANTED, 0, &[], &watch);
        user.up(at(0), at(0));
        let block = user.write(at(0)).unwrap();
        user.take(at(3), &block[..40]);
        assert_eq!(user.times.count(), 0);
        user.take(at(5), &block[40..]);
        assert_eq!(user.times.mean(), Some(5.0));
        assert_eq!((user.write(at(5)), user.due()), (None, at(6)));
        assert_ne!(user.write(at(6)), Some(block), "every block is another");
    }

    #[test]
    fn an_octet_that_is_wrong_ends_it_and_silence_ends_it_late() {
        let watch = Watch::new();
        let mut user = PingPong::new(WANTED, 0, &[], &watch);
        user.up(at(0), at(0));
        user.write(at(0)).unwrap();
        assert!(!user.is_done(at(59)) && user.is_done(at(60)));
        user.broken();
        assert_eq!((user.failures, user.is_complete()), (1, false));
        user.write(at(61)).unwrap();
        user.take(at(62), b"Welcome");
        assert!(user.is_complete() && user.fault.is_some());
    }
}
