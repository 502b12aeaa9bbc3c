//! Gauges: the quantities of an adapter that a rare event can name.

use sojourn_core::Time;
use sojourn_engine::splitting::Copied;

use super::world::Adapter;
use sojourn_model::rare::{Gauge, Gauged, Watched};

/// Received frames inside.
const RECEIVED: u32 = 0;

/// By number.
pub const GAUGES: [Gauge; 2] = [
    Gauge {
        name: "received_frames",
        of: None,
        unit: "frames",
        lasts: false,
        definition: "Frames from the ring that have come in, in part or whole, and are neither delivered nor dropped.",
    },
    Gauge {
        name: "drops",
        of: None,
        unit: "frames",
        lasts: true,
        definition: "Frames dropped anywhere in the adapter since the warm-up.",
    },
];

/// Frames are dropped where many are inside.
pub fn importance(_: Watched) -> Watched {
    Watched::of_all(RECEIVED)
}

impl Copied for Adapter<'_> {
    fn drop_samples(&mut self) {
        self.metrics().drop_samples();
    }
}

impl Gauged for Adapter<'_> {
    fn gauge(&mut self, _now: Time, watched: Watched) -> u64 {
        if watched.gauge == RECEIVED { self.received_frames() } else { self.metrics().dropped() }
    }
}
