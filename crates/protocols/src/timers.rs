//! The timers of a state machine, each with its expiry time.

use std::marker::PhantomData;

use sojourn_core::Time;

/// Expiry times of `N` timers identified by `T`, whose discriminant is the index.
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

    /// When `timer` expires, [`Time::NEVER`] if it does not run.
    pub fn expiry(&self, timer: T) -> Time {
        self.expiries[timer.into()]
    }

    /// The next expiry, [`Time::NEVER`] if no timer runs.
    #[inline]
    pub fn next(&self) -> Time {
        self.expiries.iter().copied().fold(Time::NEVER, Time::min)
    }

    /// Whether `timer` has expired by `now`.
    #[inline]
    pub fn is_due(&self, timer: T, now: Time) -> bool {
        self.expiries[timer.into()] <= now
    }

    /// Stops `timer` if it has expired by `now`; returns whether it had.
    pub fn take_due(&mut self, timer: T, now: Time) -> bool {
        let due = self.is_due(timer, now);
        if due {
            self.stop(timer);
        }
        due
    }
}
