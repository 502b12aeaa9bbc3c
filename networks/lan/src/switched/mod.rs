//! Switched LANs: interactive traffic and bulk transfers between hosts, over ATM cells or Ethernet frames.
//!
//! | part | concern |
//! |---|---|
//! | `network.rs` | the kind `switched-lan` |
//! | `scenario.rs` | how a scenario becomes hosts on a fabric |
//! | `cells/` | the network between the hosts as ATM: cells through switches |
//!
//! Hosts are those of every LAN ([`hosts`](crate::hosts)); Ethernet is the packet network of [`ip`](crate::ip).

pub mod cells;
pub mod keys;
mod network;
mod scenario;

pub use network::SwitchedLanNetwork;
