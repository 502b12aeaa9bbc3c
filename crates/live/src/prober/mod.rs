//! Timed tests: requests are sent on a schedule to any responding peer, and the responses become metrics.
//!
//! 1. a [`Peer`](peer::Peer) sends requests and receives responses: over UDP ([`udp_peer`]), over a TCP connection
//!    ([`tcp_peer`]), to a multicast group ([`multicast`]), to a service over connections
//!    ([`service_peer`]), or by a client machine on a line ([`line_peer`]);
//! 2. a [`TimedTest`](plan::TimedTest) is what is measured, a [`schedule`] when requests leave, the [`pacer`] keeps them on time, and
//!    [`probing`] is the loop that sends and receives, with the requests [`outstanding`] and the peer's [`silence`], while a
//!    [`Loader`](loader::Loader) loads the network;
//! 3. [`packets`] hold the timestamps, completed by [`last_residences`], from which come the [`clock_estimate`] of the peer's
//!    clock, unless both clocks are [`synchronized`], the [`phase_metrics`], those [by direction](direction_metrics), the
//!    [`outages`], the [`time_series`], the quality of [`voice`], and what the [`path`] does to packets;
//! 4. the [`request_log`] writes requests to a file as they are answered or time out;
//! 5. the [`calibration`] of this host precedes all of it.
//!
//! A [`Measurement`](measurement::Measurement) runs these in order and returns what was [`measured`]; one that does not end runs
//! in [`windows`], each reported as it ends.

pub mod calibration;
pub mod clock_estimate;
mod direction_metrics;
pub mod failures;
pub mod host_pauses;
mod last_residences;
pub mod line_peer;
pub mod loader;
pub mod measured;
pub mod measurement;
pub mod multicast;
mod outages;
mod outstanding;
pub mod pacer;
pub mod packets;
pub mod path;
pub mod peer;
mod phase_metrics;
pub mod phase_starts;
pub mod plan;
mod probing;
mod reconnection;
pub mod request_log;
pub mod schedule;
#[cfg(feature = "services")]
pub mod service_peer;
mod silence;
pub mod synchronized;
pub mod tcp_peer;
mod time_series;
pub mod udp_peer;
mod verdicts;
pub mod voice;
pub mod windows;
