//! The agent's side: cookies, sessions within limits, replies, load in both directions, and a summary of each session.
//!
//! [`Server`] is the state machine. Its files follow the life of a session: `admission`, `data` and `control`, `streams`
//! over TCP, `expiry`.

mod admission;
mod answered;
mod control;
mod cookies;
mod data;
mod event;
mod expiry;
pub mod fuzz;
mod io;
mod load;
mod machine;
mod phases;
mod rate_limiter;
mod replay_window;
mod session;
mod streams;

pub use event::{Event, Summary, canonical};
pub use io::{Arrival, Grant, Input, Output, Path, Rules};
pub use machine::Server;
pub use rate_limiter::RateLimiter;
pub use session::client_network;
