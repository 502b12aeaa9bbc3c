//! State that the stages of the adapter share.

use sojourn_core::{Time, rekey_fields};
use sojourn_engine::Server;

use super::event::{Event, Events};
use super::interface::Work;
use super::metrics::Metrics;
use super::ring::Ring;
use super::settings::{Settings, StageSelection};
use super::xmi::Xmi;

/// The parts that stages of both directions use.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The bus, its memory and its other nodes.
    pub xmi: Xmi,
    /// The token ring, or the black box at the fibre.
    pub ring: Ring,
    /// The ring memory controller's bus to packet memory.
    pub ring_memory: Server,
    /// The host interface's port to packet memory.
    pub staging_port: Server,
    /// Counts and samples of the replication.
    pub metrics: Metrics,
}

/// What a stage works with at one instant, beside its own state. It has few fields, since each event makes one.
pub struct Context<'w, 'a> {
    /// Virtual time.
    pub now: Time,
    /// What the scenario describes.
    pub settings: &'a Settings,
    /// The parts that stages of both directions use.
    pub shared: &'w mut Shared,
    /// Pending events.
    pub events: &'w mut Events,
}

impl Context<'_, '_> {
    /// Whether frames pass these stages.
    #[inline]
    pub fn passes(&self, stages: StageSelection) -> bool {
        self.settings.traffic.stages == stages
    }

    /// A transaction of the adapter asks for the bus.
    #[inline]
    pub fn want(&mut self, work: Work) {
        self.shared.xmi.want(self.now, work, self.events);
    }

    /// Hands a frame to a station of the token ring at `at`, which may lie ahead.
    pub fn offer(&mut self, at: Time, mac: u32, size: u32) {
        self.shared.ring.offer(at, mac, size);
        self.schedule_ring();
    }

    /// Schedules the token ring's next event, if there is a token ring.
    #[inline]
    pub fn schedule_ring(&mut self) {
        if let Some(at) = self.shared.ring.schedule() {
            self.events.at(at, Event::Ring);
        }
    }
}

rekey_fields!(Shared { xmi });
