//! The agent of `sojourn://`: responds to probes, sinks and sources load, for many clients at once.
//!
//! The machine is [`sojourn_protocols::probe::server::Server`]; this folder gives it sockets. From the network inwards:
//!
//! 1. [`listeners`] receive and send datagrams with kernel timestamps, and accept TCP connections;
//! 2. each connection is one of the [`streams`], with a thread of its own and limits that the machine grants;
//! 3. the [`handler`] authenticates datagrams, passes them to the machine, and reports events;
//! 4. the [`log`] has a line for each event, rate-limited.
//!
//! It listens on loopback only, unless it has [keys](crate::key) or is open. The keys form a [`keyring`], whose
//! [`rotation`] needs no restart.

mod endpoint;
mod gso_queue;
mod handler;
mod keyring;
mod listen_socket;
mod listeners;
mod log;
mod replies;
mod rotation;
mod streams;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::mpsc::{Sender, channel};

use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::server::{Rules, Server};
use sojourn_scenario::{Problem, Problems};

use self::handler::ServerHandler;
use self::keyring::Keyring;
use self::listen_socket::BindError;
use self::listeners::Listeners;
use self::rotation::watch_keys;
use crate::io::clock::Clock;
use crate::io::drive::Driver;
use crate::io::injected_loss::InjectedLoss;
use crate::progress::report::Report;
use crate::target::Target;
use crate::transport::{Listening, Measure, Measured};

/// Binds the listeners; the closure serves.
pub fn answer(target: &Target, addresses: &[SocketAddr], listening: Listening) -> Result<Measure, Problems> {
    let settings = listening.agent.clone().unwrap_or_default();
    settings.permit(target, addresses)?;
    let clock = Clock::start();
    let keyring = Keyring::new(settings.keys.clone());
    let sockets = Listeners::open(addresses, &keyring, clock, settings.measures.clone())
        .map_err(|fault| bind_error(target, &fault))?;
    let secret = Key::new(&crate::key::random_bytes::<32>().map_err(|fault| target.whole_problem(fault.to_string()))?);
    Ok(Box::new(move |watch, frames| {
        let loss = InjectedLoss::new(listening.seed, 0, "agent", listening.inject_loss);
        let addresses = sockets.addresses();
        let mut driver = Driver::new(sockets, loss, frames);
        driver.clock = clock;
        watch.begin("serving", "1", 0);
        for address in addresses {
            watch.report(Report::of_listener(address.to_string()));
        }
        let rules = Rules { measures: settings.measures.is_some(), ..settings.rules };
        let mut machine = Server::new(rules, secret);
        std::thread::scope(|scope| {
            let (over, is_over) = channel();
            let rotating = keyring.clone();
            if let Some(path) = settings.key_file.as_deref() {
                scope.spawn(move || watch_keys(path, &rotating, &is_over, watch));
            }
            driver.run(&mut machine, &mut ServerHandler::new(keyring, settings.no_cpu_idle, clock, &listening, watch));
            drop::<Sender<()>>(over);
        });
        driver.link.close();
        Measured::default()
    }))
}

/// The loopback addresses with this port: IPv4 and, if available, IPv6.
pub fn own_host(port: u16) -> Vec<SocketAddr> {
    let here = |address: IpAddr| SocketAddr::new(address, port);
    let mut addresses = vec![here(Ipv4Addr::LOCALHOST.into())];
    if std::net::UdpSocket::bind((Ipv6Addr::LOCALHOST, 0)).is_ok() {
        addresses.push(here(Ipv6Addr::LOCALHOST.into()));
    }
    addresses
}

fn bind_error(target: &Target, fault: &BindError) -> Problem {
    let BindError { transport, address, fault } = fault;
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
