//! Rare events: what they can be about, and copies of a running world.
//!
//! [`Recursion`](super::recursion::Recursion) fixes a customer's departure when it arrives. Copies of a full queue would share the
//! services of all who wait, and with them most of what happens next; so the stations have an event for each departure. A copy
//! moreover draws again what has no memory: the rest of exponential services, gaps and think times. Given all that has happened so
//! far, the rest is distributed as the whole, so that the distribution of paths is unchanged.

use sojourn_core::{Duration, Streams, Time, rekey_fields};
use sojourn_engine::Queue;
use sojourn_engine::splitting::Copied;

use super::event::Event;
use super::levels::Window;
use super::observer::Observer;
use super::plan::Effect;
use super::scenario::{Settings, Source};
use super::station::Station;
use super::world::Customers;
use sojourn_model::Replication;
use sojourn_model::rare::{Gauge, Gauged, MICROSECONDS, Watched};
use sojourn_model::timed::Step;

/// What a rare event can be about, by number.
pub(super) const GAUGES: [Gauge; 3] = [
    Gauge {
        name: "queue_length",
        of: Some("station"),
        unit: "customers",
        lasts: false,
        definition: "Customers at a station, those served included; without a station, at the one with the most.",
    },
    Gauge {
        name: "failures",
        of: None,
        unit: "customers",
        lasts: true,
        definition: "Customers of the probes that found no room since the warm-up.",
    },
    Gauge {
        name: "response_time",
        of: None,
        unit: MICROSECONDS,
        lasts: true,
        definition: "The longest response time of the probes since the warm-up.",
    },
];

/// What a path is observed by, beside the queues.
#[derive(Clone)]
pub(super) struct Gauges<'a> {
    settings: &'a Settings,
    pub window: Window,
    /// Customers of the probes that found no room inside the window.
    pub lost: u64,
    /// The longest response time of the probes inside the window.
    pub longest: Duration,
}

impl Gauges<'_> {
    #[inline]
    fn counts(&self, at: Time, flow: u32) -> bool {
        self.window.holds(at) && self.settings.flows[flow as usize].probe
    }
}

impl Observer for Gauges<'_> {
    const SEES_TRANSFERS: bool = true;

    fn offer(&mut self, _now: Time, _flow: u32) {}

    #[inline]
    fn complete(&mut self, departure: Time, flow: u32, entered: Time, _served: Duration) {
        if self.counts(departure, flow) {
            self.longest = self.longest.max(departure.since(entered));
        }
    }

    #[inline]
    fn lose(&mut self, now: Time, flow: u32, _entered: Time) {
        self.lost += u64::from(self.counts(now, flow));
    }

    /// There are none.
    fn take(&mut self, _now: Time, _step: Step) -> (Option<(Time, Step)>, Vec<Effect>) {
        (None, Vec::new())
    }
}

/// A world that can be copied.
pub(super) type Path<'a> = Customers<'a, Gauges<'a>, false>;

impl<'a> Path<'a> {
    /// Empty stations.
    pub fn of(settings: &'a Settings, replication: &Replication<'_>) -> Self {
        let window = Window::of(replication);
        let gauges = Gauges { settings, window, lost: 0, longest: Duration::ZERO };
        let streams = Streams::new(replication.seed, replication.index);
        let mut path = Customers::without_stations(settings, &streams, gauges);
        let stations = settings.stations.iter();
        path.stations.extend(stations.map(|station| Station::new(station, station.stream(&streams), None)));
        path
    }
}

impl Copied for Path<'_> {
    /// There are none.
    fn drop_samples(&mut self) {}

    fn redraw(&mut self, now: Time, queue: &mut Queue<Event>) {
        let Customers { settings, stations, sources, customers, .. } = self;
        queue.reschedule(|due, event| match *event {
            Event::Departure { customer } => {
                let (customer, station) = (&customers[customer], customers[customer].station(settings));
                let Station { service, stream, servers, .. } = &mut stations[station];
                let redrawn = service.redraw(now, due, stream);
                servers[customer.server as usize].due = redrawn;
                redrawn
            }
            Event::Arrival { flow } => sources[flow as usize].redraw(now, due),
            Event::Visit { customer } => {
                let flow = customers[customer].flow as usize;
                match &settings.flows[flow].source {
                    Source::Closed { think, .. } => think.redraw(now, due, &mut sources[flow].stream),
                    Source::Open { .. } => due,
                }
            }
            Event::Step(_) => due,
        });
    }
}

impl Gauged for Path<'_> {
    fn gauge(&mut self, _now: Time, watched: Watched) -> u64 {
        match (watched.gauge, watched.member) {
            (0, Watched::ALL) => self.stations.iter().map(Station::present).max().unwrap_or(0),
            (0, station) => self.stations[station as usize].present(),
            (1, _) => self.observer.lost,
            _ => self.observer.longest.picoseconds() / 1_000_000,
        }
    }
}

rekey_fields!(Path<'_> { stations, sources });

#[cfg(test)]
mod tests;
