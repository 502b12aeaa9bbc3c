//! Measurements against peers without an agent: the common part of STAMP, the echo services, ICMP and applications.

use std::io;
use std::net::SocketAddr;

use sojourn_scenario::{Problem, Problems};

use crate::io::clock::Clock;
use crate::prober::loader::NoLoad;
use crate::prober::measurement::Measurement;
use crate::prober::peer::Peer;
use crate::prober::plan::TimedTest;
use crate::target::Target;
use crate::transport::{self, Measure};

/// Opens a peer at once; the closure measures.
pub fn measure<P: Peer + Send + 'static>(
    target: &Target,
    default_port: Option<u16>,
    measurement: transport::Measurement,
    open: impl FnOnce(Clock, SocketAddr, &TimedTest) -> io::Result<P>,
) -> Result<Measure, Problems> {
    let address = target.socket_address(default_port)?;
    measure_at(target, address.to_string(), measurement, |clock, plan| {
        open(clock, address, plan).map_err(|fault| cannot_reach(target, address, &fault))
    })
}

/// The same with the peer's name in reports, and mistakes under a caret.
pub fn measure_at<P: Peer + Send + 'static>(
    target: &Target,
    name: String,
    measurement: transport::Measurement,
    open: impl FnOnce(Clock, &TimedTest) -> Result<P, Problem>,
) -> Result<Measure, Problems> {
    let plan = measurement.plan.ok_or_else(|| target.whole_problem("the measurement has no schedule"))?;
    let clock = Clock::start();
    let mut peer = open(clock, &plan)?;
    Ok(Box::new(move |watch, _frames| {
        let measuring = Measurement { name, peer: &mut peer, loader: &mut NoLoad, clock, plan: &plan, watch };
        measuring.run()
    }))
}

/// Why a peer cannot be measured.
pub fn cannot_reach(target: &Target, address: SocketAddr, fault: &io::Error) -> Problem {
    match fault.kind() {
        io::ErrorKind::ConnectionRefused => {
            target.whole_problem(format!("no listener on TCP port {} of {}", address.port(), address.ip()))
        }
        io::ErrorKind::TimedOut => target.whole_problem(format!("{address} does not respond")),
        _ => target.whole_problem(format!("cannot reach {address}: {fault}")),
    }
}
