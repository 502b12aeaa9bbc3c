//! IP networks: packets over links, each output with a queue, an optional token bucket and a line.
//!
//! A station receives a packet completely before it forwards it. A datagram larger than the MTU of its path travels in
//! fragments. Hosts are those of every LAN ([`hosts`](crate::hosts)); the Ethernet of a switched LAN is the same packet network.
//!
//! | part | concern |
//! |---|---|
//! | `network.rs` | the kind `ip` |
//! | `scenario.rs`, `settings.rs` | how a scenario becomes hosts on links; what an output is configured with |
//! | `cake.rs` | what CAKE is configured with |
//! | `disciplines.rs` | how the keys of a queue become its settings |
//! | `packet.rs` | packets in flight, and the lists they wait in |
//! | `fragments.rs` | IP fragmentation |
//! | `queue/` | queue disciplines |
//! | `shaping.rs` | token buckets |
//! | `conditioner.rs`, `meter.rs` | shaping and marking of a flow at its senders |
//! | `wire.rs` | transmission, propagation, loss, jitter and reordering of a link |
//! | `port.rs` | an output: queue, token bucket and line, and its counters |
//! | `wires.rs`, `shared.rs` | wires that stations share, and outputs to them |
//! | `fabric.rs` | all outputs together, as hosts see them |
//! | `emulated.rs` | the path of the probe as a network emulator takes it |
//! | `links.rs` | the directions of all links as other tools take them |

mod cake;
mod conditioner;
mod conditioners;
mod disciplines;
pub mod emulated;
pub mod events;
mod fabric;
mod fragments;
pub mod keys;
pub mod links;
mod meter;
mod network;
mod packet;
mod port;
mod queue;
pub mod scenario;
mod settings;
mod shaping;
mod shared;
#[cfg(test)]
mod tests;
mod wire;
mod wires;

pub use cake::{CakeSettings, Carrier, Compensation, Headers, Isolation, Tins};
pub use fabric::Packets;
pub use fragments::fragments;
pub use network::IpNetwork;
pub use settings::{
    CeThreshold, ConditionerSettings, ControlledDelay, Discipline, DualPi2Settings, EarlyDetection, Framing, Limit,
    LinkSettings, Measure, MeterSettings, Overflow, Overload, Pace, PieSettings, PortSettings, QueueSettings, Settings,
    Shaping,
};
