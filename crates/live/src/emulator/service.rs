//! The relay as a service: UDP and TCP at one port, until it is told to stop.

use std::io;
use std::net::SocketAddr;
use std::thread;

use sojourn_core::{Duration, Time};
use sojourn_scenario::{Problem, Problems};

use super::{Counts, LONGEST_WAIT, Shared, Way, connections, datagrams};
use crate::io::clock::{Clock, to_system};
use crate::io::listen_error::unopened;
use crate::progress::report::Report;
use crate::progress::watch::Watch;
use crate::target::Target;
use crate::transport::{Measure, Measured};

/// How often a port is looked for that is free for UDP and for TCP.
const ATTEMPTS: u32 = 16;

/// What is asked of a relay.
#[derive(Clone, Debug)]
pub struct Service {
    /// Where it is reached; port 0 for any.
    pub here: Target,
    /// The far host.
    pub far: Target,
    /// Whether it may be reached from other hosts.
    pub open: bool,
    /// What is wrong with the way.
    pub way: Way,
    /// End after so long.
    pub duration: Option<Duration>,
}

impl Service {
    /// Opens its ports; the closure relays.
    pub fn open(self) -> Result<Measure, Problems> {
        let (here, far) = (self.here.socket_address(None)?, self.far.socket_address(None)?);
        self.refuse(here, far)?;
        let bytes = Way { there: self.way.there.of_bytes(), back: self.way.back.of_bytes(), seed: self.way.seed };
        let loses = bytes.there != self.way.there || bytes.back != self.way.back;
        let (packets, streams) = self.doors(here, far, &bytes)?;
        let address = packets.address().map_err(|fault| unopened(&self.here, "UDP", here, &fault))?;
        let duration = self.duration;
        Ok(Box::new(move |watch, _| {
            watch.begin("relaying", "1", 0);
            watch.report(Report::of_listener(address.to_string()));
            if loses {
                let text = "over TCP the way is late and slow alone: only datagrams are lost, doubled or overtaken";
                watch.report(Report::note(text.to_owned()));
            }
            run(packets, streams, far, duration, watch);
            Measured::default()
        }))
    }

    fn refuse(&self, here: SocketAddr, far: SocketAddr) -> Result<(), Problem> {
        if far.port() == 0 {
            return Err(self.far.whole_problem("port 0 is nobody's: name the port that the far host listens on"));
        }
        if !here.ip().is_loopback() && !self.open {
            let message = "whoever reaches this address would reach the far host through the relay";
            return Err(self.here.whole_problem(message).help("--open if that is meant, or an address as 127.0.0.1"));
        }
        if here.port() == far.port() && (here.ip() == far.ip() || here.ip().is_unspecified() && far.ip().is_loopback())
        {
            return Err(self.far.whole_problem("the relay would pass everything on to itself, for ever"));
        }
        Ok(())
    }

    /// Both doors at the same port.
    fn doors(
        &self,
        here: SocketAddr,
        far: SocketAddr,
        bytes: &Way,
    ) -> Result<(datagrams::Relay, connections::Relay), Problem> {
        let shared = Shared::start();
        let refused = |transport, fault: &io::Error| unopened(&self.here, transport, here, fault);
        let mut left = if here.port() == 0 { ATTEMPTS } else { 1 };
        loop {
            left -= 1;
            let packets = datagrams::Relay::beside(here, far, &self.way, &shared);
            let packets = packets.map_err(|fault| refused("UDP", &fault))?;
            let same = packets.address().map_err(|fault| refused("UDP", &fault))?;
            match connections::Relay::beside(same, far, bytes, &shared) {
                Ok(streams) => return Ok((packets, streams)),
                // the system chose one that is free for UDP alone
                Err(fault) if fault.kind() == io::ErrorKind::AddrInUse && left > 0 => {}
                Err(fault) => return Err(refused("TCP", &fault)),
            }
        }
    }
}

/// Relays until it is told to stop or the time is over, then says what it did.
fn run(
    packets: datagrams::Relay,
    streams: connections::Relay,
    far: SocketAddr,
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
    watch.report(Report { seconds, ..of_datagrams("there", far, packets.there, packets.unheard) });
    watch.report(Report { seconds, ..of_datagrams("back", far, packets.back, 0) });
    watch.report(Report { seconds, ..of_connections(far, &streams) });
}

/// One direction's datagrams.
fn of_datagrams(kind: &'static str, far: SocketAddr, counts: Counts, unheard: u64) -> Report {
    let Counts { offered, octets, lost, overflowed, severed, duplicated, held } = counts;
    let counted = [
        ("lost", lost),
        ("overflowed", overflowed),
        ("severed", severed),
        ("duplicated", duplicated),
        ("held", held),
        ("unheard", unheard),
    ];
    Report { kind, bytes: octets, messages: offered, counts: counted.into(), ..of_relay(far) }
}

/// All connections, both ways.
fn of_connections(far: SocketAddr, relayed: &connections::Relayed) -> Report {
    let connections::Relayed { connections, unheard, there, back } = *relayed;
    let counts = [("there", there), ("back", back), ("unheard", unheard)].into();
    Report { kind: "connections", bytes: there + back, messages: connections, counts, ..of_relay(far) }
}

fn of_relay(far: SocketAddr) -> Report {
    Report { peer: far.to_string(), ended: "relayed".to_owned(), well: true, ..Report::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(here: &str, far: &str) -> Problem {
        let target = |text| Target::of_address(text);
        let (here, far) = (target(here), target(far));
        let asked = Service { here, far, open: false, way: Way::default(), duration: None };
        asked.open().err().unwrap_or_else(|| panic!("nothing is wrong")).0.remove(0)
    }

    #[test]
    fn other_hosts_reach_it_only_where_that_is_asked_for() {
        let problem = refused("0.0.0.0:0", "127.0.0.1:9");
        assert!(problem.message.contains("whoever reaches this address"), "{}", problem.message);
        assert!(problem.help.unwrap().contains("--open"));
    }

    #[test]
    fn a_relay_to_itself_is_refused() {
        assert!(refused("127.0.0.1:7", "127.0.0.1:7").message.contains("to itself"));
    }

    #[test]
    fn a_port_that_is_missing_or_taken_is_named() {
        assert_eq!(refused("127.0.0.1", "127.0.0.1:9").message, "the port is missing, as in HOST:36000");
        assert!(refused("127.0.0.1:0", "127.0.0.1:0").message.contains("port 0 is nobody's"));
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let here = taken.local_addr().unwrap();
        let problem = refused(&here.to_string(), "127.0.0.1:9");
        assert_eq!(problem.message, format!("TCP port {} of 127.0.0.1 is in use", here.port()));
    }
}
