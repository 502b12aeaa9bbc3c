//! Controller Area Network (ISO 11898-1): buses of CAN 2.0 and CAN FD whose nodes contend by identifier.
//!
//! | file | concern |
//! |---|---|
//! | `network` | the network and its model |
//! | `scenario`, `site`, `identifiers`, `routes` | a checked scenario in the network's own types; the buses that messages pass |
//! | `lengths` | bits of frames, by the stuffing of a bus |
//! | `design`, `meaning` | rules of the trade as warnings; what flows offer to buses, for notes before a run |
//! | `bounds/` | worst-case response times |
//! | `world`, `event` | the simulation and its events |
//! | `sources`, `offsets`, `in_flight`, `contents` | when messages are sent; messages and frames in flight, and their bytes |
//! | `node`, `bus` | the state of nodes and buses |
//! | `datagram`, `over_ip` | IP networks between gateways |
//! | `send`, `arbitration`, `faults`, `receive` | from an application to the bus, and from the bus to applications |
//! | `session`, `sessions`, `uds` | messages of several frames and requests: remote, SDO, ISO-TP, UDS, J1939 |
//! | `latency_budget`, `metrics`, `report`, `capture`, `gauges` | what is observed |
//! | `timed`, `changes`, `power` | how buses, flows and nodes obey a scenario's events |

mod arbitration;
pub mod bounds;
mod bus;
mod capture;
mod changes;
mod contents;
mod datagram;
mod design;
mod event;
mod faults;
mod gauges;
mod identifiers;
mod in_flight;
pub mod keys;
mod latency_budget;
pub mod lengths;
#[cfg(feature = "rare")]
mod meaning;
mod metrics;
mod network;
mod node;
mod offers;
mod offsets;
mod over_ip;
mod power;
mod receive;
mod report;
mod routes;
mod scenario;
mod send;
mod session;
mod sessions;
pub mod site;
mod sources;
mod timed;
mod uds;
mod world;

pub use network::CanNetwork;

/// Its network.
pub const NETWORKS: sojourn_model::Catalogue = sojourn_model::Catalogue(&[&CanNetwork]);
