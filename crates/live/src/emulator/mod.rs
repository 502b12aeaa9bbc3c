//! A network emulator in user space, for hosts without netem or without the privileges to configure it.
//!
//! Clients address the relay instead of the remote host; it forwards, delays or drops what they send:
//!
//! 1. an [`EmulatedLink`] decides on each packet from named random streams, so that the same seed gives the same verdicts;
//!    all of one direction share one [`SharedRateLimiter`];
//! 2. [`datagrams`] forwards UDP over a link in each direction, for many clients at a time, and can record what [`Passed`];
//! 3. [`connections`] forwards TCP, whose bytes are delayed and rate-limited but never lost or reordered;
//! 4. a [`Service`] does both on one port and reports the counts at its end.
//!
//! Every packet wakes the relay twice, which adds some tens of microseconds, more on a busy host: its delays are
//! accurate to about a millisecond, not to a microsecond.

pub mod connections;
pub mod datagrams;
mod impairment;
mod link;
mod passed;
mod path;
mod rate_limiter;
mod service;

pub use self::impairment::{Impairment, Link};
pub use self::link::{Counts, EmulatedLink, Verdict};
pub use self::passed::Passed;
pub use self::path::{Path, Shared};
pub use self::rate_limiter::SharedRateLimiter;
pub use self::service::Service;
