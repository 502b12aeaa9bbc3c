//! The machines of the measurement protocol, an agent and its clients, on a hand clock.

mod any_input;
mod bench;
mod ending;
mod load;
mod opening;
mod questions;
