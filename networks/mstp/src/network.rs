//! The network kind `mstp`.

use sojourn_bounds::report::Report;
use sojourn_core::{Streams, Time};
use sojourn_engine::splitting::Tally;
use sojourn_engine::{Queue, observe};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;
use sojourn_model::rare::{self, Gauge, RareEvent, RareModel, Watched};
use sojourn_model::{Information, Model, Network, Replication, Warning};
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use super::event::Events;
use super::gauges::{self, GAUGES};
#[cfg(feature = "rare")]
use super::meaning;
use super::metrics::Metrics;
use super::routes::Routes;
use super::site::Site;
use super::world::Simulation;
use super::{bounds, design, report, scenario};

/// The network `mstp`.
#[derive(Debug)]
pub struct MstpNetwork;

const INFORMATION: Information = Information {
    summary: "BACnet MS/TP: masters that pass a token on RS-485 trunks, slaves, routers, BACnet requests and notifications",
    models: &[
        "the master node with every state and transition of clause 9.5.6: token, polls for masters with their sweeps, lost tokens, successors that fail, a sole master; the slave node",
        "the line: 10-bit characters, turnaround, frames that overlap and destroy each other, bit errors, drivers that are released late",
        "replies at once, postponed at once, or postponed at the end of the reply delay; timers that are looked at now and then",
        "ReadProperty, ReadPropertyMultiple, WriteProperty, COV notifications and Who-Is with their sizes, APDU timeout and retries, extended frames above 501 octets",
        "routers between trunks and to IP networks, which postpone replies of other networks and queue for the token",
        "events: power of stations, lines that fail, bit error rates that change, flows that start, stop and burst",
    ],
    leaves_out: &[
        "propagation on the cable, reflections and biasing: all stations of a trunk hear the same",
        "two nodes with one address, which the scenario refuses; automatic bit rates and addresses (zero configuration)",
        "the processor of a device: its latencies are drawn one by one, requests do not wait for each other",
        "segmented APDUs, and the frames of network management; I-Am goes to the station that asked, where devices broadcast it",
        "IP networks: each station has a link of its own and a fixed delay; no losses and no foreign devices",
        "a node that sends waits for a silent line, as drivers of bacnet-stack do; it does not send into a frame that it hears",
    ],
    sources: &[
        "ANSI/ASHRAE 135 clauses 5, 6, 9, 20 and 21",
        "bacnet-stack 1c636cb5 (src/bacnet/datalink/mstp.c, mstpdef.h)",
        "TIA-485",
    ],
    metrics: &[
        "crc_error_rate",
        "delay_budget",
        "failures",
        "frame_time",
        "loss",
        "poll_cycle",
        "poll_share",
        "polls_for_master",
        "postponed",
        "recovery_time",
        "response_time",
        "retries",
        "successors_lost",
        "throughput",
        "token_rate",
        "token_retries",
        "token_rotation",
        "tokens_lost",
        "unrecovered",
        "utilisation",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
    samples_without_probe: false,
};

impl Network for MstpNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::keys::MSTP
    }

    fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems> {
        bounds::bounds(scenario)
    }

    fn gauges(&self) -> &'static [Gauge] {
        &GAUGES
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(Mstp::new(scenario::site(scenario)?)))
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
pub(super) struct Mstp {
    site: Site,
    routes: Routes,
}

impl Mstp {
    /// A checked site.
    fn new(site: Site) -> Self {
        let routes = Routes::new(&site).expect("checked routes");
        Mstp { site, routes }
    }

    /// The site at rest, and its first events.
    fn begin<'c>(&self, replication: &Replication<'_>, observes_events: bool) -> (Simulation<'_, 'c>, Events) {
        let warmed_up = Time::ZERO + replication.warm_up;
        let mut events = Queue::new();
        let streams = Streams::new(replication.seed, replication.index);
        let mut metrics = Metrics::new(&self.site, warmed_up, replication.traces);
        if observes_events {
            metrics.observe_events(&self.site, &streams, warmed_up + replication.duration);
        }
        (Simulation::new(&self.site, &self.routes, streams, metrics, &mut events), events)
    }
}

impl Model for Mstp {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let (mut simulation, mut events) = self.begin(&replication, true);
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
        Some(LinkType::BacnetMsTp)
    }

    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn RareModel> {
        // the first occurrence after an event is not a rare event of a steady network
        self.site.timeline.is_none().then_some(self as &dyn RareModel)
    }
}

impl RareModel for Mstp {
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
    use sojourn_core::Duration;
    use sojourn_model::copies::assert_copies_go_on_alike;

    use super::*;

    fn assert_copies_of(text: &str, edits: &[(&str, &str)], until: Duration) {
        let scenario = crate::NETWORKS.checked(text, edits);
        let model = Mstp::new(scenario::site(&scenario).unwrap());
        let replication = Replication { traces: true, ..Replication::alone(until) };
        let (simulation, events) = model.begin(&replication, true);
        assert!(assert_copies_go_on_alike(simulation, events, until, report::record) >= 3);
    }

    #[test]
    fn copies_go_on_alike_and_rekeyed_ones_do_not() {
        assert_copies_of(
            &crate::NETWORKS.template("mstp"),
            &[("flow.alarm.arrivals.interval", "2 s")],
            Duration::from_secs(60),
        );
    }

    #[test]
    fn copies_of_a_trunk_with_failures_and_noise_go_on_alike() {
        let event = "[[event]]\nname = \"fails\"\nmean_time_between = \"20 s\"\nmean_time_to_repair = \"2 s\"\n";
        let event = format!("{event}stations = [\"vav-3\", \"router\"]\naction = \"power-down\"\n");
        let text = format!("{}{event}", crate::NETWORKS.template("mstp"));
        let edits = [("medium.trunk.bit_error_rate", "1e-4"), ("flow.alarm.arrivals.interval", "2 s")];
        assert_copies_of(&text, &edits, Duration::from_secs(60));
    }
}
