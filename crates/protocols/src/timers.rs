//! The timers of a machine: a handful, each with its next expiry.

use std::marker::PhantomData;

use sojourn_core::Time;

/// When each of the `N` timers that `T` names expires; a name's number is its index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timers<T, const N: usize> {
    expiries: [Time; N],
    names: PhantomData<T>,
}

impl<T: Copy + Into<usize>, const N: usize> Timers<T, N> {
    pub const STOPPED: Self = Timers { expiries: [Time::NEVER; N], names: PhantomData };

    pub fn set(&mut self, timer: T, expiry: Time) {
        self.expiries[timer.into()] = expiry;
    }

    pub fn stop(&mut self, timer: T) {
        self.set(timer, Time::NEVER);
    }

    pub fn runs(&self, timer: T) -> bool {
        self.expiries[timer.into()] != Time::NEVER
    }

    /// The next expiry, [`Time::NEVER`] if no timer runs.
    #[inline]
    pub fn next(&self) -> Time {
        self.expiries.iter().copied().fold(Time::NEVER, Time::min)
    }

    /// Whether `timer` is due at `now`.
    #[inline]
    pub fn is_due(&self, timer: T, now: Time) -> bool {
        self.expiries[timer.into()] <= now
    }

    /// Stops `timer` if it is due at `now`, and says whether it was.
    pub fn take_due(&mut self, timer: T, now: Time) -> bool {
        let due = self.is_due(timer, now);
        if due {
            self.stop(timer);
        }
        due
    }
}
