//! The instants at which all groups wait for each other, and what is done then.

use std::sync::atomic::Ordering;

use super::partition::CORE;
use super::threads::{Abandoned, Exchange, locked};
use crate::world::Simulation;

/// Long waits between two barriers that do not matter, and how many steps one more takes. A thread that waits so long waits for another
/// that has no processor: beside another process once in two to three thousand steps, on idle processors once in ten thousand or less.
const FEWEST_LONG_WAITS: u64 = 1;
const STEPS_PER_LONG_WAIT: u64 = 8000;

/// Stretches between barriers with more of them, in a row, after which one thread goes on: other work that soon ends does not count.
pub(super) const CROWDED_STRETCHES: usize = 10;

impl Exchange {
    /// All groups come to one instant: performs what happened to the messages of each, and records the samples of all, in the
    /// order of time, in the core.
    /// Returns whether one thread is to go on with all groups.
    pub fn settle(&self, simulation: &mut Simulation<'_, '_>) -> Result<bool, Abandoned> {
        for part in [Self::hand_in, Self::perform, Self::record] {
            part(self, simulation);
            self.barrier()?;
        }
        Ok(self.crowded.load(Ordering::Relaxed) >= CROWDED_STRETCHES)
    }

    /// Gives the other groups what happened to their messages.
    pub fn hand_in(&self, simulation: &mut Simulation<'_, '_>) {
        let Some(border) = &mut simulation.in_flight.border else { return };
        for (operations, new) in self.operations.iter().zip(&mut border.operations) {
            locked(operations).append(new);
        }
    }

    /// Performs what happened to the messages of a group, once all have handed that in.
    pub fn perform(&self, simulation: &mut Simulation<'_, '_>) {
        let Some(group) = simulation.in_flight.border.as_ref().map(|border| border.group) else { return };
        let operations = std::mem::take(&mut *locked(&self.operations[usize::from(group)]));
        if simulation.perform(operations, group) {
            self.abandon();
        }
        if let Some(log) = &mut simulation.metrics.log {
            locked(&self.samples).append(log);
        }
    }

    /// Records the samples of all groups in the core, once all have performed that.
    pub fn record(&self, simulation: &mut Simulation<'_, '_>) {
        let is_core = simulation.in_flight.border.as_ref().is_some_and(|border| border.group == CORE);
        if is_core && simulation.metrics.record_in_order(&mut locked(&self.samples)) {
            self.abandon();
        }
        // decided where no thread can look: between two barriers
        if is_core {
            let [long_waits, steps] = [&self.long_waits, &self.steps].map(|count| count.swap(0, Ordering::Relaxed));
            let is_crowded = long_waits > FEWEST_LONG_WAITS + steps / STEPS_PER_LONG_WAIT;
            let stretches = if is_crowded { self.crowded.load(Ordering::Relaxed) + 1 } else { 0 };
            self.crowded.store(stretches, Ordering::Relaxed);
        }
    }

    /// Waits until all threads have come here.
    fn barrier(&self) -> Result<(), Abandoned> {
        let passed = self.passed.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.partition.groups() {
            self.arrived.store(0, Ordering::Relaxed);
            self.passed.store(passed + 1, Ordering::Release);
            return Ok(());
        }
        let mut turns = 0;
        while self.passed.load(Ordering::Acquire) == passed {
            self.wait(&mut turns)?;
        }
        Ok(())
    }
}
