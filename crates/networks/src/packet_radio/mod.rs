//! Packet radio: AX.25 over shared radio channels and wires, with terminals, digipeaters, NET/ROM nodes and ROSE
//! switches, and a ping-pong of blocks between two terminals.

pub mod account;
mod air;
mod burst;
mod capture;
pub mod information;
mod layout;
mod links;
mod measure;
pub mod medium;
pub mod model;
mod network;
pub mod node;
pub mod port;
mod processor;
mod receiving;
mod report;
mod route;
mod scenario;
mod senders;
pub mod simulation;
pub mod site;
pub mod station;
pub mod switch;
pub mod terminal;
pub mod trip;

pub use network::PacketRadioNetwork;
