//! The timers of a context.

use sojourn_core::{Duration, Time};

use crate::timers;

/// A timer of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// WTIMER: a report is overdue.
    Wait,
    /// CTIMER: no packet was received.
    Context,
    /// CTIMEOUT: a handshake was not completed.
    Timeout,
    /// RTIMER: the next burst may be sent.
    Rate,
    /// A delayed report is due.
    Answer,
    /// An ended context is removed.
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

/// Expiry times of the timers.
pub(super) type Timers = timers::Timers<Timer, { Timer::ALL.len() }>;

/// The time `span` after `now`, saturated at [`Time::NEVER`].
pub(super) fn after(now: Time, span: Duration) -> Time {
    Time::from_picoseconds(now.picoseconds().saturating_add(span.picoseconds()))
}
