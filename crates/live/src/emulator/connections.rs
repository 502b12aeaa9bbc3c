//! The TCP relay: bytes are delayed and rate-limited but never lost.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::PollFlags;
use sojourn_core::Time;

use super::link::EmulatedLink;
use super::path::{Path, Shared, wait};
use crate::io::clock::to_system;
use crate::io::link::unless_would_block;
use crate::progress::watch::Watch;

/// Connections at a time; further ones wait in the listen queue.
const MAX_CONNECTIONS: usize = 64;
/// Timeout of a connection to the remote host.
const CONNECT_TIMEOUT: sojourn_core::Duration = sojourn_core::Duration::from_secs(5);
/// Bytes read at once.
const CHUNK: usize = 16_384;
/// Bytes of one direction that may be in flight; the reader waits beyond.
const MAX_IN_FLIGHT: usize = 4 << 20;

/// A relay with an open port.
#[derive(Debug)]
pub struct Relay {
    listener: TcpListener,
    remote: SocketAddr,
    path: Path,
    shared: Shared,
    connections: Vec<Connection>,
    relayed: Relayed,
}

/// What a relay forwarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relayed {
    /// Connections established with the remote host.
    pub connections: u64,
    /// Connections closed because it could not be reached.
    pub unreachable: u64,
    /// Octets to the remote host.
    pub forward: u64,
    /// Octets from the remote host.
    pub reverse: u64,
}

/// Both sockets of a connection, and what is in flight between them.
#[derive(Debug)]
struct Connection {
    ends: [TcpStream; 2],
    /// From the first socket to the second, and in reverse.
    directions: [Direction; 2],
}

/// One direction of a connection.
#[derive(Debug)]
struct Direction {
    link: EmulatedLink,
    /// With the times they are due; an empty chunk is the end of the stream.
    chunks: VecDeque<(Time, Vec<u8>)>,
    /// Bytes of the first chunk already written.
    given: usize,
    in_flight: usize,
    /// Whether the reader saw the end of the stream.
    ended: bool,
    /// Whether the writer has sent it on.
    finished: bool,
}

impl Relay {
    /// A relay from an address, port 0 for any, to the remote host. Impairments that only packets can have are refused.
    pub fn open(here: SocketAddr, remote: SocketAddr, path: &Path) -> io::Result<Relay> {
        Relay::sharing(here, remote, path, &Shared::start())
    }

    /// The same, sharing rate limiters and clock with others on the same path.
    pub fn sharing(here: SocketAddr, remote: SocketAddr, path: &Path, shared: &Shared) -> io::Result<Relay> {
        if [&path.forward, &path.reverse].into_iter().any(|impairment| *impairment != impairment.of_bytes()) {
            let message = "TCP is delayed and rate-limited; only datagrams are lost, duplicated or reordered";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let listener = TcpListener::bind(here)?;
        listener.set_nonblocking(true)?;
        let (path, shared) = (path.clone(), shared.clone());
        Ok(Relay { listener, remote, path, shared, connections: Vec::new(), relayed: Relayed::default() })
    }

    /// The address it listens on.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Forwards bytes until it is cancelled; returns how many.
    pub fn run(mut self, watch: &Watch) -> Relayed {
        let mut buffer = vec![0; CHUNK];
        while !watch.is_cancelled() {
            self.accept();
            let now = self.shared.clock.now();
            self.turn(now, &mut buffer);
            let mut sockets = vec![(self.listener.as_fd(), PollFlags::IN)];
            sockets.extend(self.connections.iter().flat_map(|connection| connection.waits(now)));
            let due = self.connections.iter().map(|connection| connection.next(now)).min().unwrap_or(Time::NEVER);
            wait(&sockets, self.shared.clock.now(), due);
        }
        self.connections.iter().for_each(|connection| self.relayed.add(connection));
        self.relayed
    }

    /// Lets every connection read and write what it can, and removes those that are closed.
    fn turn(&mut self, now: Time, buffer: &mut [u8]) {
        let before = self.connections.first().map(Connection::taken);
        let relayed = &mut self.relayed;
        self.connections.retain_mut(|connection| {
            let goes_on = connection.turn(now, buffer).is_ok();
            if !goes_on {
                relayed.add(connection);
            }
            goes_on
        });
        // round robin: a connection that used the room is the last to read again
        if self.connections.len() > 1 && self.connections.first().map(Connection::taken) != before {
            self.connections.rotate_left(1);
        }
    }

    fn accept(&mut self) {
        while self.connections.len() < MAX_CONNECTIONS {
            let Ok((near, _)) = self.listener.accept() else { return };
            // an unreachable remote host closes the client's connection
            let Ok(remote) = TcpStream::connect_timeout(&self.remote, to_system(CONNECT_TIMEOUT)) else {
                self.relayed.unreachable += 1;
                continue;
            };
            let quick = |stream: &TcpStream| stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true));
            if quick(&near).and_then(|()| quick(&remote)).is_err() {
                continue;
            }
            self.relayed.connections += 1;
            let member = format!("/connection-{}", self.relayed.connections);
            let [forward, reverse] = self.path.links(&member, &self.shared).map(Direction::new);
            let directions = [forward, reverse];
            self.connections.push(Connection { ends: [near, remote], directions });
        }
    }
}

impl Relayed {
    fn add(&mut self, connection: &Connection) {
        let [forward, reverse] = connection.directions.each_ref().map(|direction| direction.link.counts().octets);
        self.forward += forward;
        self.reverse += reverse;
    }
}

impl Connection {
    /// Octets read from both sockets.
    fn taken(&self) -> u64 {
        self.directions.iter().map(|direction| direction.link.counts().octets).sum()
    }

    /// Reads and writes what it can; an error when both directions are done, or a socket is closed.
    fn turn(&mut self, now: Time, buffer: &mut [u8]) -> io::Result<()> {
        let [near, remote] = &mut self.ends;
        let [forward, reverse] = &mut self.directions;
        forward.take(now, near, buffer)?;
        reverse.take(now, remote, buffer)?;
        forward.give(now, remote)?;
        reverse.give(now, near)?;
        if forward.finished && reverse.finished { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// When the next bytes are due, or there is room for more. What is due and could not be written waits for its socket.
    fn next(&self, now: Time) -> Time {
        let instants = self.directions.iter().flat_map(|direction| [direction.next(), direction.link.has_room_at(now)]);
        instants.filter(|instant| *instant > now).min().unwrap_or(Time::NEVER)
    }

    fn waits(&self, now: Time) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let [forward, reverse] = &self.directions;
        let flags = |reader: &Direction, writer: &Direction| {
            let read = if reader.room(now) > 0 { PollFlags::IN } else { PollFlags::empty() };
            read | if writer.next() <= now { PollFlags::OUT } else { PollFlags::empty() }
        };
        let wanted = [flags(forward, reverse), flags(reverse, forward)];
        self.ends.iter().zip(wanted).filter(|(_, flags)| !flags.is_empty()).map(|(end, flags)| (end.as_fd(), flags))
    }
}

impl Direction {
    fn new(link: EmulatedLink) -> Direction {
        Direction { link, chunks: VecDeque::new(), given: 0, in_flight: 0, ended: false, finished: false }
    }

    /// Bytes that may be read now. A rate-limited link accepts no more than its queue holds, so that TCP's own flow control
    /// slows the sender.
    fn room(&self, now: Time) -> usize {
        if self.ended { 0 } else { self.link.room(now).min(MAX_IN_FLIGHT.saturating_sub(self.in_flight)) }
    }

    fn next(&self) -> Time {
        self.chunks.front().map_or(Time::NEVER, |(due, _)| *due)
    }

    fn take(&mut self, now: Time, from: &mut TcpStream, buffer: &mut [u8]) -> io::Result<()> {
        while self.room(now) > 0 {
            let room = buffer.len().min(self.room(now));
            let Some(length) = unless_would_block(from.read(&mut buffer[..room]))? else { return Ok(()) };
            let due = self.link.carry(now, length);
            self.ended = length == 0;
            self.in_flight += length;
            self.chunks.push_back((due, buffer[..length].to_vec()));
        }
        Ok(())
    }

    fn give(&mut self, now: Time, to: &mut TcpStream) -> io::Result<()> {
        while let Some((due, chunk)) = self.chunks.front()
            && *due <= now
        {
            if chunk.is_empty() {
                self.finished = true;
                self.chunks.clear();
                return to.shutdown(Shutdown::Write);
            }
            let Some(length) = unless_would_block(to.write(&chunk[self.given..]))? else { return Ok(()) };
            self.given += length;
            self.in_flight -= length;
            if self.given == chunk.len() {
                self.given = 0;
                self.chunks.pop_front();
            }
        }
        Ok(())
    }
}
