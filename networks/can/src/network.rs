//! The network kind `can`.

use sojourn_bounds::report::Report;
use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::splitting::Tally;
use sojourn_engine::{Queue, observe};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;
use sojourn_model::branches;
use sojourn_model::rare::{self, Gauge, RareEvent, RareModel, Watched};
use sojourn_model::{Information, Model, Network, Replication, Together, Warning};
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use crate::event::Events;
use crate::gauges::{self, GAUGES};
#[cfg(feature = "rare")]
use crate::meaning;
use crate::metrics::Metrics;
use crate::site::Site;
use crate::world::Simulation;
use crate::{bounds, design, report, scenario};

/// The network `can`.
#[derive(Debug)]
pub struct CanNetwork;

static INFORMATION: Information = Information {
    summary: "Controller Area Network: buses of CAN 2.0 and CAN FD with arbitration by identifier, gateways, CANopen, J1939",
    models: &[
        "frames with base and extended identifiers, remote frames and CAN FD with bit rate switch, to the bit: exact, random or worst-case stuffing",
        "arbitration among all frames that are offered; transmit queues by priority, FIFO, mailboxes with and without abort, or with only the latest value",
        "errors: bit error rate, periodic faults, no node acknowledges; error frames, retransmission, error counters, error passive, bus-off and recovery",
        "gateways that store and forward between buses, with another identifier behind them, and IP networks between gateways",
        "messages of several frames: remote frames, CANopen SDO (also block download), ISO-TP, J1939 to one node and to all, with timeouts and retries",
        "processors of the nodes, receive FIFOs",
        "events: power failures, cut lines, bit error rates that change, flows that start, stop and burst",
    ],
    leaves_out: &[
        "signal propagation: a bit is as long as the bit rate says; the sample points of a bit rate switch move a part of a bit from BRS to the CRC delimiter, and the frame stays as long",
        "clock drift of the nodes: periodic messages keep their phase, unless their jitter hides it",
        "errors that only some nodes see: every error destroys the frame for all, so that no message arrives twice",
        "error flags of error-passive nodes are as long as active ones; overload frames",
        "a node that leaves bus-off or gets power takes part at once, without 11 recessive bits",
        "loss, jitter and other traffic of IP networks between gateways",
        "CANopen and J1939 network management, and the data itself: signals in a message",
    ],
    sources: &[
        "Bosch, CAN Specification 2.0, 1991",
        "ISO 11898-1:2015; ISO 15765-2:2016; SAE J1939-21; CiA 301",
        "R. I. Davis, A. Burns, R. J. Bril and J. J. Lukkien, Real-Time Systems 35, 2007, 239-272",
        "R. I. Davis, S. Kollmann, V. Pollex and F. Slomka, ECRTS 2011",
        "N. C. Audsley, Information Processing Letters 79, 2001; R. I. Davis and A. Burns, Real-Time Systems 41, 2009",
        "M. Grenier, L. Havet and N. Navet, ERTS 2008",
        "cannelloni (github.com/mguentner/cannelloni), doc/udp_format.md",
    ],
    metrics: &[
        "arbitration_losses",
        "buffer_overflows",
        "bus_offs",
        "deadline_misses",
        "delay_budget",
        "error_frames",
        "error_passive",
        "failures",
        "loss",
        "packets",
        "poll_cycle",
        "queue_length",
        "recovery_time",
        "response_time",
        "retries",
        "throughput",
        "throughput_l3",
        "transaction_rate",
        "unrecovered",
        "utilisation",
        "utilisation_worst",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
    samples_without_probe: false,
};

impl Network for CanNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::keys::CAN
    }

    fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems> {
        Ok(bounds::bounds(&scenario::site(scenario)?))
    }

    fn gauges(&self) -> &'static [Gauge] {
        &GAUGES
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(Can { site: scenario::simulated(scenario)? }))
    }

    #[cfg(feature = "rare")]
    fn together(&self, scenarios: &[&Scenario]) -> Option<Box<dyn Together>> {
        let site = |scenario: &Scenario| scenario::simulated(scenario).ok();
        let site = branches::one_of_all(scenarios, site, |site: &mut Site| Some(&mut site.timeline.as_mut()?.plan))?;
        Some(Box::new(Can { site }))
    }

    fn warnings(&self, scenario: &Scenario) -> Vec<Warning> {
        // a site that cannot be read is refused by `model`
        scenario::site(scenario).map(|site| design::warnings(scenario, &site)).unwrap_or_default()
    }

    #[cfg(feature = "rare")]
    fn meaning<'s>(&self, scenario: &'s Scenario) -> sojourn_model::Meaning<'s> {
        scenario::simulated(scenario).map(|site| meaning::of(scenario, &site)).unwrap_or_default()
    }
}

/// A site, simulated once per replication.
#[derive(Debug)]
struct Can {
    site: Site,
}

impl Can {
    /// The site at rest, and its first events; observed from `from` to `to`.
    fn begin<'c>(&self, replication: &Replication<'_>, traces: bool) -> (Simulation<'_, 'c>, Events) {
        let warmed_up = Time::ZERO + replication.warm_up;
        let mut events = Queue::new();
        let mut metrics = Metrics::new(&self.site, warmed_up, traces);
        let streams = Streams::new(replication.seed, replication.index);
        metrics.observe_events(&self.site, &streams, warmed_up + replication.duration);
        (Simulation::new(&self.site, streams, metrics, &mut events), events)
    }
}

impl Together for Can {
    fn in_common(&self, warm_up: Duration, duration: Duration) -> Duration {
        branches::in_common(self.site.timeline.as_ref().map(|timeline| &timeline.plan), warm_up, duration)
    }

    fn replicate(&self, replication: &Replication<'_>, numbers: &[usize]) -> Vec<Record> {
        let in_common = self.in_common(replication.warm_up, replication.duration);
        let end = Time::ZERO + replication.warm_up + replication.duration;
        let record = |simulation, _, events| Record { events, ..report::record(simulation, end) };
        branches::replicate(self.begin(replication, replication.traces), replication, in_common, numbers, record)
    }
}

impl Model for Can {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let (mut simulation, mut events) = self.begin(&replication, replication.traces);
        let Replication { warm_up, duration, capture, cancelled, .. } = replication;
        let warmed_up = Time::ZERO + warm_up;
        let end = warmed_up + duration;
        simulation.capture_to(capture);
        observe(&mut simulation, &mut events, warmed_up, end, cancelled);
        Record { events: events.handled(), ..report::record(simulation, end) }
    }

    fn sampled(&self) -> Option<&'static str> {
        self.site.flows.iter().any(|flow| flow.probe).then_some("response_time")
    }

    fn link_type(&self) -> Option<LinkType> {
        Some(LinkType::CanSocketCan)
    }

    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn RareModel> {
        // the first occurrence after an event is not a rare event of a steady network
        self.site.timeline.is_none().then_some(self as &dyn RareModel)
    }
}

impl RareModel for Can {
    fn members(&self, gauge: u32) -> Vec<String> {
        gauges::members(&self.site, gauge)
    }

    fn importance(&self, condition: Watched) -> Watched {
        gauges::importance(condition)
    }

    fn split(&self, replication: Replication<'_>, event: &RareEvent) -> Tally {
        let from = Time::ZERO + replication.warm_up;
        let (simulation, events) = self.begin(&replication, false);
        rare::split(simulation, events, [from, from + replication.duration], event, &replication)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_model::copies::assert_copies_go_on_alike;

    #[test]
    fn copies_go_on_alike_and_rekeyed_ones_do_not() {
        let edits =
            [("bus.bit_error_rate", "1e-5"), ("flow.seats.arrivals", "{ kind = \"poisson\", interval = \"20 ms\" }")];
        let scenario = crate::NETWORKS.checked(&crate::NETWORKS.template("can"), &edits);
        let model = Can { site: scenario::simulated(&scenario).unwrap() };
        let until = Duration::from_secs(20);
        let replication = Replication::alone(until);
        let (simulation, events) = model.begin(&replication, true);
        assert!(assert_copies_go_on_alike(simulation, events, until, report::record) >= 3);
    }
}
