//! Live statistics of a timed test: written by the measuring thread, read by another.
//!
//! The measuring thread only stores numbers, without locks, allocation or waiting, in some nanoseconds per packet.
//! The expensive parts, percentiles and the time series, are computed by the reader on its own thread, from a
//! [`ring`] of the latest samples. Samples that the reader misses are missing from the display, never from the
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

/// Begin and end of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Name of the phase: `idle`, `loaded`, `recovery`.
    pub name: &'static str,
    /// When the phase begins.
    pub begins: Time,
    /// When it ends; [`Time::NEVER`] if that is open.
    pub ends: Time,
}

/// Shared by the measuring thread and the reader.
#[derive(Debug, Default)]
pub struct Gauge {
    ring: Ring,
    sent: AtomicU64,
    /// Octets of user data that the load has delivered.
    carried: Arc<AtomicU64>,
    /// Bits of a float, in seconds; 0 if unknown.
    noise_floor: AtomicU64,
    /// State of the reader; the measuring thread creates it before it begins.
    gathered: Mutex<Option<Gathered>>,
}

impl Gauge {
    /// A measurement begins, by this clock, with these phases in order; earlier statistics are dropped.
    pub fn begin(&self, clock: Clock, phases: &[Span]) {
        let mut gathered = self.gathered.lock().expect("no thread panics while it holds the lock");
        self.sent.store(0, Ordering::Relaxed);
        self.carried.store(0, Ordering::Relaxed);
        *gathered = Some(Gathered::new(clock, phases, self.ring.begin()));
    }

    /// Sets the noise floor: the RTT of this host's loopback, in seconds.
    pub fn noise_floor(&self, floor_s: f64) {
        self.noise_floor.store(floor_s.to_bits(), Ordering::Relaxed);
    }

    /// A request was sent.
    #[inline]
    pub fn sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    /// The request sent at `sent` was answered.
    #[inline]
    pub fn answered(&self, sent: Time, response: Duration) {
        self.ring.put(sent, Some(response));
    }

    /// The request sent at `sent` timed out.
    #[inline]
    pub fn lost(&self, sent: Time) {
        self.ring.put(sent, None);
    }

    /// The counter of octets delivered by the load, for any thread.
    pub fn carried(&self) -> Arc<AtomicU64> {
        self.carried.clone()
    }

    /// A snapshot; `None` before the measurement begins.
    pub fn standing(&self) -> Option<Snapshot> {
        let mut gathered = self.gathered.lock().expect("no thread panics while it holds the lock");
        let gathered = gathered.as_mut()?;
        gathered.take(&self.ring);
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let noise_floor_s = Some(f64::from_bits(load(&self.noise_floor))).filter(|floor_s| *floor_s > 0.0);
        Some(gathered.standing(load(&self.sent), load(&self.carried), noise_floor_s))
    }
}

#[cfg(test)]
mod tests;
