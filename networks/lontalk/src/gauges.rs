//! Gauges: the quantities of a site that a rare event can name.
//!
//! They are computed on demand from existing state: a run without a rare event pays nothing for them.

use sojourn_core::Time;
use sojourn_metrics::distribution::Distribution;
use sojourn_protocols::lontalk::machine::Counter;

use super::metrics::FlowMetrics;
use super::nodes::Station;
use super::repeats::MediumRepeats;
use super::site::{Role, Site};
use super::world::Simulation;
use sojourn_model::rare::{Gauge, Gauged, MICROSECONDS, State, Watched};

/// Output queues.
const OUTPUT_QUEUE: u32 = 0;
/// Packets in flight.
const PACKETS: u32 = 1;
/// Messages in flight.
const TRANSACTIONS: u32 = 2;
/// Lost messages of probes.
const FAILURES: u32 = 3;
/// Response times of probes.
const RESPONSE_TIME: u32 = 4;
/// Time of repeats.
const REPEATING: u32 = 5;
/// Output queue of the station that most others of a medium send to.
const SINK_QUEUE: u32 = 6;
/// That queue, messages in flight from there and time of repeats.
const BACKLOG: u32 = 7;

/// What counts in the backlog of a medium of its queue and its messages: more is there only once it is congested, and what they
/// change by then hides whether it goes on repeating.
const MOST_WAITING: u64 = 64;

/// What a second of repeats counts in the backlog: while a channel is congested, the packets are as many as before.
const BACKLOG_OF_A_SECOND: u64 = 4;

/// By number.
pub const GAUGES: [Gauge; 8] = [
    Gauge {
        name: "output_queue",
        of: Some("station"),
        unit: "packets",
        lasts: false,
        definition: "Packets in the network output buffers of a station; without a station, in the fullest of those that most others send to.",
    },
    Gauge {
        name: "packets",
        of: None,
        unit: "packets",
        lasts: false,
        definition: "Packets queued, in transmission or being processed.",
    },
    Gauge {
        name: "transactions",
        of: None,
        unit: "messages",
        lasts: false,
        definition: "Messages offered and not complete.",
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
        name: "repeating",
        of: Some("medium"),
        unit: MICROSECONDS,
        lasts: true,
        definition: "For how long, in whole seconds, each second has had more retries than half of the messages that the medium carried (acknowledgements and responses not counted); without a medium, the longest of all.",
    },
    Gauge {
        name: "sink_queue",
        of: Some("medium"),
        unit: "packets",
        lasts: false,
        definition: "Packets in the network output buffers of the station of a medium that most stations of it send to; without a medium, the fullest of all.",
    },
    Gauge {
        name: "backlog",
        of: Some("medium"),
        unit: "packets and messages",
        lasts: false,
        definition: "How near a medium is to congestion collapse: its `sink_queue` and the messages that its stations have offered and that are not complete (together at most 64), and 4 for each second that it has been `repeating`; without a medium, all messages and the largest of the others.",
    },
];

/// What a medium can be in.
pub const STATES: [State; 1] = [State {
    of: "medium",
    word: "collapsed",
    gauge: "repeating",
    above: 9_999_999,
    definition: "More than half of the messages on the medium are repeats for 10 s (congestion collapse).",
}];

/// Names of what a gauge has values for.
pub fn members(site: &Site, gauge: u32) -> Vec<String> {
    match GAUGES[gauge as usize].of {
        Some("station") => site.stations.iter().map(|station| station.name()).collect(),
        Some(_) => site.media.iter().map(|medium| medium.name.clone()).collect(),
        None => Vec::new(),
    }
}

/// What leads to a condition: an output queue that is longer than a transaction timer makes repeats, which make it longer;
/// messages that wait for an answer are its first sign.
pub fn importance(condition: Watched) -> Watched {
    match condition.gauge {
        REPEATING => Watched { gauge: BACKLOG, ..condition },
        FAILURES | RESPONSE_TIME => Watched::of_all(BACKLOG),
        _ => condition,
    }
}

impl Gauged for Simulation<'_, '_> {
    fn gauge(&mut self, now: Time, watched: Watched) -> u64 {
        let Watched { gauge, member } = watched;
        match (gauge, member) {
            (OUTPUT_QUEUE, Watched::ALL) => self.sink_queue(Watched::ALL),
            (OUTPUT_QUEUE, station) => self.output_queue(station),
            (PACKETS, _) => self.in_flight.frames.len() as u64,
            (TRANSACTIONS, _) => self.in_flight.messages.len() as u64,
            (FAILURES, _) => self.probed().map(|flow| flow.failures).sum(),
            (RESPONSE_TIME, _) => {
                let longest = self.probed().filter_map(|flow| flow.response.max()).max();
                longest.map_or(0, |longest| longest.picoseconds() / 1_000_000)
            }
            (REPEATING, medium) => 1_000_000 * self.repeating_s(now, medium),
            (SINK_QUEUE, medium) => self.sink_queue(medium),
            _ => self.backlog(now, member),
        }
    }
}

impl Simulation<'_, '_> {
    fn probed(&self) -> impl Iterator<Item = &FlowMetrics> {
        self.metrics.flows.iter().filter(|flow| flow.probe)
    }

    /// Drops the samples so far.
    pub(super) fn forget_samples(&mut self) {
        for flow in &mut self.metrics.flows {
            for samples in [&mut flow.response, &mut flow.transaction, &mut flow.rounds] {
                *samples = Distribution::new();
            }
        }
    }

    fn output_queue(&self, station: u32) -> u64 {
        let active = self.nodes[station].active.as_ref();
        active.map_or(0, |active| active.output.iter().map(|&packets| u64::from(packets)).sum())
    }

    fn sink_queue(&self, medium: u32) -> u64 {
        let sinks = &self.nodes.installation.sinks;
        let of = |sink: &Option<u32>| sink.map_or(0, |station| self.output_queue(station));
        match medium {
            Watched::ALL => sinks.iter().map(of).max().unwrap_or(0),
            medium => of(&sinks[medium as usize]),
        }
    }

    fn backlog(&mut self, now: Time, medium: u32) -> u64 {
        let waiting = self.sink_queue(medium) + self.offered(medium);
        let counted = if medium == Watched::ALL { waiting } else { waiting.min(MOST_WAITING) };
        counted + BACKLOG_OF_A_SECOND * self.repeating_s(now, medium)
    }

    /// Messages that the stations of a medium have offered and that are not complete. Those of other media say nothing of it: one
    /// that has collapsed would keep the paths of all others split.
    fn offered(&self, medium: u32) -> u64 {
        if medium == Watched::ALL {
            return self.in_flight.messages.len() as u64;
        }
        let is_here = |source: u32| {
            let station = self.sources[source as usize].station;
            u32::from(self.nodes[station].class.on[0]) == medium
        };
        // a message is closed before its slot is free
        let messages = self.in_flight.messages.slots();
        let here = messages.iter().filter(|message| !message.closed && is_here(message.source));
        here.take(MOST_WAITING as usize).count() as u64
    }

    /// For how many seconds in a row a medium has repeated messages; the longest of all.
    fn repeating_s(&mut self, now: Time, medium: u32) -> u64 {
        if self.repeats.0.is_empty() {
            self.repeats.0.resize_with(self.access.segments.len(), MediumRepeats::default);
        }
        let media = match medium {
            Watched::ALL => 0..self.repeats.0.len(),
            medium => medium as usize..medium as usize + 1,
        };
        media.map(|medium| self.repeating_on(now, medium)).max().unwrap_or(0)
    }

    fn repeating_on(&mut self, now: Time, medium: usize) -> u64 {
        if now >= self.repeats.0[medium].until {
            let (retries, messages) = (self.retries(medium), self.messages(medium));
            self.repeats.0[medium].end(now, retries, messages);
        }
        self.repeats.0[medium].seconds
    }

    /// The counters of the media begin anew; repeats in a row go on.
    pub(super) fn begin_repeats_anew(&mut self) {
        for medium in 0..self.repeats.0.len() {
            let messages = self.messages(medium);
            self.repeats.0[medium].begin_anew(messages);
        }
    }

    /// Retries so far of the nodes of a medium.
    fn retries(&self, medium: usize) -> u64 {
        let here =
            |station: &&Station<'_>| station.class.role == Role::Node && usize::from(station.class.on[0]) == medium;
        let active = self.nodes.iter().filter(here).filter_map(|station| station.active.as_ref());
        active.map(|active| u64::from(active.node.counters().get(Counter::Retries))).sum()
    }

    /// Messages that a medium carried, without acknowledgements and responses.
    fn messages(&self, medium: usize) -> u64 {
        let segment = &self.access.segments[medium];
        let ip = self.access.ip.as_ref().and_then(|ip| ip.counters(medium));
        ip.map_or(segment.medium.counters().correct, |counters| counters.received) - segment.answers
    }
}
