//! Gauges: the quantities of a site that a rare event can name.

use sojourn_core::Time;
use sojourn_engine::splitting::Copied;
use sojourn_metrics::distribution::Distribution;
use sojourn_model::rare::{Gauge, Gauged, MICROSECONDS, Watched};

use super::event::{Event, Events};
use super::metrics::FlowMetrics;
use super::site::Site;
use super::world::Simulation;

/// Requests of clients.
const BACKLOG: u32 = 0;
/// Frames that wait for the token.
const OUTPUT_QUEUE: u32 = 1;
/// Lost messages of probes.
const FAILURES: u32 = 2;
/// Response times of probes.
const RESPONSE_TIME: u32 = 3;

/// By number.
pub const GAUGES: [Gauge; 4] = [
    Gauge {
        name: "backlog",
        of: Some("station"),
        unit: "requests",
        lasts: false,
        definition: "Requests and notifications that a station has offered and that are not complete; without a station, of all.",
    },
    Gauge {
        name: "output_queue",
        of: Some("station"),
        unit: "frames",
        lasts: false,
        definition: "Frames of a station that wait for the token; without a station, the most of any.",
    },
    Gauge {
        name: "failures",
        of: None,
        unit: "messages",
        lasts: true,
        definition: "Messages of the probes that were lost since the warm-up.",
    },
    Gauge {
        name: "response_time",
        of: None,
        unit: MICROSECONDS,
        lasts: true,
        definition: "The longest response time of the probes since the warm-up.",
    },
];

/// Names of what a gauge has values for.
pub fn members(site: &Site, gauge: u32) -> Vec<String> {
    match GAUGES[gauge as usize].of {
        Some(_) => site.stations.iter().map(|station| station.name.clone()).collect(),
        None => Vec::new(),
    }
}

/// What leads to a condition: requests that have no reply yet.
pub fn importance(condition: Watched) -> Watched {
    match condition.gauge {
        FAILURES | RESPONSE_TIME => Watched::of_all(BACKLOG),
        _ => condition,
    }
}

impl Gauged for Simulation<'_, '_> {
    fn gauge(&mut self, _now: Time, watched: Watched) -> u64 {
        match (watched.gauge, watched.member) {
            (BACKLOG, Watched::ALL) => self.in_flight(),
            (BACKLOG, station) => {
                let of_station = self.sources.iter().filter(|source| source.station == station);
                of_station.map(|source| u64::from(source.open) + source.waiting.len() as u64).sum()
            }
            (OUTPUT_QUEUE, Watched::ALL) => self.queues(0..self.ports.len() as u32),
            (OUTPUT_QUEUE, station) => self.queues(self.site.stations[station as usize].ports.clone()),
            (FAILURES, _) => self.metrics.flows.iter().filter(|flow| flow.probe).map(|flow| flow.failures).sum(),
            _ => self.metrics.longest.picoseconds() / 1_000_000,
        }
    }
}

impl Simulation<'_, '_> {
    /// The longest queue of some ports.
    fn queues(&self, ports: std::ops::Range<u32>) -> u64 {
        let queued = |port: u32| self.ports[port as usize].node.as_ref().map_or(0, super::node::Node::queued);
        ports.map(queued).max().unwrap_or(0) as u64
    }
}

impl Copied for Simulation<'_, '_> {
    /// Each node, each station and each source is copied.
    fn cost_of_copy(&self) -> u64 {
        2 * self.ports.len() as u64
    }

    fn drop_samples(&mut self) {
        let forget = |flow: &mut FlowMetrics| {
            (flow.response, flow.rounds) = (Distribution::new(), Distribution::new());
            flow.trace.clear();
        };
        self.metrics.flows.iter_mut().for_each(forget);
        self.trunks.iter_mut().flatten().for_each(|trunk| trunk.tally.rotation = Distribution::new());
    }

    fn redraw(&mut self, now: Time, events: &mut Events) {
        let sources = &mut self.sources;
        events.reschedule(|due, event| match *event {
            Event::Fire(source) => sources[source as usize].redraw(now, due),
            _ => due,
        });
    }
}
