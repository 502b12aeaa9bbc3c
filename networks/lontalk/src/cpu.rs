//! A processor as a FIFO server.

use sojourn_core::{Duration, Time};

/// A processor that serves one job at a time, FIFO, as one number: when it is free (Lindley's recursion).
///
/// It has 8 bytes in place of the 136 of [`common::cpu::Cpu`](sojourn_model::cpu::Cpu), which holds its queue: the processors
/// of a domain of 32 385 nodes would not fit the CPU cache.
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
