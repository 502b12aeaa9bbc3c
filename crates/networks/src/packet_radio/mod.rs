//! Packet radio: AX.25 over shared radio channels and wires, with terminals, digipeaters, NET/ROM nodes and ROSE
//! switches, and a ping-pong of blocks between two terminals.

mod capture;
mod context;
mod convergence;
mod event;
pub mod information;
pub mod latency_budget;
mod layout;
mod link_settings;
mod media;
pub mod medium;
mod metrics;
mod network;
pub mod node;
mod paths;
pub mod port;
mod receive;
mod report;
pub mod round_trip;
mod scenario;
pub mod site;
mod sources;
pub mod station;
pub mod switch;
pub mod terminal;
mod traffic;
mod transmit;
pub mod world;

pub use network::PacketRadioNetwork;
