//! ROSE switches on a manual clock.
//!
//! [`Lone`](lone::Lone) is one switch whose packets and events are logged after each input: put it in a state, pass it a
//! packet, expect exactly these packets and events. [`Chain`](chain::Chain) connects switches by trunks that lose selected
//! packets. Packets are encoded and parsed. Events are logged as text.

mod any_input;
mod calls;
mod chain;
mod collisions;
mod flow;
mod lone;
mod loops;
mod loss;
mod restarts;
mod transcript;
