//! `$kind` as one of the networks.

use sojourn_bounds::report::Report;
use sojourn_core::Time;
use sojourn_engine::arrivals::Process;
use sojourn_engine::law::Law;
use sojourn_engine::{Queue, observe};
use sojourn_metrics::Record;
use sojourn_model::{Information, Model, Network, Replication, arrivals, laws};
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use crate::world::World;

/// The network `$kind`.
pub struct ${type}Network;

static INFORMATION: Information = Information {
    summary: "One server with a queue: say here what $kind is",
    models: &["one server, first come, first served", "random and periodic arrivals, and service times of any distribution"],
    leaves_out: &["everything else: each line says what that may cost"],
    sources: &["L. Kleinrock, Queueing Systems, volume 1: Theory, Wiley, 1975"],
    metrics: &["loss", "response_time", "transaction_rate", "utilisation"],
    probe_metric: "response_time",
    ends_with_its_probes: false,
    samples_without_probe: true,
};

impl Network for ${type}Network {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::keys::KEYS
    }

    fn bounds(&self, _scenario: &Scenario) -> Result<Report, Problems> {
        Ok(Report::none("no bound is known of $kind"))
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        let (station, flow) = (&scenario.list("station")[0], &scenario.list("flow")[0]);
        let arriving = arrivals::arrivals(flow.table("arrivals")).expect("every kind of arrivals is open");
        let (process, begin) = arrivals::process(flow.table("arrivals"), &arriving);
        let service = laws::law(station.table("service"), |table| table.duration("mean")).expect("every kind is a law");
        Ok(Box::new(Settings { process, begin, service, server: station.name().to_owned() }))
    }
}

/// A scenario in the network's own types.
pub(crate) struct Settings {
    /// When customers arrive.
    pub process: Process,
    /// When the first may.
    pub begin: Time,
    /// How long each is served.
    pub service: Law,
    /// Name of the station.
    pub server: String,
}

impl Model for Settings {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let from = Time::ZERO + replication.warm_up;
        let to = from + replication.duration;
        let mut events = Queue::new();
        let mut world = World::new(self, &replication, &mut events);
        observe(&mut world, &mut events, from, to, replication.cancelled);
        Record { events: events.handled(), ..world.finish(to) }
    }
}
