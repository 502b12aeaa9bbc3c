//! A timer that can pause, or wait for the end of a burst before it starts.

use sojourn_core::{Duration, Time};

/// A timer of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Timer {
    /// The timer does not run.
    #[default]
    Stopped,
    /// Runs for `span` in all.
    Running { span: Duration, expires: Time },
    /// Paused with `left` to go.
    Paused { span: Duration, left: Duration },
    /// Starts when the burst has been transmitted.
    AwaitsEnd { span: Duration },
}

impl Timer {
    /// Runs for `span` from `now`.
    pub fn start(&mut self, now: Time, span: Duration) {
        *self = Timer::Running { span, expires: now + span };
    }

    pub fn stop(&mut self) {
        *self = Timer::Stopped;
    }

    pub fn is_stopped(&self) -> bool {
        *self == Timer::Stopped
    }

    /// Pauses until [`resume`](Timer::resume), if it runs.
    pub fn pause(&mut self, now: Time) {
        if let Timer::Running { span, expires } = *self {
            *self = Timer::Paused { span, left: expires.since(now) };
        }
    }

    pub fn resume(&mut self, now: Time) {
        if let Timer::Paused { span, left } = *self {
            *self = Timer::Running { span, expires: now + left };
        }
    }

    /// The burst has been transmitted.
    pub fn burst_ended(&mut self, now: Time) {
        if let Timer::AwaitsEnd { span } = *self {
            self.start(now, span);
        }
    }

    /// How long it has run, pauses not counted.
    pub fn elapsed(&self, now: Time) -> Option<Duration> {
        match *self {
            Timer::Running { span, expires } => Some(span.saturating_sub(expires.since(now))),
            Timer::Paused { span, left } => Some(span.saturating_sub(left)),
            Timer::Stopped | Timer::AwaitsEnd { .. } => None,
        }
    }

    /// When it expires; [`Time::NEVER`] unless it runs.
    pub fn expires(&self) -> Time {
        if let Timer::Running { expires, .. } = *self { expires } else { Time::NEVER }
    }

    /// Whether it has expired at `now`; if so it stops.
    pub fn expire(&mut self, now: Time) -> bool {
        let due = self.expires() <= now;
        if due {
            self.stop();
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_pause_is_not_counted() {
        let mut timer = Timer::Stopped;
        timer.start(at(0), Duration::from_millis(100));
        timer.pause(at(30));
        assert_eq!(timer.expires(), Time::NEVER);
        timer.resume(at(500));
        assert_eq!(timer.expires(), at(570));
        assert_eq!(timer.elapsed(at(510)), Some(Duration::from_millis(40)));
        assert!(!timer.expire(at(569)));
        assert!(timer.expire(at(570)) && timer.is_stopped());
    }

    #[test]
    fn a_timer_that_awaits_the_end_of_a_burst_runs_from_there() {
        let mut timer = Timer::AwaitsEnd { span: Duration::from_millis(100) };
        assert_eq!(timer.expires(), Time::NEVER);
        timer.burst_ended(at(700));
        timer.burst_ended(at(750));
        assert_eq!(timer.expires(), at(800));
    }
}
