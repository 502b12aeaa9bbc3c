//! FDDI (ANSI X3.139): rings with a timed token, hosts with a serial processor, and voice and data over XTP or
//! datagrams between them.
//!
//! | file | concern |
//! |---|---|
//! | `network` | what the network models and leaves out; the runs of a replication |
//! | `scenario`, `rates`, `layout`, `association`, `site` | the checked scenario in the network's own types |
//! | `adapter/` | the adapter of a station on its system bus, a network of its own |
//! | `ring/` | the timed-token MACs of a ring |
//! | `frame`, `port`, `routes` | frames in flight, MACs, routes between rings |
//! | `media` | the rings of a site and the generators that load them |
//! | `stream`, `streams`, `fifo`, `channel`, `talkspurts` | the messages of a stream, all streams, the FIFOs of voice, its rating and pauses |
//! | `users` | what users write: exchanges, bulk, voice, messages |
//! | `context` | rings, users and frames, as a host works with them |
//! | `transport` | the XTP machine of a host |
//! | `host`, `job` | a host's CPU, adapter and routing |
//! | `hosts` | the jobs of the hosts, from a write to a delivery |
//! | `world`, `event` | the simulation and its events |
//! | `effect`, `plan`, `changes`, `timed` | what a scenario's events do; what they have changed; how stations, rings and flows obey |
//! | `meaning` | what flows offer to rings and processors, for notes before a run |
//! | `metrics`, `latency_budget`, `capture` | what a run observes, as a record of metrics; what it captures |

pub mod adapter;
mod association;
mod bounds;
mod capture;
mod changes;
mod channel;
mod context;
mod effect;
mod event;
pub mod fifo;
mod frame;
mod gauges;
mod host;
mod hosts;
mod job;
pub mod keys;
mod latency_budget;
mod layout;
mod loads;
#[cfg(feature = "rare")]
mod meaning;
mod media;
mod metrics;
mod network;
mod plan;
mod port;
mod rates;
pub mod ring;
mod routes;
pub mod scenario;
pub mod site;
mod stream;
mod streams;
mod talkspurts;
mod timed;
mod transport;
mod users;
mod world;

pub use network::{Fddi, FddiNetwork};

/// Its networks.
pub const NETWORKS: sojourn_model::Catalogue = sojourn_model::Catalogue(&[&FddiNetwork, &adapter::FddiAdapterNetwork]);
