//! A FIFO of the ring memory controller, in bursts of 32 bytes.

use std::collections::VecDeque;

use sojourn_core::Time;
use sojourn_metrics::level::TimeWeighted;

use super::meter::level;

/// Bursts whose passage over the ring memory controller's bus is known when they enter: the instants at which they are
/// through.
#[derive(Clone, Debug)]
pub struct Fifo {
    through: VecDeque<Time>,
    depth: usize,
    /// Bursts in it, over time.
    pub level: TimeWeighted,
}

impl Fifo {
    /// An empty FIFO of so many bursts.
    pub fn new(depth: usize, warm_up: Time) -> Self {
        Fifo { through: VecDeque::with_capacity(depth), depth, level: level(warm_up) }
    }

    /// Whether another burst fits. Bursts must have left by [`Fifo::drain`] or [`Fifo::pop`] before.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.through.len() < self.depth
    }

    /// Lets go of what is through at `now`: towards packet memory.
    #[inline]
    pub fn drain(&mut self, now: Time) {
        while let Some(&through) = self.through.front().filter(|&&through| through <= now) {
            self.through.pop_front();
            self.level.set(through, self.through.len() as f64);
        }
    }

    /// A burst enters that is through its bus at `through`.
    #[inline]
    pub fn push(&mut self, now: Time, through: Time) {
        self.through.push_back(through);
        self.level.set(now, self.through.len() as f64);
    }

    /// When the oldest burst is through, if there is one.
    #[inline]
    pub fn oldest(&self) -> Option<Time> {
        self.through.front().copied()
    }

    /// The ring takes the oldest burst.
    #[inline]
    pub fn pop(&mut self, now: Time) {
        self.through.pop_front();
        self.level.set(now, self.through.len() as f64);
    }
}
