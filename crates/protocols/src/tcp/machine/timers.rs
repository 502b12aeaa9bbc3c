//! The timers of a connection.

use crate::timers;

/// A timer of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// The oldest segment is not acknowledged.
    Retransmission,
    /// The window is closed, or too small for what waits.
    Persist,
    /// An acknowledgement is held back.
    Acknowledgement,
    /// The connection is forgotten.
    TimeWait,
}

impl From<Timer> for usize {
    fn from(timer: Timer) -> usize {
        timer as usize
    }
}

/// When each timer expires.
pub(super) type Timers = timers::Timers<Timer, 4>;
