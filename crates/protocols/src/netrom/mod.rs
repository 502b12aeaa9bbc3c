//! NET/ROM, the network and transport layer of TheNet and related programs: packets and NODES broadcasts in [`wire`], a
//! node with its routes and circuits in [`machine`].
//!
//! # Scope
//!
//! Implemented:
//! - the network layer: routes by quality with obsolescence counts, three for each destination, locked routes, minimum
//!   quality, time to live; NODES broadcasts, with poison reverse (quality 0) for a route back through the receiver
//! - the transport layer: connect, refuse, disconnect, information and its acknowledgement with choke, NAK and
//!   more-follows; windows; reordering of packets received out of sequence; retransmission of all packets or the oldest
//! - where programs differ, [`Settings`](machine::Settings) decide, with presets for TheNet X-1J4, TheNetNode, Linux,
//!   KA9Q NOS and LinBPQ: when acknowledgements are sent, when the peer is choked and released, what a choked sender
//!   does, the limit of the send queue, the modulus
//! - the timeout and time to live that BPQ appends to connect packets, and G8PZT's reset, off unless set
//!
//! Not implemented, and why:
//! - IP over NET/ROM and other operations 0: their packets are passed to the driver unchanged
//! - INP3 and other protocols that measure routes: no node of the studies uses them
//! - digipeaters between neighbours: neighbours are in direct range
//!
//! Where programs differ in their packets, parsing is liberal: addresses are masked, and a repeated disconnect request is
//! acknowledged again.
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
//! for (own, node) in nodes.iter_mut().enumerate() {
//!     let neighbour = Neighbour { address: calls[1 - own], port: 0 };
//!     node.lock_route(neighbour.address, Alias::NONE, neighbour, 255);
//! }
//! nodes[0].handle(Time::ZERO, Input::Connect { user: "PING".parse().unwrap(), destination: calls[1] });
//! let circuit = nodes[0].opened().unwrap();
//! nodes[0].handle(Time::ZERO, Input::Send { circuit, data: b"hello".to_vec() });
//!
//! let mut delivered = Vec::new();
//! for index in [0, 1, 0, 1] {
//!     while let Some(output) = nodes[index].poll_output() {
//!         match output {
//!             Output::Send { packet, .. } => {
//!                 let from = Neighbour { address: calls[index], port: 0 };
//!                 nodes[1 - index].handle(Time::ZERO, Input::Receive { from, packet });
//!             }
//!             Output::Deliver { data, .. } => delivered.push(data),
//!             _ => {}
//!         }
//!     }
//! }
//! assert_eq!(delivered, [b"hello".to_vec()]);
//! ```

pub mod machine;
pub mod wire;
