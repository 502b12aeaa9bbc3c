//! The queueing network as one of the networks.

use std::collections::BTreeMap;

use sojourn_bounds::report::Report;
use sojourn_engine::Queue;
use sojourn_engine::splitting::Tally;
use sojourn_metrics::Record;
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use super::levels::Window;
#[cfg(feature = "rare")]
use super::meaning;
use super::scenario::Settings;
use super::splitting::{GAUGES, Path};
use super::world;
use sojourn_model::rare::{self, Gauge, RareEvent, RareModel, Watched};
use sojourn_model::{Drawn, Information, Model, Network, Replication};

/// The network `queue`: stations with servers and waiting room, fed by arrivals.
pub struct QueueNetwork;

static INFORMATION: Information = Information {
    summary: "Queueing stations: M/M/1, M/D/1, M/G/1, M/M/c, tandem queues, closed networks",
    models: &[
        "stations with one or several servers, first come, first served",
        "exponential, deterministic, normal, gamma, lognormal, Weibull and measured service times",
        "finite capacity: customers that arrive at a full station are lost",
        "events: outages of servers (preemptive-resume), flows that start, stop and burst, changed service times",
        "open flows through several stations, and closed populations with think time",
    ],
    leaves_out: &["priorities and reneging customers", "transfer times between stations"],
    sources: &[
        "L. Kleinrock, Queueing Systems, volume 1: Theory, Wiley, 1975",
        "M. Reiser and S. S. Lavenberg, Mean-value analysis of closed multichain queuing networks, J. ACM 27, 1980",
    ],
    metrics: &[
        "delay_budget",
        "failures",
        "loss",
        "queue_length",
        "recovery_time",
        "response_time",
        "transaction_rate",
        "unrecovered",
        "utilisation",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
    samples_without_probe: true,
};

impl Network for QueueNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::keys::QUEUE
    }

    fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems> {
        crate::bounds::bounds(scenario)
    }

    fn gauges(&self) -> &'static [Gauge] {
        &GAUGES
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(Settings::of(scenario)?))
    }

    #[cfg(feature = "rare")]
    fn meaning<'s>(&self, scenario: &'s Scenario) -> sojourn_model::Meaning<'s> {
        Settings::of(scenario).map(|settings| meaning::of(scenario, &settings)).unwrap_or_default()
    }
}

impl Model for Settings {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        world::replicate(self, &replication)
    }

    fn controls(&self, drawn: Drawn) -> BTreeMap<String, f64> {
        self.deviations(drawn)
    }

    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn RareModel> {
        // a copy would draw departures again that an outage has made void, and with them those in their place
        self.events.is_none().then_some(self as &dyn RareModel)
    }
}

impl RareModel for Settings {
    fn members(&self, gauge: u32) -> Vec<String> {
        let stations = self.stations.iter().filter(|_| GAUGES[gauge as usize].of.is_some());
        stations.map(|station| station.name.clone()).collect()
    }

    /// A queue is its own importance; customers are lost and wait long where the largest queue is.
    fn importance(&self, condition: Watched) -> Watched {
        if GAUGES[condition.gauge as usize].of.is_some() { condition } else { Watched::of_all(0) }
    }

    fn split(&self, replication: Replication<'_>, event: &RareEvent) -> Tally {
        let (mut customers, mut queue) = (Path::of(self, &replication), Queue::new());
        customers.begin(&mut queue);
        let Window { from, to } = Window::of(&replication);
        rare::split(customers, queue, [from, to], event, &replication)
    }
}
