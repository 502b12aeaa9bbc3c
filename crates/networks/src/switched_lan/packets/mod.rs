//! Whole packets over links: what lies between the hosts of an Ethernet, or of any path that IP takes today.
//!
//! A station takes a packet in whole before it sends it on. Every output has a queue, a token bucket behind it if its
//! operator wished one, and a wire; a datagram that is too long for its way goes in fragments.
//!
//! | part | concern |
//! |---|---|
//! | `settings.rs` | what an output is told |
//! | `scenario.rs` | where that comes from |
//! | `packet.rs` | packets under way, and the lists they wait in |
//! | `fragments.rs` | how a datagram is cut up |
//! | `queue/` | who waits, who is dropped, who is next |
//! | `shaping.rs` | token buckets |
//! | `wire.rs` | how long a packet is on its way |
//! | `port.rs` | an output: queue, bucket and wire together, and what is counted there |
//! | `fabric.rs` | all outputs together, as hosts know them |

mod fabric;
mod fragments;
mod packet;
mod port;
mod queue;
pub mod scenario;
mod settings;
mod shaping;
#[cfg(test)]
mod tests;
mod wire;

pub use fabric::Packets;
pub use settings::{
    ControlledDelay, Discipline, Framing, Limit, LinkSettings, Overflow, PortSettings, QueueSettings, Settings, Shaping,
};
