//! The timers of a context.

use sojourn_core::{Duration, Time};

use crate::timers;

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

impl From<Timer> for usize {
    fn from(timer: Timer) -> usize {
        timer as usize
    }
}

/// When each timer expires.
pub(super) type Timers = timers::Timers<Timer, { Timer::ALL.len() }>;

/// The instant `span` after `now`, or never if that is beyond all time.
pub(super) fn after(now: Time, span: Duration) -> Time {
    Time::from_picoseconds(now.picoseconds().saturating_add(span.picoseconds()))
}
