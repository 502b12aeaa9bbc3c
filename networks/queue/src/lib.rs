//! `queue`: a network of queueing stations.
//!
//! The smallest network. Many of its results are known in closed form (M/M/1, M/M/c, M/D/1, tandem queues, closed
//! networks), so it validates the engine and the confidence intervals; and it is the template of a network:
//!
//! | file | concern |
//! |---|---|
//! | `network` | what the network models and leaves out; how a replication runs |
//! | `scenario`, `plan` | the checked scenario in the network's own types; what its events do to stations and flows |
//! | `event`, `world` | the model: what happens, and what each event does |
//! | `customer`, `source` | a customer on its path, and where customers come from |
//! | `recursion` | a station whose departures are known on arrival, and cost no event |
//! | `station` | a station with an event for each departure: for outages, and for copies of rare events |
//! | `in_order` | customers that stay in order, by recursion without any event |
//! | `observer`, `metrics`, `levels` | what one replication observed, as a record of metrics |
//! | `splitting` | what rare events can be about, and what copies of a world draw again |
//! | `loads`, `meaning`, `bounds`, `controls` | offered loads in closed form, and too much of it as a note, worst cases, control variates |
//!
//! # Scope and limitations
//! Service is first come, first served (FCFS), without priorities or reneging; a customer that arrives at a
//! full station of finite capacity is lost. Transfers between stations take no time.

mod bounds;
mod controls;
mod customer;
mod event;
mod in_order;
pub mod keys;
mod levels;
mod loads;
#[cfg(feature = "rare")]
mod meaning;
mod metrics;
mod network;
mod observer;
pub mod plan;
mod recursion;
pub mod scenario;
mod source;
mod splitting;
mod station;
mod world;

#[cfg(test)]
mod controlled;
#[cfg(test)]
mod digests;
#[cfg(test)]
mod outages;
#[cfg(test)]
mod tests;

pub use network::QueueNetwork;

/// Its network.
pub const NETWORKS: sojourn_model::Catalogue = sojourn_model::Catalogue(&[&QueueNetwork]);
