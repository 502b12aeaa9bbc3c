//! FDDI (ANSI X3.139): rings with a timed token, hosts with a serial processor, and voice and data over XTP or
//! datagrams between them.

mod association;
mod capture;
mod event;
pub mod fifo;
mod frame;
mod job;
mod latency_budget;
mod layout;
mod media;
mod metrics;
mod network;
mod port;
mod receiving;
mod report;
pub mod ring;
mod routes;
mod scenario;
mod sending;
pub mod site;
mod stream;
mod transport;
mod users;
pub mod world;

pub use network::{Fddi, FddiNetwork};
