//! Hosts: their processors and adapters, and the programs on them.
//!
//! | part | concern |
//! |---|---|
//! | `costs.rs` | what a packet costs |
//! | `host.rs` | a processor and a bus, first come, first served |
//! | `client.rs` | a program that asks and waits for the answer |
//! | `talker.rs` | one direction of a call |
//! | `transfer.rs` | programs that send over TCP without end, and take |

mod client;
mod costs;
mod host;
mod talker;
mod transfer;

pub use client::Client;
pub use costs::{Costs, Work};
pub use host::{Host, Job};
pub use talker::Talker;
pub use transfer::{End, Ticks, Transfer};
