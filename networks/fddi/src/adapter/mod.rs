//! `fddi-adapter`: an FDDI adapter on the XMI bus of a VAX, stage by stage.
//!
//! ```text
//! ring <-> chip set <-> ring memory controller, FIFOs <-> packet memory <-> host interface <-> XMI <-> memory, driver
//!                          parser (receive)            control stage (ring entry mover)
//! ```
//!
//! A received frame comes from the `ring` burst by burst (`store`): through the FIFO and the ring memory controller's
//! bus to packet memory, while the parser examines its header. The `control` stage takes one frame at a time: it
//! moves the frame's entry and writes it to the host, for which the adapter must have read a descriptor (`receive`).
//! The data follow (`deliver`), one hexaword at a time, while the control stage proceeds to the next frame. On
//! transmission (`transmit`), the control stage reads a frame's entry, hexaword reads fetch the data (`fetch`), the
//! control stage moves the frame to the ring side, and the ring memory controller feeds the transmit FIFO (`send`).
//! Both directions request the `xmi` through the `interface`, with one request line per DMA channel, among up to
//! thirteen other nodes. Their shared state is the `context`; `world` passes frames and events between stages.
//!
//! A scenario's events (`effect`, `changes`, `timed`) power off the adapter, interrupt the ring, stop directions and
//! change shares of traffic; frames then arrive by events of their own, whatever happens to them.
//!
//! # Scope and limitations
//! Error frames, the adapter manager's firmware and bus retries are not modelled; the host processor takes no time.
//! Internal latencies, buffer sizes and queue depths are assumptions, as noted with each key.

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
#[cfg(feature = "rare")]
mod meaning;
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
