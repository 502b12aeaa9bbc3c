//! How a measurement stands while it is under way: told by the thread that keeps the schedule, read by one that has time.
//!
//! The thread that measures only stores numbers: it takes no lock, allocates nothing and waits for nobody, some
//! nanoseconds a packet. All that costs more, quantiles and the course over time, is made by whoever looks, on its own
//! thread, of a [`ring`] of the newest samples. What the looker misses is missing from the display, never from the
//! results.

mod gathered;
mod ring;
mod standing;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use sojourn_core::{Duration, Time};

pub use standing::{PhaseStanding, Quantiles, Slot, Snapshot};

use crate::io::clock::Clock;
use gathered::Gathered;
use ring::Ring;

/// When a phase of the measurement is: idle, loaded, recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its name.
    pub name: &'static str,
    /// When it begins.
    pub begins: Time,
    /// When it ends; [`Time::NEVER`] for one that somebody else ends.
    pub ends: Time,
}

/// Shared by the thread that measures and the one that looks.
#[derive(Debug, Default)]
pub struct Gauge {
    ring: Ring,
    sent: AtomicU64,
    /// Octets of user data that the load has delivered.
    carried: Arc<AtomicU64>,
    /// The bits of seconds; of 0 s for not known.
    noise_floor: AtomicU64,
    /// Of those who look; the thread that measures opens it before it begins.
    gathered: Mutex<Option<Gathered>>,
}

impl Gauge {
    /// A measurement begins, by this clock, with these phases one after the other. What stood here before is forgotten.
    pub fn begin(&self, clock: Clock, phases: &[Span]) {
        let mut gathered = self.gathered.lock().expect("nobody panics while looking");
        self.sent.store(0, Ordering::Relaxed);
        self.carried.store(0, Ordering::Relaxed);
        *gathered = Some(Gathered::new(clock, phases, self.ring.begin()));
    }

    /// A request was found to take so many seconds over the loopback of this very host.
    pub fn noise_floor(&self, floor_s: f64) {
        self.noise_floor.store(floor_s.to_bits(), Ordering::Relaxed);
    }

    /// A request left.
    #[inline]
    pub fn sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    /// An answer came to a request that had left at `sent`.
    #[inline]
    pub fn answered(&self, sent: Time, response: Duration) {
        self.ring.put(sent, Some(response));
    }

    /// The request that left at `sent` is not waited for any more.
    #[inline]
    pub fn lost(&self, sent: Time) {
        self.ring.put(sent, None);
    }

    /// Where whoever loads the network counts the octets of user data delivered, from any thread.
    pub fn carried(&self) -> Arc<AtomicU64> {
        self.carried.clone()
    }

    /// How it stands; `None` before anything began.
    pub fn standing(&self) -> Option<Snapshot> {
        let mut gathered = self.gathered.lock().expect("nobody panics while looking");
        let gathered = gathered.as_mut()?;
        gathered.take(&self.ring);
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let noise_floor_s = Some(f64::from_bits(load(&self.noise_floor))).filter(|floor_s| *floor_s > 0.0);
        Some(gathered.standing(load(&self.sent), load(&self.carried), noise_floor_s))
    }
}

#[cfg(test)]
mod tests;
