//! The measuring side: how a session is opened, spoken in, and asked for what the agent counted.
//!
//! [`Opening`] and [`Request`] are machines that send a packet again until it is answered; a [`Session`] turns probes
//! and load into bytes and answers into packets, and is cheap enough for every packet of a measurement.

mod opening;
mod patience;
mod request;
mod session;

pub use opening::{Opening, OpeningFailure};
pub use request::{Request, RequestFailure};
pub use session::Session;
