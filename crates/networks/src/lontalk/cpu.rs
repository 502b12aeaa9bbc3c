//! A processor as a FIFO server.

use sojourn_core::{Duration, Time};

/// A processor that serves one job at a time, FIFO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cpu {
    /// End of all jobs submitted.
    pub free: Time,
}

impl Cpu {
    /// Submits a job of `cost` at `now`; returns its start and end.
    #[inline]
    pub fn serve(&mut self, now: Time, cost: Duration) -> (Time, Time) {
        let start = self.free.max(now);
        self.free = start + cost;
        (start, self.free)
    }
}
