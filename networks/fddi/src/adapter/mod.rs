//! `fddi-adapter`: an FDDI adapter on the XMI bus of a VAX, stage by stage.
//!
//! ```text
//! ring <-> chip set <-> ring memory controller, FIFOs <-> packet memory <-> host interface <-> XMI <-> memory, driver
//!                          parser (receive)            control stage (ring entry mover)
//! ```
//!
//! A received frame comes from the `ring` burst by burst (`store`): through the FIFO and the ring memory controller's bus
//! to packet memory, while the parser looks at its header. The `control` stage takes one frame after the other: it moves
//! the frame's entry and writes it to the host, where the adapter has read a descriptor for it (`receive`). The data
//! follow (`deliver`), a hexaword at a time, while the control stage is at the next frame. To send (`transmit`), the
//! control stage reads a frame's entry, the data come by hexaword reads (`fetch`), the control stage moves the frame to
//! the ring's side, and the ring memory controller feeds the transmit FIFO (`send`). Both directions request the `xmi`
//! through the `interface`, a request line for each DMA channel, among up to thirteen other nodes. What both share is
//! their `context`; `world` passes frames and events from one to the other.
//!
//! A scenario's events (`effect`, `changes`, `timed`) take power from the adapter, interrupt the ring, stop directions and change
//! shares; frames then come by events of their own, whatever becomes of them.
//!
//! # Scope and limitations
//! Error frames, the adapter manager's firmware and retries on the bus are left out; the host's processor takes no time.
//! Internal latencies, sizes of buffers and depths of queues are assumptions, as is said with each key.

mod bounds;
pub mod bus;
mod changes;
mod context;
mod control;
mod deliver;
mod descriptors;
mod effect;
mod event;
mod fetch;
mod fifo;
mod frame;
mod gauges;
mod interface;
pub mod keys;
mod latency_budget;
mod meter;
mod metrics;
mod network;
mod receive;
mod ring;
mod scenario;
mod send;
mod settings;
mod sizes;
mod source;
mod store;
mod timed;
mod transmit;
mod world;
mod xmi;

#[cfg(test)]
mod tests;

pub use network::FddiAdapterNetwork;
