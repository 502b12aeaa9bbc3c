//! LonTalk (ISO/IEC 14908-1, EIA-709.1): channels with predictive p-persistent CSMA, and nodes with three
//! processors each.
//!
//! | file | concern |
//! |---|---|
//! | `network`, `scenario`, `site` | the network and its model; a checked scenario in its types |
//! | `design` | rules of the trade that a site breaks, as warnings |
//! | `meaning` | what flows offer to channels, and timers, for notes before a run |
//! | `installation`, `routes` | addresses and groups, as an LNS tool assigns them; routes between media |
//! | `ip852/` | channels over IP networks |
//! | `learning` | what learning routers know |
//! | `channel`, `costs` | standard channels; CPU time per step |
//! | `world`, `event` | the simulation and its events |
//! | `applications`, `sources` | when applications send |
//! | `send` | from an application to the queue of a port |
//! | `access`, `medium/`, `backlog` | port queues and media access |
//! | `nodes`, `receive_queue`, `station`, `cpu` | nodes; the receivers of a packet; discarding by others |
//! | `receive` | from a medium to an application |
//! | `message`, `in_flight`, `latency_budget` | messages, packets and delay budgets in flight |
//! | `metrics`, `report`, `capture` | metrics, record and capture of a replication |
//! | `changes`, `timed`, `power` | how media, flows and stations obey a scenario's events |

mod access;
mod applications;
mod backlog;
mod capture;
mod changes;
pub mod channel;
pub mod costs;
mod cpu;
mod design;
mod event;
mod gauges;
mod in_flight;
mod installation;
pub mod ip852;
pub mod keys;
mod latency_budget;
mod learning;
#[cfg(feature = "rare")]
mod meaning;
pub mod medium;
mod message;
mod metrics;
mod network;
mod nodes;
mod power;
mod receive;
mod receive_queue;
mod repeats;
mod report;
mod routes;
mod scenario;
mod send;
pub mod site;
mod sources;
mod station;
mod timed;
mod world;

use sojourn_model::slab;

pub use network::{LonTalk, LonTalkNetwork};

/// Its network.
pub const NETWORKS: sojourn_model::Catalogue = sojourn_model::Catalogue(&[&LonTalkNetwork]);
