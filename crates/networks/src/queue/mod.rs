//! `queue`: stations that serve customers one after another.
//!
//! The smallest network there is. Its results are known in closed form in many cases (M/M/1, M/M/c, M/D/1,
//! tandems, closed populations), so it is where the engine and the intervals are checked; and it is the
//! template of a network:
//!
//! 1. `settings` turns the checked scenario into the network's own types;
//! 2. `station` and `world` are the model: what an event does;
//! 3. `measures` is what one replication observed, as a record of metrics;
//! 4. this page says what the network is, and hands the parts to each other.
//!
//! # Scope and limitations
//! Service is first come, first served, without priorities, breakdowns or impatience; a customer that finds a
//! station of limited capacity full is lost. Customers move between stations in no time.

mod measures;
mod settings;
mod station;
mod world;

#[cfg(test)]
mod tests;

use sojourn_core::Time;
use sojourn_engine::{Queue, run};
use sojourn_metrics::Record;
use sojourn_scenario::{Problems, Scenario};

use crate::{Information, Model, Network, Replication};
use settings::Settings;
use world::Customers;

/// The registry's row.
pub struct QueueNetwork;

static INFORMATION: Information = Information {
    kind: "queue",
    summary: "Stations that serve customers one after another: M/M/1, M/D/1, tandems, closed populations.",
    models: &[
        "stations with one or several servers, first come, first served",
        "exponential, deterministic and normal service times",
        "limited capacity, with loss of customers that find no room",
        "open flows through several stations, and closed populations with think time",
    ],
    leaves_out: &["priorities, breakdowns and impatient customers", "travel times between stations"],
    sources: &[
        "L. Kleinrock, Queueing Systems, volume 1: Theory, Wiley, 1975",
        "M. Reiser and S. S. Lavenberg, Mean-value analysis of closed multichain queuing networks, J. ACM 27, 1980",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
};

impl Network for QueueNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(Settings::of(scenario)))
    }
}

impl Model for Settings {
    fn replicate(&self, replication: Replication<'_>) -> Record {
        let mut customers = Customers::new(self, &replication);
        let mut queue = Queue::new();
        customers.begin(&mut queue);
        let end = Time::ZERO + replication.warm_up + replication.duration;
        run(&mut customers, &mut queue, end, replication.cancelled);
        customers.finish()
    }
}
