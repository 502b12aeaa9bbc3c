//! Packet radio: AX.25 over shared radio channels and wires, with terminals, digipeaters, NET/ROM nodes and ROSE
//! switches, and a ping-pong of blocks between two terminals.

pub mod budget;
mod capture;
mod convergence;
pub mod information;
mod layout;
mod link_settings;
mod media;
pub mod medium;
mod metrics;
pub mod model;
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
mod transmit;
pub mod world;

pub use network::PacketRadioNetwork;
