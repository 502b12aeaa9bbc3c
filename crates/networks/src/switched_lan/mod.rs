//! Switched LANs: hosts, links and switches. Interactive traffic beside bulk transfers, over ATM cells or whole packets.
//!
//! | part | concern |
//! |---|---|
//! | `topology.rs` | who is linked to whom, and the ways that packets take |
//! | `cells/` | that network as cells: adapters, links, ATM switches |
//! | `fabric.rs`, `frame.rs` | what the hosts know of the network between them |
//! | `packets/` | the network as whole packets over links: Ethernet, or any path IP takes |

pub mod cells;
pub mod fabric;
pub mod frame;
pub mod packets;
pub mod topology;
