//! Ends that send back what they get: what STAMP's reflector and the echo of UDP share.
//!
//! Nobody is asked who he is, so a reflector must not be worth abusing:
//!
//! 1. it listens only where the user said, on a port of its own;
//! 2. a reply is never longer than what it answers;
//! 3. a [`quota`] limits what one host gets back, and what all get;
//! 4. nothing is sent to ports below 1024 or to its own: two reflectors that were told of each other, or a reflector and
//!    a chargen, would go on for ever.

mod clerk;
mod door;
mod group;
pub mod quota;

use sojourn_core::Machine;
use sojourn_scenario::{Problem, Problems};

use self::clerk::Clerk;
pub use self::door::Door;
use self::quota::Quota;
use crate::clock::Clock;
use crate::drive::Driver;
use crate::impairment::InjectedLoss;
use crate::measuring::datagrams::Arrival;
use crate::report::Report;
use crate::target::Target;
use crate::transport::{Listening, Measure, Measured};

/// What turns datagrams into a machine's inputs, and its outputs into datagrams.
pub trait Rule<M: Machine> {
    /// What a datagram means to the machine; `None` when it is no PDU of the protocol.
    fn read(&mut self, arrival: Arrival, datagram: &[u8]) -> Option<M::Input>;

    /// Writes an output to the empty `datagram`, and says whom it is for.
    fn write(&mut self, output: M::Output, datagram: &mut Vec<u8>) -> std::net::SocketAddr;
}

/// Opens a socket at the URL's address; the closure reflects until it is told to stop.
pub fn listen<M, R>(
    target: &Target,
    default_port: Option<u16>,
    listening: Listening,
    make: impl FnOnce(Clock) -> (M, R),
) -> Result<Measure, Problems>
where
    M: Machine + Send + 'static,
    R: Rule<M> + Send + 'static,
{
    let clock = Clock::start();
    let door = group::open(target, default_port, clock)?;
    let (mut machine, rule) = make(clock);
    let quota = Quota::of(door.address().ip());
    Ok(Box::new(move |watch, frames| {
        let loss = InjectedLoss::new(listening.seed, 0, "reflector", listening.inject_loss);
        let mut driver = Driver::new(door, loss, frames);
        driver.clock = clock;
        let here = driver.link.address();
        watch.begin("reflecting", "1", 0);
        watch.report(Report::of_listener(here.to_string()));
        let mut clerk = Clerk::new(rule, quota, here.port(), &listening, watch);
        driver.run(&mut machine, &mut clerk);
        watch.report(Report::note(clerk.summary(here)));
        Measured::default()
    }))
}

/// Why a socket cannot listen.
pub fn unopened(target: &Target, transport: &str, address: std::net::SocketAddr, fault: &std::io::Error) -> Problem {
    let (ip, port) = (address.ip(), address.port());
    match fault.kind() {
        std::io::ErrorKind::AddrInUse => target
            .whole_problem(format!("{transport} port {port} of {ip} is in use"))
            .help(format!("take another port, or see who has it: ss -tulpn 'sport = :{port}'")),
        std::io::ErrorKind::PermissionDenied => target
            .whole_problem(format!("listening on {transport} port {port} needs the capability CAP_NET_BIND_SERVICE"))
            .help("take a port from 1024 on"),
        std::io::ErrorKind::AddrNotAvailable => target
            .whole_problem(format!("this host has no address {ip}"))
            .help("0.0.0.0 and [::] stand for all addresses, 127.0.0.1 and [::1] for this host alone"),
        _ => target.whole_problem(format!("cannot listen on {transport} port {port} of {ip}: {fault}")),
    }
}
