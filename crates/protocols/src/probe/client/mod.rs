//! The client side of the protocol: opens a session, encodes its packets, and requests the agent's counters.
//!
//! [`Opening`] and [`Request`] are state machines that retransmit a packet until it is answered; a [`Session`] encodes
//! probes and load and decodes responses, at a cost that fits every packet of a measurement.

mod opening;
mod request;
mod retry;
mod session;

pub use opening::{OpenError, Opening};
pub use request::{Request, RequestError};
pub use session::{LoadRequest, Session};
