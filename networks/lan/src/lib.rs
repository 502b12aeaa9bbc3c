//! Hosts on any LAN, and the interface to the network between them: what ATM, Ethernet and IP share.
//!
//! | part | concern |
//! |---|---|
//! | `keys.rs`, `rules.rs` | what a document may say, and what may not be said together |
//! | `scenario.rs`, `layout.rs`, `circuits.rs`, `flows.rs`, `calls.rs`, `tcp.rs` | how a scenario becomes a site |
//! | `site.rs`, `topology.rs` | hosts, links, paths, and what the hosts do |
//! | `fabric.rs`, `frame.rs` | the network between the hosts as they see it |
//! | `hosts/`, `packet.rs` | processors, adapters, programs; what they send |
//! | `model.rs`, `event.rs`, `world.rs` | a replication: hosts on a fabric as they run |
//! | `requests.rs`, `streams.rs` | requests over TCP, datagrams in one direction |
//! | `effect.rs`, `timed.rs` | what a scenario's events do to links and flows, how they obey |
//! | `ip/`, `switched/` | fabrics: paths of links; switches of cells or packets |
//! | `segment/` | wires that stations share: CSMA/CD and PLCA |
//! | `latency_budget.rs`, `metrics.rs`, `voice.rs`, `loads.rs`, `capture.rs`, `rtp.rs` | what is observed |
//! | `meaning/` | what is noted before a run: offered load, timers, costs, jitter buffers |
//! | `gauges.rs` | the levels that a rare event can be about |
//! | `bounds/` | worst cases |

mod bounds;
pub(crate) mod calls;
pub mod capture;
pub(crate) mod circuits;
pub mod effect;
mod event;
pub mod fabric;
pub(crate) mod flows;
pub mod frame;
pub mod gauges;
pub mod hosts;
pub mod ip;
pub mod keys;
pub mod latency_budget;
pub(crate) mod layout;
mod loads;
#[cfg(feature = "rare")]
mod meaning;
mod metrics;
pub mod model;
pub mod packet;
mod requests;
pub mod rtp;
mod rules;
pub mod scenario;
pub mod segment;
pub mod site;
mod streams;
pub mod switched;
mod tcp;
mod timed;
pub mod topology;
mod voice;
mod world;

/// Its networks.
pub const NETWORKS: sojourn_model::Catalogue =
    sojourn_model::Catalogue(&[&ip::IpNetwork, &switched::SwitchedLanNetwork]);
