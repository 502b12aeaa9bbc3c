//! `modbus`: clients that poll servers over serial lines (RTU, ASCII), TCP and gateways.
//!
//! | file | concern |
//! |---|---|
//! | `network`, `scenario`, `site`, `requests` | the network and its model; a checked scenario in its types; which requests a poll becomes |
//! | `routes` | from a client to a server: a line, a connection, a gateway |
//! | `keys/` | keys, rules, template |
//! | `world`, `event` | the simulation and its events |
//! | `sources`, `rounds` | when a flow asks, and what next |
//! | `connection`, `poll` | a client's machine on its line or connection; what is asked, in flight |
//! | `line`, `tcp`, `gateway`, `device` | serial lines; links; from one to the other; what a server needs |
//! | `metrics`, `report`, `latency_budget`, `capture` | what one replication observed |
//! | `changes`, `timed`, `power` | how the network obeys the events of a scenario |
//! | `bounds`, `worst`, `times`, `gauges`, `meaning`, `design` | worst cases and the times they are of, rare events, notes and warnings |

mod bounds;
mod bus;
mod capture;
mod changes;
mod clients;
mod connection;
mod design;
mod device;
mod event;
mod gateway;
mod gauges;
pub mod keys;
mod latency_budget;
mod line;
mod link;
#[cfg(feature = "rare")]
mod meaning;
mod metrics;
mod network;
mod poll;
mod power;
mod report;
mod requests;
mod rounds;
mod routes;
mod scenario;
pub mod site;
mod sources;
mod tcp;
mod timed;
mod times;
mod world;
mod worst;

pub use network::{Modbus, ModbusNetwork};

/// Its network.
pub const NETWORKS: sojourn_model::Catalogue = sojourn_model::Catalogue(&[&ModbusNetwork]);
