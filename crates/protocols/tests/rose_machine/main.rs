//! ROSE switches on a hand clock.
//!
//! [`Lone`](lone::Lone) is one switch whose packets and events are noted as it is given something: put it in a state,
//! give it this, expect exactly that. [`Chain`](chain::Chain) joins switches by links that lose the packets they are
//! told to. Packets go through their bytes. What happens is noted in words.

mod any_input;
mod calls;
mod chain;
mod collisions;
mod flow;
mod lone;
mod loops;
mod loss;
mod restarts;
mod words;
