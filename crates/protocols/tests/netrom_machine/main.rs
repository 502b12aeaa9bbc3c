//! NET/ROM nodes on a hand clock.
//!
//! [`Network`](network::Network) joins nodes by links that take half a second and lose the packets they are told to;
//! packets go through their bytes. A user at each node consumes what is delivered at the pace it is told. What happens
//! is noted in words.

mod acknowledging;
mod any_input;
mod choking;
mod circuits;
mod loss;
mod network;
mod routing;
mod sending;
