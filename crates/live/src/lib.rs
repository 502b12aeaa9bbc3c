//! Real networks in real time: the protocol machines of the simulations, driven by the monotonic clock over sockets.
//!
//! A [`Target`] (a URL) names a transport of the [`registry`] and where the other end is. A transport opens its
//! [`link`] at once, so that every mistake of the user's is told before anything runs, and gives a closure that
//! measures, or listens, on whatever thread it is called; the [`Watch`] it shares with its watcher says how far it is
//! and asks it to stop. What was measured comes back as the same [`Record`]s that a simulation gives.
//!
//! The next transport is one more folder beside [`xtp`] and one row in the registry.

pub mod clock;
pub mod drive;
pub mod impairment;
pub mod link;
pub mod report;
pub mod target;
pub mod watch;

pub use report::Report;
pub use target::Target;
pub use watch::Watch;
