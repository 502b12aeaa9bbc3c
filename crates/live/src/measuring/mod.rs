//! What every measurement by the clock shares, whoever answers.
//!
//! 1. a [`Peer`](peer::Peer) sends requests and reads answers; most are a [`Form`](speaker::Form) of datagram over a
//!    [`Speaker`](speaker::Speaker);
//! 2. [`datagrams`] are a socket with the kernel's stamps, brought by [`wall`] to the clock of the measurement.

pub mod datagrams;
pub mod peer;
pub mod speaker;
pub mod wall;
