//! Gauges: the quantities of a site that a rare event can name.

use sojourn_core::Time;
use sojourn_engine::splitting::Copied;

use super::event::{Event, Events};
use super::world::Simulation;
use sojourn_model::rare::{Gauge, Gauged, MICROSECONDS, Watched};

/// Messages that wait.
const WAITING: u32 = 0;
/// Failed round trips.
const FAILURES: u32 = 1;

/// By number.
pub const GAUGES: [Gauge; 3] = [
    Gauge {
        name: "waiting",
        of: None,
        unit: "messages",
        lasts: false,
        definition: "Messages of all flows that are queued: not yet transmitted (UI frames), or not acknowledged (I frames).",
    },
    Gauge {
        name: "failures",
        of: None,
        unit: "round trips",
        lasts: true,
        definition: "Round trips of the probe that failed.",
    },
    Gauge {
        name: "response_time",
        of: None,
        unit: MICROSECONDS,
        lasts: true,
        definition: "The longest round trip of the probe.",
    },
];

/// Round trips are long where background traffic fills the channel.
pub fn importance(_: Watched) -> Watched {
    Watched::of_all(WAITING)
}

impl Copied for Simulation<'_, '_> {
    /// A run ends by its samples: all are kept.
    fn drop_samples(&mut self) {}

    fn redraw(&mut self, now: Time, events: &mut Events) {
        let Simulation { site, sources, sessions, .. } = self;
        events.reschedule(|due, event| match *event {
            Event::Arrival(source) => sources[source as usize].redraw(now, due),
            Event::SessionArrival(number) => sessions.redraw_arrival(now, due, number),
            Event::Session(number) => sessions.redraw_think_time(now, due, number, site),
            _ => due,
        });
    }
}

impl Gauged for Simulation<'_, '_> {
    fn gauge(&mut self, _now: Time, watched: Watched) -> u64 {
        match watched.gauge {
            WAITING => self.sources.iter().map(|source| u64::from(source.waiting)).sum(),
            FAILURES => self.round_trips.failures,
            _ => self.round_trips.responses.max().map_or(0, |longest| longest.picoseconds() / 1_000_000),
        }
    }
}
