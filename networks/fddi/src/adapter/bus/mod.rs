//! The XMI bus, cycle-accurate: requests, grants and transfers.
//!
//! A cycle takes 64 ns. A node that requests at a cycle's first edge, or before, takes part in that cycle's arbitration and, if
//! granted, drives from the next cycle on. A transfer of several cycles holds the bus (HOLD): the next arbitration is in
//! its last cycle. Idle cycles cost no event: the world calls [`Bus::schedule`] after every change, and gets the instant
//! at which [`Bus::arbitrate`] is due.

mod arbiter;
mod interference;
mod memory;
mod others;

use std::sync::Arc;

use sojourn_core::{Duration, Time};
use sojourn_metrics::timeline::{LevelWindows, Timeline};

use arbiter::Arbiter;

pub use arbiter::Granted;
pub use interference::{Interference, InterferenceSettings};
pub use memory::Memory;
pub use others::{Operation, Others};

/// A bus cycle (VAX 6000 Platform Technical User's Guide).
pub const CYCLE: Duration = Duration::from_nanos(64);
/// Cycles of a hexaword's return: four quadwords.
pub const ANSWER_CYCLES: u64 = 4;

/// The cycle that begins at `now`, or the next one.
#[inline]
pub fn cycle_from(now: Time) -> u64 {
    now.picoseconds().div_ceil(CYCLE.picoseconds())
}

/// The first edge of a cycle.
#[inline]
pub fn edge(cycle: u64) -> Time {
    Time::from_picoseconds(cycle * CYCLE.picoseconds())
}

/// Duration of `count` bus cycles.
pub const fn cycles(count: u64) -> Duration {
    CYCLE.times(count)
}

/// Arbitration and occupation of the bus.
#[derive(Clone, Debug)]
pub struct Bus {
    arbiter: Arbiter,
    /// The first free cycle.
    free_from: u64,
    /// The cycle of the next arbitration, if one is scheduled.
    due: Option<u64>,
    /// Cycles observed: from the first to the second.
    window: [u64; 2],
    busy: u64,
    /// The share of cycles in which a node drives the bus, over time, where the scenario has events.
    over_time: Option<Box<LevelWindows>>,
}

impl Bus {
    /// An idle bus whose utilisation counts between two instants.
    pub fn new(from: Time, to: Time) -> Self {
        let window = [cycle_from(from), cycle_from(to)];
        Bus { arbiter: Arbiter::default(), free_from: 0, due: None, window, busy: 0, over_time: None }
    }

    /// A commander has a transaction to do, or has none any more.
    #[inline]
    pub fn command(&mut self, line: u32, wanted: bool) {
        self.arbiter.commanders.set(line, wanted);
    }

    /// A memory bank has data to return.
    #[inline]
    pub fn respond(&mut self, bank: u32) {
        self.arbiter.responders.set(bank, true);
    }

    /// Whether commanders must wait for memory.
    #[inline]
    pub fn suppress(&mut self, suppressed: bool) {
        self.arbiter.suppressed = suppressed;
    }

    /// The instant of the arbitration that requests of now call for, unless one is scheduled or no node requests.
    #[inline]
    pub fn schedule(&mut self, now: Time) -> Option<Time> {
        if self.due.is_some() || !self.arbiter.is_asked() {
            return None;
        }
        let cycle = cycle_from(now).max(self.free_from.saturating_sub(1));
        self.due = Some(cycle);
        Some(edge(cycle))
    }

    /// The arbitration due `now`: the line that is granted. Its request is cleared; a node with another one requests again.
    #[inline]
    pub fn arbitrate(&mut self, now: Time) -> Option<Granted> {
        debug_assert_eq!(self.due.map(edge), Some(now));
        self.due = None;
        self.arbiter.grant()
    }

    /// The node granted at `now` drives `cycles` cycles from the next on; returns the first cycle after them.
    #[inline]
    pub fn drive(&mut self, now: Time, cycles: u64) -> u64 {
        let begin = cycle_from(now) + 1;
        debug_assert!(begin >= self.free_from, "one drives at a time");
        self.free_from = begin + cycles;
        let [from, to] = self.window;
        self.busy += self.free_from.min(to).saturating_sub(begin.max(from));
        if let Some(over_time) = &mut self.over_time {
            over_time.set(edge(begin), 1.0);
            over_time.set(edge(self.free_from), 0.0);
        }
        self.free_from
    }

    /// The utilisation is observed in windows with these edges as well.
    pub fn observe_over_time(&mut self, edges: Arc<[Time]>) {
        self.over_time = Some(Box::new(LevelWindows::new(edges)));
    }

    /// The utilisation in each window up to `end`, where it was observed.
    pub fn over_time(&mut self, end: Time) -> Option<Timeline> {
        self.over_time.take().map(|windows| windows.finish(end))
    }

    /// Share of the observed cycles in which a node drove the bus.
    pub fn utilisation(&self) -> f64 {
        self.busy as f64 / (self.window[1] - self.window[0]).max(1) as f64
    }
}

#[cfg(test)]
mod tests;
