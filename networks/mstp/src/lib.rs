//! BACnet MS/TP (ANSI/ASHRAE 135 clause 9): RS-485 trunks with masters that pass a token and slaves that answer, routers, and
//! BACnet requests between applications.
//!
//! | file | concern |
//! |---|---|
//! | `network` | what the network models and leaves out; the runs of a replication |
//! | `scenario`, `addresses`, `site`, `routes` | the checked scenario in the network's own types |
//! | `event`, `world` | the simulation and its events |
//! | `node`, `port`, `trunk`, `access` | protocol machines; the line, who sends, who hears, whose timer is due |
//! | `npdu`, `request`, `sources` | what frames carry, requests, when they come |
//! | `clients`, `servers`, `hops` | who asks, who replies, the path between them over routers and IP networks |
//! | `changes`, `timed` | what a scenario's events have changed; how stations, trunks and flows obey |
//! | `metrics`, `latency_budget`, `report`, `capture` | what a run observes, as a record of metrics; what it captures |
//! | `demand`, `bounds` | the largest frames and how many; worst cases |
//! | `design`, `meaning`, `gauges` | rules of the trade, what flows offer, quantities of rare events |

mod access;
mod addresses;
mod bounds;
mod capture;
mod changes;
mod clients;
mod demand;
mod design;
mod event;
mod gauges;
mod hops;
pub mod keys;
mod latency_budget;
#[cfg(feature = "rare")]
mod meaning;
mod metrics;
mod network;
mod node;
mod npdu;
mod port;
mod report;
mod request;
mod routes;
mod scenario;
mod servers;
mod site;
mod sources;
mod timed;
mod trunk;
mod world;

pub use network::MstpNetwork;

/// Its network.
pub const NETWORKS: sojourn_model::Catalogue = sojourn_model::Catalogue(&[&MstpNetwork]);
