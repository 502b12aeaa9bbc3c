//! Gauges: the quantities of a site that a rare event can name, computed on demand.

use sojourn_core::Time;
use sojourn_model::rare::{Gauge, Gauged, MICROSECONDS, Watched};

use crate::metrics::FlowMetrics;
use crate::site::Site;
use crate::world::Simulation;

/// Waiting frames.
const QUEUE: u32 = 0;
/// Failures of probes.
const FAILURES: u32 = 1;
/// Longest response time.
const RESPONSE_TIME: u32 = 2;
/// Late messages.
const LATE: u32 = 3;
/// Transmit error counters.
const ERRORS: u32 = 4;

/// By number.
pub const GAUGES: [Gauge; 5] = [
    Gauge {
        name: "queue_length",
        of: Some("medium"),
        unit: "frames",
        lasts: false,
        definition: "Frames that wait in the transmit queues of a bus; without a bus, the most of any.",
    },
    Gauge {
        name: "failures",
        of: None,
        unit: "messages",
        lasts: true,
        definition: "Messages of the probes that no receiver handled, since the warm-up.",
    },
    Gauge {
        name: "response_time",
        of: None,
        unit: MICROSECONDS,
        lasts: true,
        definition: "The longest response time of the probes since the warm-up.",
    },
    Gauge {
        name: "deadline_misses",
        of: None,
        unit: "messages",
        lasts: true,
        definition: "Messages that were handled after their deadline, since the warm-up.",
    },
    Gauge {
        name: "transmit_errors",
        of: Some("medium"),
        unit: "errors",
        lasts: false,
        definition: "The largest transmit error counter (TEC) of the nodes of a bus; without a bus, of all.",
    },
];

/// Names of what a gauge has values for.
pub fn members(site: &Site, gauge: u32) -> Vec<String> {
    match GAUGES[gauge as usize].of {
        Some(_) => site.media.iter().map(|medium| medium.name.clone()).collect(),
        None => Vec::new(),
    }
}

/// What leads to a condition: messages are late and lost where many wait.
pub fn importance(condition: Watched) -> Watched {
    match condition.gauge {
        QUEUE | ERRORS => condition,
        _ => Watched::of_all(QUEUE),
    }
}

impl Gauged for Simulation<'_, '_> {
    fn gauge(&mut self, _now: Time, watched: Watched) -> u64 {
        let Watched { gauge, member } = watched;
        match gauge {
            QUEUE => match member {
                Watched::ALL => self.buses.iter().map(|bus| bus.waiting).max().unwrap_or(0),
                medium => self.buses[medium as usize].waiting,
            },
            FAILURES => self.probed().map(|flow| flow.failures).sum(),
            RESPONSE_TIME => {
                let longest = self.probed().filter_map(|flow| flow.response.max()).max();
                longest.map_or(0, |longest| longest.picoseconds() / 1_000_000)
            }
            LATE => self.metrics.flows.iter().map(|flow| flow.late).sum(),
            _ => self.most_errors(member),
        }
    }
}

impl Simulation<'_, '_> {
    fn probed(&self) -> impl Iterator<Item = &FlowMetrics> {
        self.metrics.flows.iter().zip(&self.site.flows).filter(|(_, flow)| flow.probe).map(|(metrics, _)| metrics)
    }

    fn most_errors(&self, medium: u32) -> u64 {
        let ports = self.ports.iter().zip(&self.site.ports);
        let here = ports.filter(|(_, settings)| medium == Watched::ALL || u32::from(settings.medium) == medium);
        here.map(|(port, _)| u64::from(port.counters.transmit())).max().unwrap_or(0)
    }
}
