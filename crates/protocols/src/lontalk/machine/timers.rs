//! The timers that wake a node: one for the open transaction of each priority class.
//!
//! Receive records need no wake-up. Their end is seen when they are next looked at.

use crate::timers;

/// A timer of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// Of the transaction with ordinary priority.
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

/// When each timer expires.
pub(super) type Timers = timers::Timers<Timer, { Timer::ALL.len() }>;
