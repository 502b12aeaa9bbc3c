//! The agent of `sojourn://`: answers probes, takes and sends load, for many who measure at once.
//!
//! The machine is [`sojourn_protocols::probe::server::Server`]; this folder gives it sockets. From the world inwards:
//!
//! 1. [`listeners`] carry datagrams with the kernel's stamps of their arrival and departure, and take in TCP connections;
//! 2. each connection is one of the [`streams`], with a thread of its own, and may do what the machine grants it;
//! 3. the [`handler`] finds out whose datagrams are authentic, hands them to the machine, and tells what came of it;
//! 4. the [`log`] has a line for every event, and not more than a few a second.
//!
//! It is reached from its own host alone unless it has a [`key`](crate::key) or is told to be open to all.

mod gso_queue;
mod handler;
mod listeners;
mod log;
mod replies;
mod streams;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::server::Server;
use sojourn_scenario::{Problem, Problems};

use self::handler::ServerHandler;
use self::listeners::Listeners;
use crate::io::clock::Clock;
use crate::io::drive::Driver;
use crate::io::injected_loss::InjectedLoss;
use crate::progress::report::Report;
use crate::target::Target;
use crate::transport::{Listening, Measure, Measured};

/// Opens the doors at the URL's address; the closure serves.
pub fn answer(target: &Target, addresses: &[SocketAddr], listening: Listening) -> Result<Measure, Problems> {
    let settings = listening.agent.clone().unwrap_or_default();
    settings.permit(target, addresses)?;
    let clock = Clock::start();
    let key = settings.key.clone().unwrap_or_else(|| Key::new(b""));
    let sockets = Listeners::open(addresses, &key, clock).map_err(|fault| bind_error(target, &fault))?;
    let secret = Key::new(&crate::key::chance::<32>().map_err(|fault| target.whole_problem(fault.to_string()))?);
    Ok(Box::new(move |watch, frames| {
        let loss = InjectedLoss::new(listening.seed, 0, "agent", listening.inject_loss);
        let addresses = sockets.addresses();
        let mut driver = Driver::new(sockets, loss, frames);
        driver.clock = clock;
        watch.begin("serving", "1", 0);
        for address in addresses {
            watch.report(Report::of_listener(address.to_string()));
        }
        let mut machine = Server::new(settings.rules, secret);
        driver.run(&mut machine, &mut ServerHandler::new(key, settings.no_cpu_idle, &listening, watch));
        driver.link.close();
        Measured::default()
    }))
}

/// A port of this host alone, over IPv4 and, where the host has that, IPv6.
pub fn own_host(port: u16) -> Vec<SocketAddr> {
    let here = |address: IpAddr| SocketAddr::new(address, port);
    let mut addresses = vec![here(Ipv4Addr::LOCALHOST.into())];
    if std::net::UdpSocket::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
        addresses.push(here(Ipv6Addr::LOCALHOST.into()));
    }
    addresses
}

fn bind_error(target: &Target, fault: &listeners::BindError) -> Problem {
    let listeners::BindError { transport, address, fault } = fault;
    let (ip, port) = (address.ip(), address.port());
    match fault.kind() {
        std::io::ErrorKind::AddrInUse => target
            .whole_problem(format!("{transport} port {port} of {ip} is in use"))
            .help(format!("is another agent running? find the port's owner: ss -tulpn 'sport = :{port}'")),
        std::io::ErrorKind::PermissionDenied => target
            .whole_problem(format!("listening on {transport} port {port} needs the capability CAP_NET_BIND_SERVICE"))
            .help("choose a port above 1023"),
        std::io::ErrorKind::AddrNotAvailable => target
            .whole_problem(format!("this host has no address {ip}"))
            .help("0.0.0.0 listens on all IPv4 addresses, [::] on all addresses, 127.0.0.1 on loopback only"),
        _ => target.whole_problem(format!("cannot listen on {transport} port {port} of {ip}: {fault}")),
    }
}
