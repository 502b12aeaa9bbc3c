//! Recovery time: how long after an event response times and one-way delays stay above their level before it.
//!
//! **Definition.** The reference level is the 95 % quantile of the response times, since the warm-up, of requests
//! that ended while no event was open; lost requests count as longer than any. An event is open from its begin until
//! recovery: the send time of the first of ten consecutive requests, sent after its end, that are answered within
//! that level. A steady network counts as recovered at once: ten consecutive requests are within the level with
//! probability 0.6, and one that is not restarts the ten. An event that is still open when it occurs again, or when
//! the run ends, never recovered. Where both requests and datagrams in one direction are sampled, each kind has its
//! own level, and the event has recovered when the last kind has.

use sojourn_core::{Duration, Time};

use crate::distribution::Distribution;

/// Requests in a row within the level of before.
pub const IN_A_ROW: u32 = 10;
/// The quantile that is the level of before.
const LEVEL: f64 = 0.95;
/// A quantile of a binned distribution is known to this part of it (see [`crate::distribution`]).
const RESOLUTION: u64 = 1024;

/// The events of one replication and how long each took to recover.
#[derive(Clone, Debug, Default)]
pub struct Recovery {
    /// By kind of sample, what was observed while no event was open.
    calm: Vec<Distribution>,
    open: Vec<Open>,
    times: Vec<Distribution>,
}

#[derive(Clone, Debug)]
struct Open {
    event: u32,
    /// Which of the things that fail on their own.
    slot: u32,
    begin: Time,
    end: Option<Time>,
    /// By kind of sample.
    streaks: Vec<Streak>,
}

/// Samples of a kind in a row that are within the level of before.
#[derive(Clone, Copy, Debug)]
struct Streak {
    /// None where nothing was answered before.
    level: Option<Duration>,
    in_a_row: u32,
    first: Time,
}

impl Streak {
    fn has_recovered(&self) -> bool {
        self.in_a_row >= IN_A_ROW
    }

    /// What was sent at `sent` has ended.
    fn observe(&mut self, sent: Time, response: Option<Duration>) {
        let within = response.zip(self.level).is_some_and(|(response, level)| response <= level);
        if self.has_recovered() {
            return;
        }
        if !within {
            self.in_a_row = 0;
            return;
        }
        if self.in_a_row == 0 {
            self.first = sent;
        }
        self.in_a_row += 1;
    }
}

impl Recovery {
    /// The recovery from this many events, by samples of this many kinds.
    pub fn new(events: usize, kinds: usize) -> Self {
        let (calm, times) = (vec![Distribution::new(); kinds], vec![Distribution::new(); events]);
        Recovery { calm, open: Vec::new(), times }
    }

    /// An event begins: `slot` distinguishes what fails on its own.
    pub fn begin(&mut self, now: Time, event: u32, slot: u32) {
        self.give_up(|open| open.slot == slot);
        let streak = |calm: &Distribution| {
            let level = calm.quantile(LEVEL).map(|level| {
                let picoseconds = level.picoseconds();
                Duration::from_picoseconds(picoseconds + picoseconds / RESOLUTION)
            });
            Streak { level, in_a_row: 0, first: now }
        };
        let streaks = self.calm.iter().map(streak).collect();
        self.open.push(Open { event, slot, begin: now, end: None, streaks });
    }

    /// It ends: at once where it has no end.
    pub fn end(&mut self, now: Time, slot: u32) {
        if let Some(open) = self.open.iter_mut().find(|open| open.slot == slot) {
            open.end = Some(now);
        }
    }

    /// The request (or what this kind of sample is about) that was sent at `sent` is answered, or not.
    #[inline]
    pub fn ended(&mut self, kind: usize, sent: Time, response: Option<Duration>) {
        if self.open.is_empty() {
            match response {
                Some(response) => self.calm[kind].record(response),
                None => self.calm[kind].censor(1),
            }
        } else {
            self.observe(kind, sent, response);
        }
    }

    fn observe(&mut self, kind: usize, sent: Time, response: Option<Duration>) {
        let times = &mut self.times;
        self.open.retain_mut(|open| {
            // what was sent before says nothing of the time after
            if open.end.is_none_or(|end| sent < end) {
                return true;
            }
            open.streaks[kind].observe(sent, response);
            if !open.streaks.iter().all(Streak::has_recovered) {
                return true;
            }
            let last = open.streaks.iter().map(|streak| streak.first).max().unwrap_or(open.begin);
            times[open.event as usize].record(last.since(open.begin));
            false
        });
    }

    /// The recovery times of each event; what is still open never recovered.
    pub fn finish(mut self) -> Vec<Distribution> {
        self.give_up(|_| true);
        self.times
    }

    fn give_up(&mut self, which: impl Fn(&Open) -> bool) {
        let times = &mut self.times;
        self.open.retain(|open| {
            if which(open) {
                times[open.event as usize].censor(1);
            }
            !which(open)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// Requests every 10 ms, answered after a time that depends on when they were sent.
    fn requests(recovery: &mut Recovery, from: u64, to: u64, response: impl Fn(u64) -> Option<u64>) {
        for sent in (from..to).step_by(10) {
            recovery.ended(0, at(sent), response(sent).map(Duration::from_millis));
        }
    }

    #[test]
    fn recovery_is_the_sending_of_the_first_of_ten_within_the_level_of_before() {
        let mut recovery = Recovery::new(1, 1);
        requests(&mut recovery, 0, 1000, |_| Some(5));
        recovery.begin(at(1000), 0, 0);
        requests(&mut recovery, 1000, 1200, |_| None);
        recovery.end(at(1200), 0);
        // nine within, one not, then all
        requests(&mut recovery, 1200, 2000, |sent| Some(if sent == 1290 { 6 } else { 5 }));
        let times = recovery.finish();
        assert_eq!((times[0].count(), times[0].sent()), (1, 1));
        assert_eq!(times[0].max(), Some(Duration::from_millis(300)));
    }

    /// Whether a network whose 100 requests before an event were answered after 1, 2, 3, ... ms, but for the last `lost` of them,
    /// is recovered when it answers after `ms`.
    fn recovers(lost: u64, ms: u64) -> bool {
        let mut recovery = Recovery::new(1, 1);
        requests(&mut recovery, 0, 1000, |sent| Some(sent / 10 + 1).filter(|number| *number <= 100 - lost));
        recovery.begin(at(1000), 0, 0);
        recovery.end(at(1200), 0);
        requests(&mut recovery, 1200, 2000, |_| Some(ms));
        recovery.finish()[0].count() == 1
    }

    #[test]
    fn the_level_of_before_is_the_time_that_95_percent_of_all_requests_did_not_exceed() {
        assert!(recovers(0, 95) && !recovers(0, 96), "the 95th of 100");
        assert!(recovers(4, 95) && !recovers(4, 96), "of 96 answers alone it would be the 92nd");
        assert!(!recovers(6, 1), "more than 5 % were lost before: no time is what it was");
    }

    #[test]
    fn requests_sent_before_the_end_do_not_count_as_recovered() {
        let mut recovery = Recovery::new(1, 1);
        requests(&mut recovery, 0, 1000, |_| Some(5));
        recovery.begin(at(1000), 0, 0);
        requests(&mut recovery, 1000, 1500, |_| Some(5));
        recovery.end(at(1500), 0);
        requests(&mut recovery, 1500, 1700, |_| Some(5));
        assert_eq!(recovery.finish()[0].max(), Some(Duration::from_millis(500)));
    }

    #[test]
    fn what_is_open_when_it_happens_again_or_the_run_ends_never_recovered() {
        let mut recovery = Recovery::new(2, 1);
        requests(&mut recovery, 0, 1000, |_| Some(5));
        for begin in [1000, 2000] {
            recovery.begin(at(begin), 1, 7);
            recovery.end(at(begin + 10), 7);
            requests(&mut recovery, begin + 10, begin + 1000, |_| Some(50));
        }
        let times = recovery.finish();
        assert_eq!((times[1].count(), times[1].censored(), times[0].sent()), (0, 2, 0));
    }

    #[test]
    fn where_two_kinds_are_sampled_recovery_is_that_of_the_later() {
        let mut recovery = Recovery::new(1, 2);
        let both = |recovery: &mut Recovery, from: u64, to: u64, slow_until: u64| {
            for sent in (from..to).step_by(10) {
                recovery.ended(0, at(sent), Some(Duration::from_millis(50)));
                let delay = if sent < slow_until { 9 } else { 1 };
                recovery.ended(1, at(sent), Some(Duration::from_millis(delay)));
            }
        };
        both(&mut recovery, 0, 1000, 0);
        recovery.begin(at(1000), 0, 0);
        recovery.end(at(1100), 0);
        both(&mut recovery, 1100, 2000, 1400);
        assert_eq!(
            recovery.finish()[0].max(),
            Some(Duration::from_millis(400)),
            "delays of 9 ms are above their own 1 ms"
        );
    }
}
