//! The network kind `lontalk`.

use sojourn_bounds::report::Report;
use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::splitting::Tally;
use sojourn_engine::{Queue, observe};
use sojourn_metrics::frames::LinkType;
use sojourn_metrics::record::Record;
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use super::design;
use super::event::Events;
use super::gauges::{self, GAUGES, STATES};
use super::installation::{Installation, InstallationError};
#[cfg(feature = "rare")]
use super::meaning;
use super::metrics::Metrics;
use super::report;
use super::scenario;
use super::site::Site;
use super::world::Simulation;
use sojourn_model::branches;
use sojourn_model::rare::{self, Gauge, RareEvent, RareModel, State, Watched};
use sojourn_model::{Information, Model, Network, Replication, Together, Warning};

/// The network `lontalk`.
#[derive(Debug)]
pub struct LonTalkNetwork;

const INFORMATION: Information = Information {
    summary: "LonTalk control networks: channels, network variables, message services, priority, collision detection, routers",
    models: &[
        "predictive p-persistent CSMA: backlog estimate per station, priority slots, randomizing window, collisions with and without detection",
        "nodes with an application, a network and a MAC processor, their CPU costs and buffers",
        "unacknowledged, repeated, acknowledged and request/response service, each authenticated or not, with subnet/node, group, broadcast and Neuron ID addressing",
        "transaction, repeat and receive timers, retries, reminders, duplicate detection; throttle and max send time (heartbeat)",
        "configured (also redundant) and learning routers, repeaters and bridges between channels",
        "IP-852 channels: packets in UDP datagrams to each member that they concern, over an IP network with delay, jitter and loss; sequence numbers, escrow, channel timeout",
        "events: power failures and resets of nodes and routers, channels that fail, bit error rates that change, flows that start, stop and burst",
    ],
    leaves_out: &[
        "signal propagation: a packet is received by all stations or, after a collision or bit error, by none",
        "network management (LNS) beyond its packets",
        "IP-852 channels: the configuration server and its packets (routing tables follow the network at once), packet bunching, multicast, clocks that differ, and the link by which a member receives",
        "copying a network variable's value delays the receiver's task but does not occupy its application processor",
        "direct-mode transceivers use the backlog estimate of special-purpose mode",
        "the time a node takes to start: with power, or after a reset, it receives and sends at once (events can spread its applications)",
    ],
    sources: &[
        "ISO/IEC 14908-1 (EIA-709.1)",
        "ANSI/CTA-852 (EN 14908-4), as described in Echelon, i.LON 600 User's Guide and IP-852 Channel User's Guide (078-0312-01)",
        "LonTalk response-time bulletin (Echelon, March 1992)",
        "open LON Stack DX and EX; EIA-709.1 reference medium access",
        "M. Miśkowicz, Sensors 2007, 7(12), 3535-3559, doi 10.3390/s7123535",
    ],
    metrics: &[
        "answers",
        "backlog",
        "buffer_overflows",
        "collision_loss",
        "collision_rate",
        "collisions",
        "crc_error_rate",
        "delay_budget",
        "duplicates",
        "failures",
        "late_acknowledgements",
        "late_packets",
        "loss",
        "missed",
        "packet_length",
        "packet_rate_limit",
        "packets",
        "poll_cycle",
        "recovery_time",
        "reordering",
        "response_time",
        "retries",
        "throughput",
        "throughput_l3",
        "throughput_l4",
        "transaction_failures",
        "transaction_rate",
        "transaction_time",
        "unrecovered",
        "utilisation",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
    samples_without_probe: false,
};

/// Why there is no bound.
const UNBOUNDED: &str = "stations contend for the medium (p-persistent CSMA): any number of collisions may precede a \
                         success, so no delay is excluded";

impl Network for LonTalkNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::keys::LONTALK
    }

    fn bounds(&self, _scenario: &Scenario) -> Result<Report, Problems> {
        Ok(Report::none(UNBOUNDED))
    }

    fn gauges(&self) -> &'static [Gauge] {
        &GAUGES
    }

    fn states(&self) -> &'static [State] {
        &STATES
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        let site = scenario::site(scenario)?;
        let model = LonTalk::new(site).map_err(|error| scenario::explain(scenario, &error))?;
        Ok(Box::new(model))
    }

    #[cfg(feature = "rare")]
    fn together(&self, scenarios: &[&Scenario]) -> Option<Box<dyn Together>> {
        let site = |scenario: &Scenario| scenario::site(scenario).ok();
        let site = branches::one_of_all(scenarios, site, |site: &mut Site| Some(&mut site.timeline.as_mut()?.plan))?;
        Some(Box::new(LonTalk::new(site).ok()?))
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

/// A site with its installation, simulated once per replication.
#[derive(Debug)]
pub struct LonTalk {
    pub(super) site: Site,
    pub(super) installation: Installation,
}

impl LonTalk {
    /// Installs a site.
    pub fn new(site: Site) -> Result<Self, InstallationError> {
        let installation = Installation::new(&site)?;
        Ok(LonTalk { site, installation })
    }
}

impl LonTalk {
    /// The site at rest, and its first events.
    pub(super) fn begin<'c>(&self, replication: &Replication<'_>) -> (Simulation<'_, 'c>, Events) {
        let warmed_up = Time::ZERO + replication.warm_up;
        let mut events = Queue::new();
        let mut metrics = Metrics::new(&self.site, warmed_up, replication.traces);
        let streams = Streams::new(replication.seed, replication.index);
        metrics.observe_events(&self.site, &streams, warmed_up + replication.duration);
        (Simulation::new(&self.site, &self.installation, streams, metrics, &mut events), events)
    }
}

impl Together for LonTalk {
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

impl Model for LonTalk {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let (mut simulation, mut events) = self.begin(&replication);
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
        Some(LinkType::RawIp)
    }

    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn RareModel> {
        // the first occurrence after an event is not a rare event of a steady network
        self.site.timeline.is_none().then_some(self as &dyn RareModel)
    }
}

impl RareModel for LonTalk {
    fn members(&self, gauge: u32) -> Vec<String> {
        gauges::members(&self.site, gauge)
    }

    fn importance(&self, condition: Watched) -> Watched {
        gauges::importance(condition)
    }

    fn split(&self, replication: Replication<'_>, event: &RareEvent) -> Tally {
        let from = Time::ZERO + replication.warm_up;
        let mut events = Queue::new();
        let metrics = Metrics::new(&self.site, from, false);
        let streams = Streams::new(replication.seed, replication.index);
        let simulation = Simulation::new(&self.site, &self.installation, streams, metrics, &mut events);
        rare::split(simulation, events, [from, from + replication.duration], event, &replication)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_engine::run;
    use sojourn_model::copies::assert_copies_go_on_alike;
    use sojourn_model::rare::Gauged;
    use std::sync::atomic::AtomicBool;

    fn assert_copies_of(scenario: &Scenario, until: Duration) {
        let model = LonTalk::new(scenario::site(scenario).unwrap()).unwrap();
        let (mut events, mut metrics) = (Queue::new(), Metrics::new(&model.site, Time::ZERO, true));
        let streams = Streams::new(1, 0);
        metrics.observe_events(&model.site, &streams, Time::ZERO + until);
        let simulation = Simulation::new(&model.site, &model.installation, streams, metrics, &mut events);
        assert!(assert_copies_go_on_alike(simulation, events, until, report::record) >= 3);
    }

    #[test]
    fn copies_go_on_alike_and_rekeyed_ones_do_not() {
        assert_copies_of(&crate::NETWORKS.checked(&crate::NETWORKS.template("lontalk"), &[]), Duration::from_secs(60));
    }

    #[test]
    fn the_backlog_of_a_medium_counts_what_its_own_stations_have_offered() {
        let scenario = crate::NETWORKS.checked(include_str!("../../../examples/lontalk-site.toml"), &[]);
        let model = LonTalk::new(scenario::site(&scenario).unwrap()).unwrap();
        let (mut events, metrics) = (Queue::new(), Metrics::new(&model.site, Time::ZERO, false));
        let mut site = Simulation::new(&model.site, &model.installation, Streams::new(1, 0), metrics, &mut events);
        let number = |name: &str| GAUGES.iter().position(|gauge| gauge.name == name).unwrap() as u32;
        let (backlog, sink_queue) = (number("backlog"), number("sink_queue"));
        let mut offered = [0; 4];
        for second in 1..=60 {
            let now = Time::ZERO + Duration::from_secs(second);
            run(&mut site, &mut events, now, &AtomicBool::new(false));
            let all = site.in_flight.messages.iter().filter(|message| !message.closed).count() as u64;
            let mut of_media = 0;
            for (medium, sum) in offered.iter_mut().enumerate() {
                let mut value = |gauge| site.gauge(now, Watched { gauge, member: medium as u32 });
                let messages = value(backlog) - value(sink_queue);
                *sum += messages;
                of_media += messages;
            }
            assert_eq!(of_media, all, "nothing is repeated for a second");
        }
        assert!(offered.iter().all(|&messages| messages > 0), "{offered:?}");
    }

    #[test]
    fn copies_of_a_site_whose_power_returns_go_on_alike() {
        let power = crate::NETWORKS.checked(include_str!("../../../examples/lontalk-power.toml"), &[]);
        assert!(!power.events().is_empty());
        assert_copies_of(&power, Duration::from_secs(25 * 60));
    }

    #[test]
    fn copies_of_a_site_whose_routers_meet_over_an_ip_network_go_on_alike() {
        let site = include_str!("../tests/all/lontalk_ip852.toml");
        let event = "[[event]]\nname = \"fails\"\nmean_time_between = \"20 s\"\nmean_time_to_repair = \"2 s\"\n";
        let event = format!("{event}stations = [\"router-west-1\", \"supervisor\"]\naction = \"power-down\"\n");
        assert_copies_of(
            &crate::NETWORKS.checked(&format!("{site}{event}"), &[("run.duration", "60 s")]),
            Duration::from_secs(60),
        );
    }

    #[test]
    fn copies_of_a_site_whose_routers_learn_go_on_alike() {
        let text = include_str!("../../../examples/lontalk-redundant.toml");
        assert_copies_of(&crate::NETWORKS.checked(text, &[]), Duration::from_secs(8 * 60));
        // of one router, which learns and forgets
        let learning = crate::NETWORKS.checked(
            text,
            &[
                ("station.router.count", "1"),
                ("station.router.router", "learning"),
                ("event.router-fails.stations", "\"router\""),
            ],
        );
        assert_copies_of(&learning, Duration::from_secs(8 * 60));
    }
}
