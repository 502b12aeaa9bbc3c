//! The relay of TCP: bytes are late or slow, never lost.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::PollFlags;
use sojourn_core::Time;

use super::{Line, Shared, Way, wait};
use crate::io::clock::to_system;
use crate::io::link::unless_blocked;
use crate::progress::watch::Watch;

/// Others wait to be taken in.
const MOST_CONNECTIONS: usize = 64;
/// How long the far host is waited for.
const PATIENCE: sojourn_core::Duration = sojourn_core::Duration::from_secs(5);
/// Bytes read at once.
const CHUNK: usize = 16_384;
/// Bytes of one direction that may be under way; the reader waits beyond.
const MOST_UNDER_WAY: usize = 4 << 20;

/// A relay that is reached.
#[derive(Debug)]
pub struct Relay {
    door: TcpListener,
    far: SocketAddr,
    way: Way,
    shared: Shared,
    connections: Vec<Connection>,
    relayed: Relayed,
}

/// What a relay did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relayed {
    /// Connections that reached the far host.
    pub connections: u64,
    /// Connections that ended because it could not be reached.
    pub unheard: u64,
    /// Octets to the far host.
    pub there: u64,
    /// Octets from it.
    pub back: u64,
}

/// Both ends of a connection, and what is under way between them.
#[derive(Debug)]
struct Connection {
    ends: [TcpStream; 2],
    /// From the first end to the second, and back.
    courses: [Course; 2],
}

/// One direction of a connection.
#[derive(Debug)]
struct Course {
    line: Line,
    /// With the instants they are due; an empty one is the end of the stream.
    chunks: VecDeque<(Time, Vec<u8>)>,
    /// Bytes of the first chunk that were given.
    given: usize,
    under_way: usize,
    /// The reader saw the end.
    ended: bool,
    /// The writer saw it, too.
    finished: bool,
}

impl Relay {
    /// A relay at an address, port 0 for any, to the far host. What only packets know is refused.
    pub fn open(here: SocketAddr, far: SocketAddr, way: &Way) -> io::Result<Relay> {
        Relay::beside(here, far, way, &Shared::start())
    }

    /// The same where others pass the same way.
    pub fn beside(here: SocketAddr, far: SocketAddr, way: &Way, shared: &Shared) -> io::Result<Relay> {
        if [&way.there, &way.back].into_iter().any(|impairment| *impairment != impairment.of_bytes()) {
            let message = "the bytes of TCP can be late and slow; only datagrams are lost, doubled or overtaken";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let door = TcpListener::bind(here)?;
        door.set_nonblocking(true)?;
        let (way, shared) = (way.clone(), shared.clone());
        Ok(Relay { door, far, way, shared, connections: Vec::new(), relayed: Relayed::default() })
    }

    /// Where it is reached.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.door.local_addr()
    }

    /// Passes bytes on until it is told to stop; how many.
    pub fn run(mut self, watch: &Watch) -> Relayed {
        let mut buffer = vec![0; CHUNK];
        while !watch.is_cancelled() {
            self.accept();
            let now = self.shared.clock.now();
            self.turn(now, &mut buffer);
            let mut sockets = vec![(self.door.as_fd(), PollFlags::IN)];
            sockets.extend(self.connections.iter().flat_map(|connection| connection.waits(now)));
            let due = self.connections.iter().map(|connection| connection.next(now)).min().unwrap_or(Time::NEVER);
            wait(&sockets, self.shared.clock.now(), due);
        }
        self.connections.iter().for_each(|connection| self.relayed.add(connection));
        self.relayed
    }

    /// Lets every connection take and give what it can, and takes leave of those that are over.
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
        // who took of the room there was is the last to take again
        if self.connections.len() > 1 && self.connections.first().map(Connection::taken) != before {
            self.connections.rotate_left(1);
        }
    }

    fn accept(&mut self) {
        while self.connections.len() < MOST_CONNECTIONS {
            let Ok((near, _)) = self.door.accept() else { return };
            // a far host that is not there ends the connection of whoever wanted it
            let Ok(far) = TcpStream::connect_timeout(&self.far, to_system(PATIENCE)) else {
                self.relayed.unheard += 1;
                continue;
            };
            let quick = |stream: &TcpStream| stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true));
            if quick(&near).and_then(|()| quick(&far)).is_err() {
                continue;
            }
            self.relayed.connections += 1;
            let member = format!("/connection-{}", self.relayed.connections);
            let [there, back] = self.way.lines(&member, &self.shared).map(Course::new);
            let courses = [there, back];
            self.connections.push(Connection { ends: [near, far], courses });
        }
    }
}

impl Relayed {
    fn add(&mut self, connection: &Connection) {
        let [there, back] = connection.courses.each_ref().map(|course| course.line.counts().octets);
        self.there += there;
        self.back += back;
    }
}

impl Connection {
    /// Octets taken from both ends.
    fn taken(&self) -> u64 {
        self.courses.iter().map(|course| course.line.counts().octets).sum()
    }

    /// Takes and gives what it can; an error when both directions are done, or an end is gone.
    fn turn(&mut self, now: Time, buffer: &mut [u8]) -> io::Result<()> {
        let [near, far] = &mut self.ends;
        let [there, back] = &mut self.courses;
        there.take(now, near, buffer)?;
        back.take(now, far, buffer)?;
        there.give(now, far)?;
        back.give(now, near)?;
        if there.finished && back.finished { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// When the next bytes are due, or there is room for more. What is due and could not be given waits for its socket.
    fn next(&self, now: Time) -> Time {
        let instants = self.courses.iter().flat_map(|course| [course.next(), course.line.half_empty()]);
        instants.filter(|instant| *instant > now).min().unwrap_or(Time::NEVER)
    }

    fn waits(&self, now: Time) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let [there, back] = &self.courses;
        let flags = |reader: &Course, writer: &Course| {
            let read = if reader.room(now) > 0 { PollFlags::IN } else { PollFlags::empty() };
            read | if writer.next() <= now { PollFlags::OUT } else { PollFlags::empty() }
        };
        let wanted = [flags(there, back), flags(back, there)];
        self.ends.iter().zip(wanted).filter(|(_, flags)| !flags.is_empty()).map(|(end, flags)| (end.as_fd(), flags))
    }
}

impl Course {
    fn new(line: Line) -> Course {
        Course { line, chunks: VecDeque::new(), given: 0, under_way: 0, ended: false, finished: false }
    }

    /// Bytes that may be taken now. A slow line takes no more than its queue holds: TCP itself slows the sender down.
    fn room(&self, now: Time) -> usize {
        if self.ended { 0 } else { self.line.room(now).min(MOST_UNDER_WAY.saturating_sub(self.under_way)) }
    }

    fn next(&self) -> Time {
        self.chunks.front().map_or(Time::NEVER, |(due, _)| *due)
    }

    fn take(&mut self, now: Time, from: &mut TcpStream, buffer: &mut [u8]) -> io::Result<()> {
        while self.room(now) > 0 {
            let room = buffer.len().min(self.room(now));
            let Some(length) = unless_blocked(from.read(&mut buffer[..room]))? else { return Ok(()) };
            let due = self.line.carry(now, length);
            self.ended = length == 0;
            self.under_way += length;
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
            let Some(length) = unless_blocked(to.write(&chunk[self.given..]))? else { return Ok(()) };
            self.given += length;
            self.under_way -= length;
            if self.given == chunk.len() {
                self.given = 0;
                self.chunks.pop_front();
            }
        }
        Ok(())
    }
}
