//! Contenders that wait since the beginning of the random slots, as nearly all do.

use sojourn_core::{Duration, Time};

use super::cohort::Cohort;
use super::port::Port;
use crate::lontalk::backlog::Estimate;

/// Contenders by place: their backlogs, slots and idle timers.
#[derive(Debug, Default)]
pub struct Punctual {
    pub stations: Cohort,
    /// The slot that each has drawn.
    slots: Vec<u32>,
    /// How far their idle timers had run.
    idle_elapsed: Vec<Duration>,
}

/// What is known of one of them.
#[derive(Clone, Copy, Debug)]
pub struct Contender {
    pub slot: u32,
    pub backlog: u8,
    pub idle_elapsed: Duration,
}

impl Contender {
    pub fn new(&Estimate { backlog, idle_elapsed, .. }: &Estimate, slot: u32) -> Self {
        Contender { slot, backlog, idle_elapsed }
    }

    /// Its estimate, when the random slots began at `since`.
    pub fn estimate(&self, since: Time) -> Estimate {
        Estimate { backlog: self.backlog, idle_elapsed: self.idle_elapsed, since }
    }
}

impl Punctual {
    /// One more.
    pub fn push(&mut self, port: u32, contender: Contender) {
        self.stations.push(port, contender.backlog);
        self.slots.push(contender.slot);
        self.idle_elapsed.push(contender.idle_elapsed);
    }

    /// Takes out who is at `place`, whose place the last takes.
    pub fn swap_remove(&mut self, place: usize) -> Contender {
        let (_, backlog) = self.stations.swap_remove(place);
        Contender { slot: self.slots.swap_remove(place), backlog, idle_elapsed: self.idle_elapsed.swap_remove(place) }
    }

    /// All draw one of the slots in a window of their backlogs times `base_window`; returns the first drawn.
    #[inline(never)]
    pub fn draw(&mut self, base_window: u32, ports: &mut [Port]) -> Option<u32> {
        let mut first = u32::MAX;
        for ((port, backlog), slot) in self.stations.iter().zip(&mut self.slots) {
            *slot = ports[port as usize].stream.below(u32::from(backlog) * base_window);
            first = first.min(*slot);
        }
        (!self.slots.is_empty()).then_some(first)
    }

    /// The first slot that anyone has drawn.
    pub fn first(&self) -> Option<u32> {
        self.slots.iter().copied().min()
    }

    /// Hands over the ports of those with slots before `end`, and those slots.
    pub fn before(&self, end: u32, mut each: impl FnMut(u32, u32)) {
        for (place, &slot) in self.slots.iter().enumerate() {
            if slot < end {
                each(self.stations.ports()[place], slot);
            }
        }
    }

    /// Their idle timers begin anew.
    pub fn restart_idle_timers(&mut self) {
        self.idle_elapsed.fill(Duration::ZERO);
    }
}
