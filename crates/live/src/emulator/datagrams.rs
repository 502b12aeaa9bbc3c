//! The UDP relay: each client gets its own source port towards the remote host, and replies leave from the address
//! that the client sent to. DSCP and ECN pass unchanged.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;

use rustix::event::PollFlags;
use sojourn_core::Time;

use super::link::{Counts, EmulatedLink, Verdict};
use super::passed::{Passed, PassedDatagrams};
use super::path::{Path, Shared, wait};
use crate::io::clock::Clock;
use crate::io::datagrams::{Datagrams, Marking, ReadMode};
use crate::io::link::Peer;
use crate::io::network_error::NetworkError;
use crate::io::packet_io::{LARGEST_DATAGRAM, Received};
use crate::progress::watch::Watch;

/// Clients at a time; beyond them the one idle for the longest is dropped.
const MAX_CLIENTS: usize = 256;
/// Datagrams read from one socket before the others have their turn.
const BATCH: usize = 64;
/// Octets that may be in flight; datagrams beyond are dropped.
const MAX_IN_FLIGHT: usize = 64 << 20;

/// A relay with an open port.
#[derive(Debug)]
pub struct Relay {
    listener: Datagrams,
    remote: SocketAddr,
    clients: BTreeMap<Peer, Client>,
    forward: EmulatedLink,
    reverse: EmulatedLink,
    in_flight: InFlight,
    /// Datagrams to which the remote host responded with ICMP port unreachable.
    unreachable: u64,
    clock: Clock,
    /// What happened to every datagram, if that is recorded.
    passed: Option<PassedDatagrams>,
}

/// A client of the relay.
#[derive(Debug)]
struct Client {
    /// The socket that the remote host sees in its place.
    socket: Datagrams,
    heard: Time,
}

/// What a relay forwarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relayed {
    /// Datagrams to the remote host.
    pub forward: Counts,
    /// Datagrams from the remote host.
    pub reverse: Counts,
    /// Datagrams to which the remote host, or a router, responded with an ICMP unreachable error.
    pub unreachable: u64,
}

/// Direction of a datagram, and its client.
#[derive(Clone, Copy, Debug)]
enum Direction {
    Forward(Peer),
    Reverse(Peer),
}

/// Datagrams read and not yet sent, by the time they are due, then by arrival.
#[derive(Debug, Default)]
struct InFlight {
    due: BTreeMap<(Time, u64), Due>,
    taken: u64,
    octets: usize,
}

/// A datagram to be delivered.
#[derive(Debug)]
struct Due {
    direction: Direction,
    datagram: Vec<u8>,
    class: u8,
    /// Its number in the record of what passed.
    number: usize,
}

impl InFlight {
    fn add(&mut self, verdict: Verdict, datagram: &[u8], due: impl Fn(Vec<u8>) -> Due) {
        let (arrival, times) = match verdict {
            Verdict::Drop => return,
            Verdict::Deliver(arrival) => (arrival, 1),
            Verdict::DeliverTwice(arrival) => (arrival, 2),
        };
        for _ in 0..times {
            self.taken += 1;
            self.octets += datagram.len();
            self.due.insert((arrival, self.taken), due(datagram.to_vec()));
        }
    }

    fn next(&self) -> Time {
        self.due.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at)
    }

    fn take(&mut self, now: Time) -> Option<Due> {
        if self.next() > now {
            return None;
        }
        let (_, due) = self.due.pop_first()?;
        self.octets -= due.datagram.len();
        Some(due)
    }
}

impl Relay {
    /// A relay from an address, port 0 for any, to the remote host.
    pub fn open(here: SocketAddr, remote: SocketAddr, path: &Path) -> io::Result<Relay> {
        Relay::sharing(here, remote, path, &Shared::start())
    }

    /// The same, sharing rate limiters and clock with others on the same path.
    pub fn sharing(here: SocketAddr, remote: SocketAddr, path: &Path, shared: &Shared) -> io::Result<Relay> {
        let listener = without_timestamps(Datagrams::at(shared.clock, here)?);
        let [forward, reverse] = path.links("", shared);
        let (clients, in_flight, clock) = (BTreeMap::new(), InFlight::default(), shared.clock);
        Ok(Relay { listener, remote, clients, forward, reverse, in_flight, unreachable: 0, clock, passed: None })
    }

    /// The address it listens on.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local()
    }

    /// Forwards datagrams until it is cancelled; returns the counts, and what happened to every datagram.
    pub fn run_recorded(mut self, watch: &Watch) -> (Relayed, Vec<Passed>) {
        self.passed = Some(PassedDatagrams::default());
        let relayed = self.forward_until_cancelled(watch);
        (relayed, self.passed.unwrap_or_default().0)
    }

    /// Forwards datagrams until it is cancelled; returns the counts.
    pub fn run(mut self, watch: &Watch) -> Relayed {
        self.forward_until_cancelled(watch)
    }

    fn forward_until_cancelled(&mut self, watch: &Watch) -> Relayed {
        let mut buffer = vec![0; LARGEST_DATAGRAM];
        while !watch.is_cancelled() {
            self.deliver();
            self.receive_from_clients(&mut buffer);
            self.receive_from_remote(&mut buffer);
            watch.set_done(self.forward.counts().offered + self.reverse.counts().offered);
            let mut sockets = vec![(self.listener.as_fd(), PollFlags::IN)];
            sockets.extend(self.clients.values().map(|client| (client.socket.as_fd(), PollFlags::IN)));
            wait(&sockets, self.clock.now(), self.in_flight.next());
        }
        Relayed { forward: self.forward.counts(), reverse: self.reverse.counts(), unreachable: self.unreachable }
    }

    /// Sends what is due. What a socket refuses is lost.
    fn deliver(&mut self) {
        while let Some(Due { direction, datagram, class, number }) = self.in_flight.take(self.clock.now()) {
            if let Some(passed) = &mut self.passed {
                passed.delivered(number, self.clock.now());
            }
            let sent = match direction {
                Direction::Forward(client) => match self.clients.get_mut(&client) {
                    Some(client) => client.socket.answer(self.remote, None, class, &datagram),
                    None => continue,
                },
                Direction::Reverse(client) => self.listener.answer(client.address, client.local, class, &datagram),
            };
            self.unreachable += u64::from(sent.is_err_and(is_unreachable));
        }
    }

    fn receive_from_clients(&mut self, buffer: &mut [u8]) {
        for _ in 0..BATCH {
            let received = self.listener.receive(ReadMode::NonBlocking, buffer);
            let Received::Datagram(arrival, datagram) = received else { return };
            let class = self.listener.last_traffic_class().unwrap_or(0);
            let from = Peer { address: arrival.from, local: self.listener.last_local_address() };
            if let Some(client) = self.clients.get_mut(&from) {
                client.heard = arrival.at;
            } else if self.admit(from, arrival.at).is_err() {
                continue;
            }
            self.pass(arrival.at, Direction::Forward(from), datagram, class);
        }
    }

    fn receive_from_remote(&mut self, buffer: &mut [u8]) {
        let peers: Vec<Peer> = self.clients.keys().copied().collect();
        for peer in peers {
            for _ in 0..BATCH {
                let Some(client) = self.clients.get_mut(&peer) else { break };
                let received = client.socket.receive(ReadMode::NonBlocking, buffer);
                let class = client.socket.last_traffic_class().unwrap_or(0);
                match received {
                    Received::Datagram(arrival, datagram) => {
                        self.pass(arrival.at, Direction::Reverse(peer), datagram, class);
                    }
                    Received::Notice(error) => {
                        self.unreachable += u64::from(is_unreachable(error));
                        break;
                    }
                    Received::Nothing => break,
                }
            }
        }
    }

    /// Lets the link decide on a datagram, unless too much is in flight.
    fn pass(&mut self, now: Time, direction: Direction, datagram: &[u8], class: u8) {
        let (link, is_forward) = match direction {
            Direction::Forward(_) => (&mut self.forward, true),
            Direction::Reverse(_) => (&mut self.reverse, false),
        };
        let number = self.passed.as_mut().map_or(0, |passed| passed.arrived(now, is_forward, datagram));
        if self.in_flight.octets >= MAX_IN_FLIGHT {
            link.overflow(datagram.len());
        } else {
            let due = |datagram| Due { direction, datagram, class, number };
            self.in_flight.add(link.offer(now, datagram.len()), datagram, due);
        }
    }

    /// Opens a socket for a new client.
    fn admit(&mut self, from: Peer, now: Time) -> io::Result<()> {
        let socket = without_timestamps(Datagrams::to(self.clock, self.remote, &Marking::default())?);
        if self.clients.len() == MAX_CLIENTS {
            let silent = self.clients.iter().min_by_key(|(_, client)| client.heard).map(|(peer, _)| *peer);
            silent.and_then(|peer| self.clients.remove(&peer));
        }
        self.clients.insert(from, Client { socket, heard: now });
        Ok(())
    }
}

/// A socket for datagrams that pass with their addresses and their traffic class; the relay itself takes their times.
fn without_timestamps(mut socket: Datagrams) -> Datagrams {
    socket.disable_timestamping();
    socket.enable_traffic_class();
    socket.enable_local_address();
    socket
}

fn is_unreachable(error: NetworkError) -> bool {
    matches!(error, NetworkError::PortClosed | NetworkError::NoProtocol | NetworkError::Unreachable)
}
