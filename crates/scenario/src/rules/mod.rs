//! Checks that take more than one key.

mod counts;
pub mod fddi;
pub mod fddi_adapter;
pub mod ip;
pub(crate) mod laws;
pub mod lontalk;
mod lontalk_ip852;
mod measurement;
pub mod monitor;
mod obeyed;
pub mod packet_radio;
mod propagation;
pub mod queue;
pub mod switched_lan;
mod switched_lan_cells;
mod switched_lan_framing;
mod switched_lan_packets;
