//! What a browser has in place of `parallel`: one thread.

use sojourn_core::{Duration, Time};

use super::event::Events;
use super::in_flight::InFlight;
use super::metrics::{Metrics, SampleKind};
use super::world::Simulation;

/// The state of a group of media; there are no groups.
#[derive(Clone, Debug)]
pub enum Border {}

impl InFlight {
    #[inline]
    pub(super) fn began(&mut self, _: Time, _: Time, _: usize) {}

    #[inline]
    pub(super) fn is_copy_of_another(&mut self, _: u32) -> bool {
        false
    }

    #[inline]
    pub(super) fn handled_shared(&mut self, _: Time, _: u32, _: u32) {}

    #[inline]
    pub(super) fn failed_shared(&mut self, _: Time, _: u32) {}
}

impl Simulation<'_, '_> {
    #[inline]
    pub(super) fn will_forward(&mut self, _: Time, _: Time, _: u32) {}

    #[inline]
    pub(super) fn forwards_now(&mut self, _: Time, _: u32) -> bool {
        false
    }

    #[inline]
    pub(super) fn enqueue(&mut self, now: Time, frame: u32, _: bool, events: &mut Events) {
        self.access.enqueue(now, frame, &self.in_flight, events);
    }
}

impl Metrics<'_> {
    #[inline]
    pub(super) fn keeps(&mut self, _: Time, _: u16, _: SampleKind, _: Duration) -> bool {
        false
    }
}
