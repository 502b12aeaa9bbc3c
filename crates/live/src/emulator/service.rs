//! The relay as a service: UDP and TCP on one port, until it is cancelled.

use std::io;
use std::net::SocketAddr;
use std::thread;

use sojourn_core::{Duration, Time};
use sojourn_scenario::{Problem, Problems};

use super::link::Counts;
use super::path::{LONGEST_WAIT, Path, Shared};
use super::{connections, datagrams};
use crate::io::clock::{Clock, to_system};
use crate::io::listen_error::listen_error;
use crate::progress::report::Report;
use crate::progress::watch::Watch;
use crate::target::Target;
use crate::transport::{Measure, Measured};

/// Attempts to find a port that is free for both UDP and TCP.
const ATTEMPTS: u32 = 16;

/// The configuration of a relay.
#[derive(Clone, Debug)]
pub struct Service {
    /// Address it listens on; port 0 for any.
    pub here: Target,
    /// Address of the remote host, with its port.
    pub remote: Target,
    /// Whether it may listen on an address that other hosts reach.
    pub open: bool,
    /// Impairments of both directions.
    pub path: Path,
    /// How long it runs; until cancelled when absent.
    pub duration: Option<Duration>,
    /// What a user of it should know, reported when it begins.
    pub notes: Vec<String>,
}

impl Service {
    /// Opens its ports; the closure relays.
    pub fn open(self) -> Result<Measure, Problems> {
        let (here, remote) = (self.here.socket_address(None)?, self.remote.socket_address(None)?);
        self.refuse(here, remote)?;
        let bytes =
            Path { forward: self.path.forward.of_bytes(), reverse: self.path.reverse.of_bytes(), seed: self.path.seed };
        let loses = bytes.forward != self.path.forward || bytes.reverse != self.path.reverse;
        let (packets, streams) = self.listeners(here, remote, &bytes)?;
        let address = packets.address().map_err(|fault| listen_error(&self.here, "UDP", here, &fault))?;
        let (duration, notes) = (self.duration, self.notes);
        Ok(Box::new(move |watch, _| {
            watch.begin("relaying", "1", 0);
            watch.report(Report::of_listener(address.to_string()));
            notes.into_iter().for_each(|text| watch.report(Report::note(text)));
            if loses {
                let text = "TCP is delayed and rate-limited, and held during outages: loss, duplication and reordering apply to datagrams";
                watch.report(Report::note(text.to_owned()));
            }
            run(packets, streams, remote, duration, watch);
            Measured::default()
        }))
    }

    fn refuse(&self, here: SocketAddr, remote: SocketAddr) -> Result<(), Problem> {
        if remote.port() == 0 {
            return Err(self
                .remote
                .whole_problem("port 0 cannot be addressed: give the port that the remote host listens on"));
        }
        if !here.ip().is_loopback() && !self.open {
            let message = "any host that reaches this address would reach the remote host through the relay";
            return Err(self
                .here
                .whole_problem(message)
                .help("--open allows it; 127.0.0.1 is reached from this host only"));
        }
        if here.port() == remote.port()
            && (here.ip() == remote.ip() || here.ip().is_unspecified() && remote.ip().is_loopback())
        {
            return Err(self.remote.whole_problem("the relay would forward to itself in a loop"));
        }
        Ok(())
    }

    /// Both listeners, on the same port.
    fn listeners(
        &self,
        here: SocketAddr,
        remote: SocketAddr,
        bytes: &Path,
    ) -> Result<(datagrams::Relay, connections::Relay), Problem> {
        let shared = Shared::start();
        let refused = |transport, fault: &io::Error| listen_error(&self.here, transport, here, fault);
        let mut left = if here.port() == 0 { ATTEMPTS } else { 1 };
        loop {
            left -= 1;
            let packets = datagrams::Relay::sharing(here, remote, &self.path, &shared);
            let packets = packets.map_err(|fault| refused("UDP", &fault))?;
            let same = packets.address().map_err(|fault| refused("UDP", &fault))?;
            match connections::Relay::sharing(same, remote, bytes, &shared) {
                Ok(streams) => return Ok((packets, streams)),
                // the system chose a port that is free for UDP only
                Err(fault) if fault.kind() == io::ErrorKind::AddrInUse && left > 0 => {}
                Err(fault) => return Err(refused("TCP", &fault)),
            }
        }
    }
}

/// Relays until it is cancelled or the time is over, then reports the counts.
fn run(
    packets: datagrams::Relay,
    streams: connections::Relay,
    remote: SocketAddr,
    duration: Option<Duration>,
    watch: &Watch,
) {
    let clock = Clock::start();
    let until = duration.map_or(Time::NEVER, |duration| clock.now() + duration);
    let within = Watch::new();
    let (packets, streams) = thread::scope(|scope| {
        let packets = scope.spawn(|| packets.run(&within));
        let streams = scope.spawn(|| streams.run(&within));
        while !watch.is_cancelled() && clock.now() < until {
            thread::sleep(to_system(until.since(clock.now()).min(LONGEST_WAIT)));
            watch.set_done(within.look().done);
        }
        within.cancel();
        let joined = "a relay has no reason to panic";
        (packets.join().expect(joined), streams.join().expect(joined))
    });
    let seconds = clock.now().since(Time::ZERO).seconds();
    watch.report(Report { seconds, ..of_datagrams("forward", remote, packets.forward, packets.unreachable) });
    watch.report(Report { seconds, ..of_datagrams("reverse", remote, packets.reverse, 0) });
    watch.report(Report { seconds, ..of_connections(remote, &streams) });
}

/// One direction's datagrams.
fn of_datagrams(kind: &'static str, remote: SocketAddr, counts: Counts, unreachable: u64) -> Report {
    let Counts { offered, octets, lost, queue_drops, outage_drops, duplicated, reordered } = counts;
    let counted = [
        ("lost", lost),
        ("queue_drops", queue_drops),
        ("outage_drops", outage_drops),
        ("duplicated", duplicated),
        ("reordered", reordered),
        ("unreachable", unreachable),
    ];
    Report { kind, bytes: octets, messages: offered, counts: counted.into(), ..of_relay(remote) }
}

/// All connections, both directions.
fn of_connections(remote: SocketAddr, relayed: &connections::Relayed) -> Report {
    let connections::Relayed { connections, unreachable, forward, reverse } = *relayed;
    let counts = [("forward", forward), ("reverse", reverse), ("unreachable", unreachable)].into();
    Report { kind: "connections", bytes: forward + reverse, messages: connections, counts, ..of_relay(remote) }
}

fn of_relay(remote: SocketAddr) -> Report {
    Report { peer: remote.to_string(), ended: "relayed".to_owned(), well: true, ..Report::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(here: &str, remote: &str) -> Problem {
        let target = |text| Target::of_address(text);
        let (here, remote) = (target(here), target(remote));
        let asked = Service { here, remote, open: false, path: Path::default(), duration: None, notes: Vec::new() };
        asked.open().err().unwrap_or_else(|| panic!("the configuration is valid")).0.remove(0)
    }

    #[test]
    fn other_hosts_reach_it_only_with_open() {
        let problem = refused("0.0.0.0:0", "127.0.0.1:9");
        assert!(problem.message.contains("any host that reaches this address"), "{}", problem.message);
        assert!(problem.help.unwrap().contains("--open"));
    }

    #[test]
    fn a_relay_to_itself_is_refused() {
        assert!(refused("127.0.0.1:7", "127.0.0.1:7").message.contains("to itself"));
    }

    #[test]
    fn a_port_that_is_missing_or_taken_is_named() {
        assert_eq!(refused("127.0.0.1", "127.0.0.1:9").message, "the port is missing, as in HOST:36000");
        assert!(refused("127.0.0.1:0", "127.0.0.1:0").message.contains("port 0 cannot be addressed"));
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let here = taken.local_addr().unwrap();
        let problem = refused(&here.to_string(), "127.0.0.1:9");
        assert_eq!(problem.message, format!("TCP port {} of 127.0.0.1 is in use", here.port()));
    }
}
