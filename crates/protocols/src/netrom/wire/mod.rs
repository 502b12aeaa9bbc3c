//! NET/ROM packets between nodes, and NODES broadcasts that advertise routes, as octets and as values.
//!
//! ```text
//! packet         origin | destination | time to live | transport header | rest       Packet, Body
//! broadcast      FF | alias | 0 to 11 entries                                         Nodes
//! entry          destination | alias | best neighbour | quality                       Entry
//! ```
//!
//! Both are the information of AX.25 frames with PID CF: packets of I frames, broadcasts of UI frames to `NODES`.
//! [`Packet::parse`] and [`Nodes::parse`] return a value or a named [`ParseError`] for any octets; `emit` writes octets or
//! returns [`ShortBuffer`](crate::limits::ShortBuffer); `length` is exact. Nothing here panics on any input.
//!
//! Programs differ in their packets, so parsing is liberal: spare bits of addresses are ignored, known extensions at the
//! end of connect packets are parsed, octets beyond are ignored. Writing follows Linux net/netrom.

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
