//! NET/ROM, the network and transport layer of TheNet and its kin: packets and broadcasts as bytes in [`wire`], a node
//! with its routes and circuits in [`machine`].
//!
//! # Scope
//!
//! Met:
//! - the network layer: routes by quality with obsolescence, three for each destination, locked ones, a least quality,
//!   time to live; NODES broadcasts, with a route back to the listener told as none
//! - the transport layer: connect, refuse, disconnect, information and its acknowledgement with choke, NAK and
//!   more-follows; windows; packets that come before their turn are kept; repetition of all or of the oldest
//! - what programs do differently is a choice of [`Settings`](machine::Settings), with presets for TheNet X-1J4,
//!   TheNetNode, Linux, KA9Q NOS and LinBPQ: when acknowledgements go out, when the other side is choked and released,
//!   what a choked sender does, how much a user may hand over, how sequence numbers count
//! - the timeout and time to live that BPQ appends to connect packets, and G8PZT's reset, off unless set
//!
//! Not met, and why:
//! - IP over NET/ROM and other operations 0: their packets are handed to the driver as they are
//! - INP3 and other protocols that measure routes: no node of the studies speaks them
//! - digipeaters between neighbours: a neighbour is heard directly
//!
//! Where programs differ on the air, reading is liberal: addresses are masked, and a circuit's end is answered again when
//! it is asked for again.
//!
//! Sources: Linux net/netrom; KA9Q NOS nr3.c and nr4.c; TheNetNode; LinBPQ; WAMPES; the parameter lists of TheNet 1.22
//! (DG6MAY, 1992) and of TheNet X-1J4 (K4ABT, *X-1J4 "TheNET" node params*).
//!
//! # A dialogue
//!
//! ```
//! use std::sync::Arc;
//!
//! use sojourn_core::{Machine, Time};
//! use sojourn_protocols::netrom::machine::{Input, Neighbour, Node, Output, Settings};
//! use sojourn_protocols::netrom::wire::Alias;
//!
//! let calls = ["NODEA", "NODEB"].map(|call| call.parse().unwrap());
//! let settings = Arc::new(Settings::linux());
//! let mut nodes = calls.map(|own| {
//!     Node::<Vec<u8>>::new(own, Alias::NONE, [192], Arc::clone(&settings), Time::ZERO).unwrap()
//! });
//! for (index, node) in nodes.iter_mut().enumerate() {
//!     let neighbour = Neighbour { address: calls[1 - index], port: 0 };
//!     node.lock_route(neighbour.address, Alias::NONE, neighbour, 255);
//! }
//! nodes[0].handle(Time::ZERO, Input::Connect { user: "PING".parse().unwrap(), destination: calls[1] });
//! let circuit = nodes[0].opened().unwrap();
//! nodes[0].handle(Time::ZERO, Input::Send { circuit, data: b"hello".to_vec() });
//!
//! let mut heard = Vec::new();
//! for turn in [0, 1, 0, 1] {
//!     while let Some(output) = nodes[turn].poll_output() {
//!         match output {
//!             Output::Send { packet, .. } => {
//!                 let from = Neighbour { address: calls[turn], port: 0 };
//!                 nodes[1 - turn].handle(Time::ZERO, Input::Receive { from, packet });
//!             }
//!             Output::Deliver { data, .. } => heard.push(data),
//!             _ => {}
//!         }
//!     }
//! }
//! assert_eq!(heard, [b"hello".to_vec()]);
//! ```

pub mod machine;
pub mod wire;
