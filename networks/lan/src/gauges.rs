//! Gauges: the quantities between hosts that a rare event can name.

use sojourn_core::Time;
use sojourn_engine::splitting::Copied;
use sojourn_metrics::Distribution;

use super::event::{Event, Events};
use super::fabric::Fabric;
use super::site::Service;
use super::world::Lan;
use sojourn_model::flow_tally::Count;
use sojourn_model::rare::{Gauge, Gauged, MICROSECONDS, Watched};

/// Packets in flight.
const PACKETS: u32 = 0;
/// Datagrams lost.
const LOST: u32 = 1;
/// Requests without a response.
const FAILURES: u32 = 2;

/// By number.
pub const GAUGES: [Gauge; 4] = [
    Gauge {
        name: "packets",
        of: None,
        unit: "packets",
        lasts: false,
        definition: "Packets that hosts have made and not yet received, wherever they are: with hosts, on links, in queues.",
    },
    Gauge {
        name: "lost_packets",
        of: None,
        unit: "packets",
        lasts: true,
        definition: "Packets dropped at full queues, by active queue management or lost on links, since the warm-up.",
    },
    Gauge {
        name: "failures",
        of: None,
        unit: "requests",
        lasts: true,
        definition: "Requests that timed out, or whose TCP connection was given up, since the warm-up.",
    },
    Gauge {
        name: "response_time",
        of: None,
        unit: MICROSECONDS,
        lasts: true,
        definition: "The longest response time of the probes since the warm-up.",
    },
];

/// Packets are lost and late where many are in flight.
pub fn importance(_: Watched) -> Watched {
    Watched::of_all(PACKETS)
}

impl<F: Fabric> Copied for Lan<'_, '_, F> {
    fn drop_samples(&mut self) {
        self.metrics.responses = Distribution::new();
        self.metrics.one_way = Distribution::new();
        for flow in &mut self.metrics.flows {
            flow.responses = Distribution::new();
            flow.directions = [Distribution::new(), Distribution::new()];
        }
    }

    fn redraw(&mut self, _now: Time, events: &mut Events) {
        if self.sources.is_empty() {
            return;
        }
        // until then the network between the hosts has run ahead
        let next = events.next_time();
        events.reschedule(|due, event| match *event {
            Event::Emit(source) => self.sources[source as usize].redraw(next, due),
            _ => due,
        });
    }
}

impl<F: Fabric> Gauged for Lan<'_, '_, F> {
    fn gauge(&mut self, _now: Time, watched: Watched) -> u64 {
        match watched.gauge {
            PACKETS => self.packets.len() as u64,
            LOST => self.metrics.datagrams.lost.observed(),
            FAILURES => {
                let asks = |flow: u32| !self.site.serves(flow, |service| matches!(service, Service::Stream(_)));
                let flows = (0..).zip(&self.metrics.flows).filter(|(flow, _)| asks(*flow));
                flows.map(|(_, flow)| Count::observed(flow.tally.lost)).sum()
            }
            _ => self.metrics.responses.max().map_or(0, |longest| longest.picoseconds() / 1_000_000),
        }
    }
}
