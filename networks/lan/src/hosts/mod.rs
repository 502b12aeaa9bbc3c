//! Hosts: their processors and adapters, and the programs on them.
//!
//! | part | concern |
//! |---|---|
//! | `costs.rs` | what a packet costs |
//! | `host.rs` | a processor and a bus, first come, first served |
//! | `client.rs` | a program that asks over UDP and waits for the answer |
//! | `requester.rs` | one that asks over TCP |
//! | `source.rs` | one that sends datagrams and expects no answer |
//! | `talker.rs` | one direction of a call |
//! | `transfer.rs` | a TCP connection, and programs that send over it without end, and take |

mod client;
mod costs;
mod host;
mod requester;
mod source;
mod talker;
mod transfer;

pub use client::Client;
pub use costs::{Costs, Work};
pub use host::{Host, Job};
pub use requester::{Exchanged, Requester};
pub use source::Source;
pub use talker::Talker;
pub use transfer::{End, Program, Ticks, Transfer, connections};
