//! The transaction timers of a node, one for each priority class.
//!
//! Receive timers need no wake-up: their expiry is checked when a record is next used.

use crate::timers;

/// A transaction timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// Of the transaction without priority.
    Ordinary,
    /// Of the transaction with priority.
    Priority,
}

impl Timer {
    pub const ALL: [Timer; 2] = [Timer::Ordinary, Timer::Priority];

    /// The timer of a priority class.
    pub const fn of_class(priority: bool) -> Self {
        if priority { Timer::Priority } else { Timer::Ordinary }
    }

    /// Whether it belongs to the priority class.
    pub const fn priority(self) -> bool {
        matches!(self, Timer::Priority)
    }
}

impl From<Timer> for usize {
    fn from(timer: Timer) -> usize {
        timer as usize
    }
}

/// The timers of one node.
pub(super) type Timers = timers::Timers<Timer, { Timer::ALL.len() }>;
