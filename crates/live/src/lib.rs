//! Real networks in real time: the protocol machines of the simulations, driven by the monotonic clock over sockets.
//!
//! A [`Target`] (a URL) names a transport of the [`registry`] and where the other end is. A transport opens its
//! [`link`] at once, so that every mistake of the user's is told before anything runs, and gives a closure that
//! measures, or listens, on whatever thread it is called; the [`Watch`] it shares with its watcher says how far it is
//! and asks it to stop. What was measured comes back as the same [`Record`](sojourn_metrics::record::Record)s that a simulation gives.
//!
//! The next transport is one more folder beside [`xtp`] and [`ax25`], and one row in the registry.

pub mod agent;
pub mod ax25;
pub mod clock;
pub mod drive;
pub mod gauge;
pub mod impairment;
pub mod key;
pub mod link;
pub mod measuring;
pub mod reflect;
pub mod relay;
pub mod report;
pub mod sojourn;
pub mod stamp;
pub mod survey;
pub mod target;
pub mod tcp_echo;
pub mod transport;
pub mod udp_echo;
pub mod wakeful;
pub mod watch;
pub mod xtp;

pub use gauge::Standing;
pub use report::Report;
pub use survey::Survey;
pub use target::Target;
pub use transport::{Experiment, Listening, Measured, Measurement, OnAir, Probe, Transport};
pub use watch::{Progress, Watch};

use sojourn_scenario::Problems;

/// Every transport, one row each.
pub fn registry() -> &'static [&'static dyn Transport] {
    &[
        &sojourn::Sojourn,
        &xtp::OverUdp,
        &xtp::OverIp,
        &ax25::KISS_OVER_TCP,
        &ax25::KISS_OVER_SERIAL,
        &ax25::Axudp,
        &stamp::Stamp,
        &udp_echo::UdpEcho,
        &tcp_echo::TcpEcho,
    ]
}

/// The transport that a URL names, and the URL taken apart.
pub fn find(url: &str) -> Result<(&'static dyn Transport, Target), Problems> {
    let schemes: Vec<&str> = registry().iter().map(|transport| transport.information().scheme).collect();
    let target = Target::parse(url, &schemes)?;
    let found = registry().iter().copied().find(|transport| transport.information().scheme == target.scheme());
    Ok((found.expect("the URL was taken apart by the registry's schemes"), target))
}
