//! Gauges: the quantities of a site that a rare event can name, computed on demand from existing state.

use sojourn_core::Time;
use sojourn_model::rare::{Gauge, Gauged, MICROSECONDS, Watched};

use super::metrics::FlowMetrics;
use super::site::Site;
use super::world::Simulation;

/// Requests that wait.
const QUEUE: u32 = 0;
/// Failed requests in a row.
const STREAK: u32 = 1;
/// The age of the oldest value.
const AGE: u32 = 2;
/// Failed requests.
const FAILURES: u32 = 3;
/// The longest response time.
const RESPONSE_TIME: u32 = 4;

/// By number.
pub const GAUGES: [Gauge; 5] = [
    Gauge {
        name: "request_queue",
        of: Some("station"),
        unit: "requests",
        lasts: false,
        definition: "Requests in a client or gateway, those that it has sent included; without a station, of all.",
    },
    Gauge {
        name: "failed_in_a_row",
        of: Some("flow"),
        unit: "requests",
        lasts: false,
        definition: "The last requests of a flow, as long as all of them failed; without a flow, the most of all.",
    },
    Gauge {
        name: "age",
        of: Some("flow"),
        unit: MICROSECONDS,
        lasts: false,
        definition: "The age of the oldest value that a flow's clients have; without a flow, of all.",
    },
    Gauge {
        name: "failures",
        of: None,
        unit: "requests",
        lasts: true,
        definition: "Requests of the probes without a response, since the warm-up.",
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
        Some("station") => site.stations.iter().map(|station| station.name.clone()).collect(),
        Some(_) => site.flows.iter().map(|flow| flow.name.clone()).collect(),
        None => Vec::new(),
    }
}

/// What leads to a condition: a value gets old, and a request fails, after tries that failed; others wait meanwhile.
pub fn importance(condition: Watched) -> Watched {
    match condition.gauge {
        FAILURES => Watched::of_all(STREAK),
        RESPONSE_TIME => Watched::of_all(QUEUE),
        _ => condition,
    }
}

impl Gauged for Simulation<'_, '_> {
    fn gauge(&mut self, now: Time, watched: Watched) -> u64 {
        let Watched { gauge, member } = watched;
        match gauge {
            QUEUE => self.queued(member),
            STREAK => self.flows(member).map(|flow| flow.streak).max().unwrap_or(0),
            AGE => self.oldest(now, member),
            FAILURES => self.flows(Watched::ALL).filter(|flow| flow.probe).map(|flow| flow.failures).sum(),
            _ => {
                let longest = self.flows(Watched::ALL).filter_map(|flow| flow.response.max()).max();
                longest.map_or(0, |longest| longest.picoseconds() / 1_000_000)
            }
        }
    }
}

impl Simulation<'_, '_> {
    fn flows(&self, member: u32) -> impl Iterator<Item = &FlowMetrics> {
        let flows = (0..).zip(&self.metrics.flows);
        flows.filter(move |(number, _)| member == Watched::ALL || *number == member).map(|(_, flow)| flow)
    }

    fn queued(&self, station: u32) -> u64 {
        let connections = self.connections.iter().zip(&self.site.connections);
        let here = connections.filter(|(_, settings)| station == Watched::ALL || settings.station == station as usize);
        here.map(|(connection, _)| (connection.client.queued() + connection.client.open()) as u64).sum()
    }

    fn oldest(&self, now: Time, flow: u32) -> u64 {
        let sources = self.sources.iter().zip(&self.site.sources);
        let of_flow = sources.filter(|(_, settings)| flow == Watched::ALL || settings.flow == flow as usize);
        let read = of_flow.flat_map(|(source, _)| &source.read).filter(|read| **read != Time::NEVER);
        read.map(|read| now.since(*read).picoseconds() / 1_000_000).max().unwrap_or(0)
    }
}
