//! NET/ROM as bytes and as values: packets between nodes, and the broadcasts that tell of routes.
//!
//! ```text
//! packet         origin | destination | time to live | transport header | rest       Packet, Body
//! broadcast      FF | alias | 0 to 11 entries                                         Nodes
//! entry          destination | alias | best neighbour | quality                       Entry
//! ```
//!
//! Both are the information of AX.25 frames with PID CF: packets of I frames, broadcasts of UI frames to `NODES`.
//! [`Packet::parse`] and [`Nodes::parse`] take any bytes and give a value or a named [`ParseError`]; `emit` gives bytes
//! or an [`ShortBuffer`](crate::limits::ShortBuffer) when the buffer is short; `length` is exact. Nothing here panics, whatever it is given.
//!
//! What is on the air differs between programs, so reading is liberal: spare bits of addresses are not looked at,
//! extensions at the end of connect packets are taken where they are known, octets beyond are passed over. Writing
//! follows Linux net/netrom.

mod address;
mod body;
mod error;
mod examples;
pub mod fuzz;
mod nodes;
mod packet;

pub use body::{Body, CircuitNumber, Flow};
pub use error::ParseError;
pub use examples::{broadcasts, packets};
pub use nodes::{Alias, AliasError, ENTRY_LIMIT, Entry, Nodes};
pub use packet::{NETWORK_HEADER_LENGTH, OVERHEAD, Packet};
