//! NET/ROM nodes on a manual clock.
//!
//! [`Network`](network::Network) connects nodes by links of half a second that lose selected packets; packets are encoded
//! and parsed. A user at each node consumes delivered data at a set pace. Events are logged as text.

mod acknowledging;
mod any_input;
mod choking;
mod circuits;
mod loss;
mod network;
mod routing;
mod sending;
