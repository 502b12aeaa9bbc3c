//! FDDI (ANSI X3.139): rings with a timed token, hosts with a serial processor, and voice and data over XTP or
//! datagrams between them.

mod association;
mod capture;
pub mod fifo;
mod frame;
mod layout;
mod measure;
mod media;
pub mod model;
mod network;
mod processor;
mod receiving;
mod report;
pub mod ring;
mod routes;
mod scenario;
mod sending;
pub mod simulation;
pub mod site;
mod stream;
mod transport;
mod trip;
mod users;

pub use network::FddiNetwork;
