//! Meters: busy time of a stage, and occupancy of a buffer.

use sojourn_core::{Duration, Time};

/// The time a stage is busy inside a window.
#[derive(Clone, Debug)]
pub struct Busy {
    from: Time,
    to: Time,
    since: Option<Time>,
    total: Duration,
}

impl Busy {
    /// Idle, observed between two instants.
    pub fn new(from: Time, to: Time) -> Self {
        Busy { from, to, since: None, total: Duration::ZERO }
    }

    /// Start of the observed window.
    pub fn from(&self) -> Time {
        self.from
    }

    /// Work begins, unless it is running.
    #[inline]
    pub fn begin(&mut self, now: Time) {
        self.since.get_or_insert(now);
    }

    /// Work ends, if it was running.
    #[inline]
    pub fn end(&mut self, now: Time) {
        if let Some(since) = self.since.take() {
            self.add(since, now);
        }
    }

    /// A span of work, wherever it lies.
    #[inline]
    pub fn add(&mut self, begin: Time, end: Time) {
        self.total += end.min(self.to).since(begin.max(self.from));
    }

    /// Share of the window.
    pub fn share(mut self) -> f64 {
        self.end(self.to);
        let span = self.to.since(self.from).seconds();
        if span > 0.0 { self.total.seconds() / span } else { 0.0 }
    }
}

/// A number of buffers of packet memory, and how many are taken.
#[derive(Clone, Debug)]
pub struct Pool {
    all: u32,
    /// Number of buffers taken, over time.
    pub taken: sojourn_metrics::level::TimeWeighted,
    free: u32,
}

impl Pool {
    /// All of them free; their mean begins at the end of the warm-up.
    pub fn new(all: u32, warm_up: Time) -> Self {
        Pool { all, free: all, taken: level(warm_up) }
    }

    /// Whether this many are free.
    #[inline]
    pub fn has(&self, count: u32) -> bool {
        self.free >= count
    }

    /// Takes some that are free.
    #[inline]
    pub fn take(&mut self, now: Time, count: u32) {
        self.free -= count;
        self.taken.set(now, f64::from(self.all - self.free));
    }

    /// Frees all of them.
    pub fn clear(&mut self, now: Time) {
        self.give(now, self.all - self.free);
    }

    /// Frees `count` buffers.
    #[inline]
    pub fn give(&mut self, now: Time, count: u32) {
        self.free += count;
        self.taken.set(now, f64::from(self.all - self.free));
    }
}

/// A level of nothing at time 0.
pub fn level(warm_up: Time) -> sojourn_metrics::level::TimeWeighted {
    let mut level = sojourn_metrics::level::TimeWeighted::new(Time::ZERO, 0.0);
    level.start_mean_at(warm_up);
    level
}
