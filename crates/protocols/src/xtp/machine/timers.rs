//! The timers of a context.

use sojourn_core::{Duration, Time};

/// A timer of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// WTIMER: an answer is due.
    Wait,
    /// CTIMER: nothing has been heard for long.
    Context,
    /// CTIMEOUT: a handshake takes too long.
    Timeout,
    /// RTIMER: the next burst may begin.
    Rate,
    /// A kept-back answer goes out.
    Answer,
    /// An ended context is forgotten.
    Linger,
}

impl Timer {
    pub const ALL: [Timer; 6] =
        [Timer::Wait, Timer::Context, Timer::Timeout, Timer::Rate, Timer::Answer, Timer::Linger];
}

/// When each timer expires.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timers([Time; Timer::ALL.len()]);

impl Timers {
    pub const STOPPED: Timers = Timers([Time::NEVER; Timer::ALL.len()]);

    pub fn set(&mut self, timer: Timer, expiry: Time) {
        self.0[timer as usize] = expiry;
    }

    pub fn stop(&mut self, timer: Timer) {
        self.0[timer as usize] = Time::NEVER;
    }

    pub fn runs(&self, timer: Timer) -> bool {
        self.0[timer as usize] != Time::NEVER
    }

    /// The next expiry, [`Time::NEVER`] if no timer runs.
    #[inline]
    pub fn next(&self) -> Time {
        self.0.iter().copied().fold(Time::NEVER, Time::min)
    }

    /// Stops `timer` if it is due at `now`, and says whether it was.
    pub fn take_due(&mut self, timer: Timer, now: Time) -> bool {
        let due = self.0[timer as usize] <= now;
        if due {
            self.stop(timer);
        }
        due
    }
}

/// The instant `span` after `now`, or never if that is beyond all time.
pub(super) fn after(now: Time, span: Duration) -> Time {
    Time::from_picoseconds(now.picoseconds().saturating_add(span.picoseconds()))
}
