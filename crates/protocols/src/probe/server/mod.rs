//! The agent's side: cookies, sessions within limits, replies, load both ways, and what came of each session.
//!
//! [`Server`] is the machine. Its files follow a session's life: `admission`, `data` and `control`, `streams` over TCP,
//! `ending`.

mod admission;
mod allowance;
mod control;
mod data;
mod ending;
mod event;
pub mod fuzz;
mod io;
mod jar;
mod machine;
mod sending;
mod session;
mod streams;
mod window;

pub use allowance::Allowance;
pub use event::{Event, Summary};
pub use io::{Arrival, Grant, Input, Output, Rules};
pub use machine::Server;
