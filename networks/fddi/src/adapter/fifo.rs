//! A FIFO of the ring memory controller, in bursts of 32 bytes.

use std::collections::VecDeque;

use sojourn_core::Time;
use sojourn_metrics::level::TimeWeighted;

use super::meter::level;

/// Bytes of a burst, and of a hexaword.
pub const BURST: u32 = 32;

/// Bursts whose passage over the ring memory controller's bus is known when they enter: the instants at which they are
/// through.
#[derive(Clone, Debug)]
pub struct Fifo {
    leaves: VecDeque<Time>,
    depth: usize,
    /// Bursts in it, over time.
    pub level: TimeWeighted,
}

impl Fifo {
    /// An empty FIFO of this many bursts.
    pub fn new(depth: usize, warm_up: Time) -> Self {
        Fifo { leaves: VecDeque::with_capacity(depth), depth, level: level(warm_up) }
    }

    /// Whether another burst fits. Bursts must have left by [`Fifo::drain`] or [`Fifo::pop`] before.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.leaves.len() < self.depth
    }

    /// Removes bursts that have left by `now`, towards packet memory.
    #[inline]
    pub fn drain(&mut self, now: Time) {
        while let Some(&leaves) = self.leaves.front().filter(|&&leaves| leaves <= now) {
            self.leaves.pop_front();
            self.level.set(leaves, self.leaves.len() as f64);
        }
    }

    /// A burst enters that is leaves its bus at `leaves`.
    #[inline]
    pub fn push(&mut self, now: Time, leaves: Time) {
        self.leaves.push_back(leaves);
        self.level.set(now, self.leaves.len() as f64);
    }

    /// All bursts are lost; those that have left by `now` have left.
    pub fn clear(&mut self, now: Time) {
        self.drain(now);
        self.leaves.clear();
        self.level.set(now, 0.0);
    }

    /// When the oldest burst leaves, if there is one.
    #[inline]
    pub fn oldest(&self) -> Option<Time> {
        self.leaves.front().copied()
    }

    /// The ring takes the oldest burst.
    #[inline]
    pub fn pop(&mut self, now: Time) {
        self.leaves.pop_front();
        self.level.set(now, self.leaves.len() as f64);
    }
}
