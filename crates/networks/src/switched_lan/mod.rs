//! Switched LANs: hosts, links and switches. Interactive traffic beside bulk transfers, over ATM cells or whole packets.
//!
//! | part | concern |
//! |---|---|
//! | `scenario.rs`, `layout.rs`, `circuits.rs`, `flows.rs`, `tcp.rs` | how a scenario becomes a site |
//! | `site.rs`, `topology.rs` | hosts, links, ways, and what is done |
//! | `fabric.rs`, `frame.rs` | what the hosts know of the network between them |
//! | `cells/` | the network as ATM: cells through switches |
//! | `packets/` | the network as whole packets over links: Ethernet, or any path IP takes |
//! | `hosts/`, `packet.rs` | processors, adapters, programs; what they send |
//! | `world.rs` | all of it as it runs |
//! | `network.rs`, `ip.rs` | the two kinds of network that users write: a switched LAN, and any path of IP |
//! | `trip.rs`, `measure.rs`, `report.rs`, `capture.rs` | what is observed |

pub mod capture;
pub mod cells;
mod circuits;
pub mod fabric;
mod flows;
pub mod frame;
pub mod hosts;
mod ip;
mod layout;
mod measure;
mod model;
mod network;
mod packet;
pub mod packets;
mod report;
mod scenario;
pub mod site;
mod tcp;
pub mod topology;
pub mod trip;
mod world;

pub use ip::IpNetwork;
pub use network::SwitchedLanNetwork;
