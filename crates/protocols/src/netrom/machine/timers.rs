//! The timers of a circuit.

use sojourn_core::{Duration, Time};

use crate::timers;

/// A timer of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// Transport timeout: connect, disconnect or information is unacknowledged.
    Retransmit,
    /// A delayed acknowledgement is due.
    Acknowledge,
    /// Choke timeout: a choked sender resumes without release.
    Choke,
    /// The backlog of a choked circuit is to be polled.
    PollBacklog,
    /// No-activity timeout.
    NoActivity,
}

impl Timer {
    pub const ALL: [Timer; 5] =
        [Timer::Retransmit, Timer::Acknowledge, Timer::Choke, Timer::PollBacklog, Timer::NoActivity];
}

impl From<Timer> for usize {
    fn from(timer: Timer) -> usize {
        timer as usize
    }
}

/// The timers of one circuit.
pub(super) type Timers = timers::Timers<Timer, { Timer::ALL.len() }>;

/// The ticks at which timers may expire.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticks {
    /// The tick interval; 0: timers expire at any instant.
    pub every: Duration,
    /// The first tick.
    pub first: Time,
}

impl Ticks {
    /// When a timer of `span` that starts at `now` expires: after as many ticks as `span` has, hence up to a tick early.
    pub fn expiry(&self, now: Time, span: Duration) -> Time {
        if self.every == Duration::ZERO {
            return later(now, span.picoseconds());
        }
        let every = self.every.picoseconds();
        let passed = if now < self.first { 0 } else { now.since(self.first).whole(self.every) + 1 };
        let further = span.picoseconds().div_ceil(every).max(1) - 1;
        later(self.first, passed.saturating_add(further).saturating_mul(every))
    }
}

/// The instant `picoseconds` after `from`, saturating at [`Time::NEVER`].
fn later(from: Time, picoseconds: u64) -> Time {
    Time::from_picoseconds(from.picoseconds().saturating_add(picoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn two_seconds_in_ticks_of_one_are_between_one_and_two() {
        let ticks = Ticks { every: SECOND, first: at(300) };
        for (now, expiry) in [(0, 1300), (299, 1300), (300, 2300), (1299, 2300), (1300, 3300)] {
            assert_eq!(ticks.expiry(at(now), Duration::from_secs(2)), at(expiry), "from {now} ms");
        }
    }

    #[test]
    fn a_timer_of_zero_expires_at_the_next_tick() {
        let ticks = Ticks { every: SECOND, first: at(300) };
        assert_eq!(ticks.expiry(at(300), Duration::ZERO), at(1300));
    }

    #[test]
    fn without_ticks_a_timer_is_exact() {
        let ticks = Ticks { every: Duration::ZERO, first: Time::ZERO };
        assert_eq!(ticks.expiry(at(250), Duration::from_secs(2)), at(2250));
    }
}
