//! Packet radio: AX.25 over shared radio channels and wires, with terminals, digipeaters, NET/ROM nodes and ROSE
//! switches, and a ping-pong of blocks between two terminals.
//!
//! | file | concern |
//! |---|---|
//! | `network`, `scenario`, `site` | the network and its model; a checked scenario in its types |
//! | `layout`, `paths`, `link_settings` | media, ports and callsigns; paths; AX.25 parameters |
//! | `design` | settings that a site leaves out, as warnings |
//! | `meaning` | airtime that flows offer to channels, and link timers, for notes before a run |
//! | `world`, `event` | the simulation and its events |
//! | `medium/`, `media` | channel access and reception; a medium and its members |
//! | `transmit`, `receive` | bursts are loaded and keyed; frames end and are received |
//! | `station`, `context` | a station of any type, and what its type works with |
//! | `port`, `port_settings`, `processor` | its AX.25 on one medium, channel access parameters, its CPU |
//! | `terminal/`, `node/`, `switch/` | the types of stations |
//! | `convergence` | routing tables at the start |
//! | `traffic`, `sources` | background traffic |
//! | `information` | information fields of frames, and the streams they carry |
//! | `sessions/` | users and mailboxes that connect along a path, exchange and disconnect |
//! | `round_trip`, `track`, `latency_budget` | round-trip times and their delay budgets |
//! | `timed`, `power`, `changes` | how flows, media and stations obey a scenario's events |
//! | `metrics`, `report`, `capture` | counters, record and capture of a replication |

mod bounds;
mod capture;
mod changes;
mod context;
mod convergence;
mod design;
mod event;
mod gauges;
mod information;
pub mod keys;
mod latency_budget;
mod layout;
mod link_settings;
#[cfg(feature = "rare")]
mod meaning;
mod media;
pub mod medium;
mod metrics;
mod network;
mod no_route;
mod node;
mod paths;
mod port;
mod port_settings;
mod power;
mod processor;
mod receive;
mod report;
mod round_trip;
pub mod scenario;
mod sessions;
pub mod site;
mod sources;
mod station;
mod switch;
pub mod terminal;
mod timed;
mod track;
mod traffic;
mod transmit;
mod world;

pub use network::PacketRadioNetwork;

/// Its network.
pub const NETWORKS: sojourn_model::Catalogue = sojourn_model::Catalogue(&[&PacketRadioNetwork]);
