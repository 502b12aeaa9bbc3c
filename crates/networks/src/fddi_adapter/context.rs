//! What the stages of the adapter share.

use sojourn_core::Time;
use sojourn_engine::Server;

use super::event::{Event, Events};
use super::metrics::Metrics;
use super::ring::Ring;
use super::settings::{Settings, StageSelection};
use super::xmi::Xmi;

/// The parts that stages of both directions work with, at one instant.
pub struct Context<'w, 'a> {
    /// Virtual time.
    pub now: Time,
    /// What the scenario describes.
    pub settings: &'a Settings,
    /// The bus, its memory and its other nodes.
    pub xmi: &'w mut Xmi,
    /// The ring.
    pub ring: &'w mut Ring,
    /// The ring memory controller's bus to packet memory.
    pub ring_memory: &'w mut Server,
    /// The host interface's port to packet memory.
    pub staging_port: &'w mut Server,
    /// What is observed.
    pub metrics: &'w mut Metrics,
    /// Pending events.
    pub events: &'w mut Events,
}

impl Context<'_, '_> {
    /// Whether frames pass these stages.
    #[inline]
    pub fn passes(&self, stages: StageSelection) -> bool {
        self.settings.traffic.stages == stages
    }

    /// Hands a frame to a station of the token ring at `at`, which may lie ahead.
    pub fn offer(&mut self, at: Time, mac: u32, size: u32) {
        self.ring.offer(at, mac, size);
        self.schedule_ring();
    }

    /// Schedules the token ring's next event, if there is a token ring.
    #[inline]
    pub fn schedule_ring(&mut self) {
        if let Some(at) = self.ring.schedule() {
            self.events.at(at, Event::Ring);
        }
    }
}
