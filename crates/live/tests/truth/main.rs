//! Figures of a measurement through the network emulator, held against the emulator's record of every packet.

#[path = "../sojourn_agent/agent.rs"]
mod agent;
mod clocks;
mod directions;
mod load;
mod network;
mod record;
#[path = "../reflector/mod.rs"]
mod reflector;
mod table;
