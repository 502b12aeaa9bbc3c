//! Gauges: the quantities of a site that a rare event can name.

use sojourn_core::Time;
use sojourn_engine::splitting::Copied;

use super::event::{Event, Events};
use super::world::Simulation;
use sojourn_model::rare::{Gauge, Gauged, Watched};

/// Frames in flight.
const FRAMES: u32 = 0;

/// By number.
pub const GAUGES: [Gauge; 2] = [
    Gauge {
        name: "frames",
        of: None,
        unit: "frames",
        lasts: false,
        definition: "Frames queued at MACs, on rings, in adapters and processors; without those of generators.",
    },
    Gauge {
        name: "failures",
        of: None,
        unit: "exchanges",
        lasts: true,
        definition: "Probed exchanges without a response.",
    },
];

/// Exchanges fail where many frames wait.
pub fn importance(_: Watched) -> Watched {
    Watched::of_all(FRAMES)
}

impl Copied for Simulation<'_, '_> {
    /// A run ends by its samples: all are kept.
    fn drop_samples(&mut self) {}

    fn redraw(&mut self, now: Time, events: &mut Events) {
        events.reschedule(|due, event| match *event {
            Event::Arrival(stream) => self.users.redraw(now, due, stream),
            Event::Load(load) => self.rings.redraw_load(now, due, load),
            Event::LoseToken(ring) => self.rings.redraw_token_loss(now, due, ring),
            _ => due,
        });
    }
}

impl Gauged for Simulation<'_, '_> {
    fn gauge(&mut self, _now: Time, watched: Watched) -> u64 {
        if watched.gauge == FRAMES { self.frames_in_flight() } else { self.failures() }
    }
}
