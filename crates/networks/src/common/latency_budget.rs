//! Where a message's time went, accounted as it happens: every step charges the time since the last one to a component,
//! so the components add up to the response time by construction.

use sojourn_core::{Duration, Time};

/// The account of one message, or of one copy of it, over `N` components.
#[derive(Clone, Copy, Debug)]
pub struct Trip<const N: usize> {
    /// Up to when all time is charged.
    pub at: Time,
    spent: [Duration; N],
}

impl<const N: usize> Trip<N> {
    /// A message that the application begins with at `now`.
    pub fn new(now: Time) -> Self {
        Trip { at: now, spent: [Duration::ZERO; N] }
    }

    /// Charges the time up to `until`, if any, to `component`.
    #[inline]
    pub fn charge(&mut self, component: impl Into<usize>, until: Time) {
        if until > self.at {
            self.spent[component.into()] += until - self.at;
            self.at = until;
        }
    }

    /// Time by component.
    pub fn spent(&self) -> &[Duration; N] {
        &self.spent
    }
}
