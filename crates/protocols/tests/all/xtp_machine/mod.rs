//! Dialogues of XTP endpoints on a hand clock.
//!
//! [`Network`](network::Network) joins hosts by a network that takes a millisecond for a packet and loses those
//! that a test selects. Packets go through their bytes. What happens is noted in words, one line each, in order.

mod any_input;
mod closing;
mod flow;
mod loss;
mod multicast;
mod network;
mod repair;
mod timers;
mod unicast;
mod violations;
