//! `queue`: a network of queueing stations.
//!
//! The smallest network. Many of its results are known in closed form (M/M/1, M/M/c, M/D/1, tandem queues, closed
//! networks), so it validates the engine and the confidence intervals; and it is the template of a network:
//!
//! | file | concern |
//! |---|---|
//! | `network` | what the network models and leaves out; how a replication runs |
//! | `scenario` | the checked scenario in the network's own types |
//! | `event`, `world` | the model: what happens, and what each event does |
//! | `station` | queue and servers of one station |
//! | `in_order` | the same model without events, where customers stay in order |
//! | `stepped` | the same model with an event for each departure, whose copies part at once: for rare events |
//! | `timed` | the same with events of the scenario: outages, flows that change |
//! | `metrics` | what one replication observed, as a record of metrics |
//! | `loads` | what each station is offered, in closed form |
//!
//! # Scope and limitations
//! Service is first come, first served (FCFS), without priorities or reneging; a customer that arrives at a
//! full station of finite capacity is lost. Transfers between stations take no time.

mod bounds;
mod controls;
mod event;
mod in_order;
pub mod keys;
mod loads;
mod metrics;
mod network;
pub mod scenario;
mod station;
mod stepped;
pub mod timed;
mod world;

#[cfg(test)]
mod controlled;
#[cfg(test)]
mod digests;
#[cfg(test)]
mod tests;

pub use network::QueueNetwork;

/// Its network.
pub const NETWORKS: sojourn_model::Catalogue = sojourn_model::Catalogue(&[&QueueNetwork]);
