//! The network kind `modbus`.

use sojourn_bounds::report::Report;
use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::splitting::Tally;
use sojourn_engine::{Queue, observe};
use sojourn_metrics::Record;
use sojourn_metrics::frames::LinkType;
use sojourn_model::branches;
use sojourn_model::rare::{self, Gauge, RareEvent, RareModel, Watched};
use sojourn_model::{Information, Model, Network, Replication, Together, Warning};
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use super::event::Events;
use super::gauges::{self, GAUGES};
#[cfg(feature = "rare")]
use super::meaning;
use super::metrics::Metrics;
use super::site::Site;
use super::world::Simulation;
use super::{bounds, capture, design, report, scenario};

/// The network `modbus`.
#[derive(Debug)]
pub struct ModbusNetwork;

const INFORMATION: Information = Information {
    summary: "Modbus RTU, ASCII and TCP: clients that poll servers over serial lines, links and gateways",
    models: &[
        "serial lines in RTU and ASCII mode: characters with parity and stop bits, t3.5, bit errors, frames that overlap",
        "clients: response timeouts, retries, turnaround of broadcasts, pauses; one request at a time on a line, several on TCP",
        "rounds over servers in order, with blocks of registers that are merged or not, beside writes and other flows",
        "servers: delay, time for each register, scan cycle, a queue on TCP",
        "gateways from TCP to lines: a queue, one request at a time, retries of their own, exceptions",
        "hosts: the latency timer of USB adapters, the delay of programs",
        "events: power of stations, lines and links that fail, bit error rates that change, flows that start, stop and burst",
    ],
    leaves_out: &[
        "several clients on one serial line, which the specification excludes",
        "propagation and reflections on a line: a frame is received by all or, after a collision or bit error, by none",
        "what TCP does for a frame: its connection is set up, nothing is lost while links are up, each frame is a segment, acknowledgements take no time; a link is shared by what its own station sends alone",
        "silences within a frame: characters follow each other without a gap",
        "errors that a CRC or LRC does not detect",
        "values: what registers hold, and exceptions of functions and addresses",
    ],
    sources: &[
        "Modbus Application Protocol Specification V1.1b3",
        "Modbus over Serial Line Specification and Implementation Guide V1.02",
        "Modbus Messaging on TCP/IP Implementation Guide V1.0b",
    ],
    metrics: &[
        "crc_error_rate",
        "delay_budget",
        "failures",
        "freshness",
        "loss",
        "poll_cycle",
        "recovery_time",
        "response_time",
        "retries",
        "timeouts",
        "transaction_rate",
        "unrecovered",
        "utilisation",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
    samples_without_probe: true,
};

impl Network for ModbusNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::keys::MODBUS
    }

    fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems> {
        Ok(bounds::bounds(&scenario::site(scenario)?))
    }

    fn gauges(&self) -> &'static [Gauge] {
        &GAUGES
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(Modbus { site: scenario::site(scenario)? }))
    }

    #[cfg(feature = "rare")]
    fn together(&self, scenarios: &[&Scenario]) -> Option<Box<dyn Together>> {
        let site = |scenario: &Scenario| scenario::site(scenario).ok();
        let site = branches::one_of_all(scenarios, site, |site: &mut Site| Some(&mut site.timeline.as_mut()?.plan))?;
        Some(Box::new(Modbus { site }))
    }

    fn warnings(&self, scenario: &Scenario) -> Vec<Warning> {
        // a site that cannot be read is refused by `model`
        scenario::site(scenario).map(|site| design::warnings(scenario, &site)).unwrap_or_default()
    }

    #[cfg(feature = "rare")]
    fn meaning<'s>(&self, scenario: &'s Scenario) -> sojourn_model::Meaning<'s> {
        scenario::site(scenario).map(|site| meaning::of(scenario, &site)).unwrap_or_default()
    }
}

/// A site, simulated once per replication.
#[derive(Debug)]
pub struct Modbus {
    pub(super) site: Site,
}

impl Modbus {
    /// The site at rest, and its first events.
    pub(super) fn begin<'c>(&self, replication: &Replication<'_>) -> (Simulation<'_, 'c>, Events) {
        let from = Time::ZERO + replication.warm_up;
        let mut metrics = Metrics::new(&self.site, from, replication.traces);
        let streams = Streams::new(replication.seed, replication.index);
        metrics.observe_events(&self.site, &streams, from + replication.duration);
        let mut events = Queue::new();
        (Simulation::new(&self.site, streams, metrics, &mut events), events)
    }
}

impl Model for Modbus {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let (mut simulation, mut events) = self.begin(&replication);
        let Replication { warm_up, duration, capture, cancelled, .. } = replication;
        let from = Time::ZERO + warm_up;
        simulation.capture_to(capture);
        observe(&mut simulation, &mut events, from, from + duration, cancelled);
        Record { events: events.handled(), ..report::record(simulation, from + duration) }
    }

    fn link_type(&self) -> Option<LinkType> {
        Some(capture::link_type(self.site.has_links()))
    }

    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn RareModel> {
        // the first occurrence after an event is not a rare event of a steady network
        self.site.timeline.is_none().then_some(self as &dyn RareModel)
    }
}

impl Together for Modbus {
    fn in_common(&self, warm_up: Duration, duration: Duration) -> Duration {
        branches::in_common(self.site.timeline.as_ref().map(|timeline| &timeline.plan), warm_up, duration)
    }

    fn replicate(&self, replication: &Replication<'_>, numbers: &[usize]) -> Vec<Record> {
        let in_common = self.in_common(replication.warm_up, replication.duration);
        let end = Time::ZERO + replication.warm_up + replication.duration;
        let record = |simulation, _, events| Record { events, ..report::record(simulation, end) };
        branches::replicate(self.begin(replication), replication, in_common, numbers, record)
    }
}

impl RareModel for Modbus {
    fn members(&self, gauge: u32) -> Vec<String> {
        gauges::members(&self.site, gauge)
    }

    fn importance(&self, condition: Watched) -> Watched {
        gauges::importance(condition)
    }

    fn split(&self, replication: Replication<'_>, event: &RareEvent) -> Tally {
        let (simulation, events) = self.begin(&replication);
        let from = Time::ZERO + replication.warm_up;
        rare::split(simulation, events, [from, from + replication.duration], event, &replication)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_model::copies::assert_copies_go_on_alike;

    fn assert_copies_of(text: &str, edits: &[(&str, &str)], until: Duration) {
        let scenario = crate::NETWORKS.checked(text, edits);
        let model = Modbus { site: scenario::site(&scenario).unwrap() };
        let replication = Replication { traces: true, ..Replication::alone(until) };
        let (simulation, events) = model.begin(&replication);
        assert!(assert_copies_go_on_alike(simulation, events, until, report::record) >= 3);
    }

    #[test]
    fn copies_go_on_alike_and_rekeyed_ones_do_not() {
        let text = crate::NETWORKS.template("modbus");
        let edits = [("medium.line.bit_error_rate", "1e-4"), ("station.meter.scan", "20 ms")];
        assert_copies_of(&text, &edits, Duration::from_secs(60));
    }

    #[test]
    fn copies_of_clients_behind_a_gateway_go_on_alike() {
        let text = include_str!("../tests/all/gateway.toml");
        assert_copies_of(text, &[], Duration::from_secs(60));
        let event = "[[event]]\nname = \"fails\"\nmean_time_between = \"20 s\"\nmean_time_to_repair = \"2 s\"\n";
        let event = format!("{event}stations = [\"meter-1\", \"gateway\", \"scada-1\"]\naction = \"power-down\"\n");
        assert_copies_of(&format!("{text}{event}"), &[], Duration::from_secs(60));
    }
}
