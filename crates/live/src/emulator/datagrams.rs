//! The UDP relay: each client has a source port of its own towards the remote host.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;

use rustix::event::PollFlags;
use sojourn_core::Time;

use super::link::{Counts, EmulatedLink, Verdict};
use super::passed::{Passed, PassedDatagrams};
use super::path::{Path, Shared, wait};
use crate::io::clock::Clock;
use crate::io::link::{enlarge_buffers, unspecified_like};
use crate::io::packet_io::LARGEST_DATAGRAM;
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
    listener: UdpSocket,
    remote: SocketAddr,
    clients: BTreeMap<SocketAddr, Client>,
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
    socket: UdpSocket,
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
    Forward(SocketAddr),
    Reverse(SocketAddr),
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
    /// Its number in the record of what passed.
    number: usize,
}

impl InFlight {
    fn add(&mut self, verdict: Verdict, direction: Direction, datagram: &[u8], number: usize) {
        let (arrival, times) = match verdict {
            Verdict::Drop => return,
            Verdict::Deliver(arrival) => (arrival, 1),
            Verdict::DeliverTwice(arrival) => (arrival, 2),
        };
        for _ in 0..times {
            self.taken += 1;
            self.octets += datagram.len();
            self.due.insert((arrival, self.taken), Due { direction, datagram: datagram.to_vec(), number });
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
        let listener = UdpSocket::bind(here)?;
        prepare(&listener)?;
        let [forward, reverse] = path.links("", shared);
        let (clients, in_flight, clock) = (BTreeMap::new(), InFlight::default(), shared.clock);
        Ok(Relay { listener, remote, clients, forward, reverse, in_flight, unreachable: 0, clock, passed: None })
    }

    /// The address it listens on.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
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
        while let Some(Due { direction, datagram, number }) = self.in_flight.take(self.clock.now()) {
            if let Some(passed) = &mut self.passed {
                passed.delivered(number, self.clock.now());
            }
            let sent = match direction {
                Direction::Forward(client) => self.clients.get(&client).map(|client| client.socket.send(&datagram)),
                Direction::Reverse(client) => Some(self.listener.send_to(&datagram, client)),
            };
            self.unreachable += u64::from(sent.is_some_and(|sent| is_unreachable(&sent)));
        }
    }

    fn receive_from_clients(&mut self, buffer: &mut [u8]) {
        for _ in 0..BATCH {
            let Ok((length, from)) = self.listener.recv_from(buffer) else { return };
            let now = self.clock.now();
            if let Some(client) = self.clients.get_mut(&from) {
                client.heard = now;
            } else if self.admit(from, now).is_err() {
                continue;
            }
            self.pass(now, Direction::Forward(from), &buffer[..length]);
        }
    }

    fn receive_from_remote(&mut self, buffer: &mut [u8]) {
        let clients: Vec<SocketAddr> = self.clients.keys().copied().collect();
        for client in clients {
            for _ in 0..BATCH {
                let received = self.clients[&client].socket.recv(buffer);
                self.unreachable += u64::from(is_unreachable(&received));
                let Ok(length) = received else { break };
                self.pass(self.clock.now(), Direction::Reverse(client), &buffer[..length]);
            }
        }
    }

    /// Lets the link decide on a datagram, unless too much is in flight.
    fn pass(&mut self, now: Time, direction: Direction, datagram: &[u8]) {
        let (link, is_forward) = match direction {
            Direction::Forward(_) => (&mut self.forward, true),
            Direction::Reverse(_) => (&mut self.reverse, false),
        };
        let number = self.passed.as_mut().map_or(0, |passed| passed.arrived(now, is_forward, datagram));
        if self.in_flight.octets >= MAX_IN_FLIGHT {
            link.overflow(datagram.len());
        } else {
            self.in_flight.add(link.offer(now, datagram.len()), direction, datagram, number);
        }
    }

    /// Opens a socket for a new client.
    fn admit(&mut self, from: SocketAddr, now: Time) -> io::Result<()> {
        let socket = UdpSocket::bind((unspecified_like(self.remote.ip()), 0))?;
        socket.connect(self.remote)?;
        prepare(&socket)?;
        if self.clients.len() == MAX_CLIENTS {
            let silent = self.clients.iter().min_by_key(|(_, client)| client.heard).map(|(address, _)| *address);
            silent.and_then(|address| self.clients.remove(&address));
        }
        self.clients.insert(from, Client { socket, heard: now });
        Ok(())
    }
}

/// Enlarges the buffers and makes the socket non-blocking.
fn prepare(socket: &UdpSocket) -> io::Result<()> {
    enlarge_buffers(socket);
    socket.set_nonblocking(true)
}

fn is_unreachable(outcome: &io::Result<usize>) -> bool {
    outcome.as_ref().is_err_and(|fault| fault.kind() == io::ErrorKind::ConnectionRefused)
}
