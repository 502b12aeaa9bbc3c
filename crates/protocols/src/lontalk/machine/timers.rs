//! The timers that wake a node: one for the open transaction of each priority class.
//!
//! Receive records need no wake-up. Their end is seen when they are next looked at.

use sojourn_core::Time;

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

    /// The next expiry, if a timer runs.
    pub fn next(&self) -> Option<Time> {
        let first = self.0[0].min(self.0[1]);
        (first != Time::NEVER).then_some(first)
    }

    /// Whether `timer` is due at `now`.
    pub fn is_due(&self, timer: Timer, now: Time) -> bool {
        self.0[timer as usize] <= now
    }
}
