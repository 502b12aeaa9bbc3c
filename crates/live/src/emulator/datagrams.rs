//! The relay of UDP: to the far host, each who reaches it comes from a port of its own.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;

use rustix::event::PollFlags;
use sojourn_core::Time;

use super::{Counts, Fate, Line, Shared, Way, wait};
use crate::io::clock::Clock;
use crate::io::link::{enlarge, everywhere};
use crate::io::packet_io::LARGEST_DATAGRAM;
use crate::progress::watch::Watch;

/// Where there are more, the one who has said nothing for the longest has to make room.
const MOST_GUESTS: usize = 256;
/// Taken from one socket before the others have their turn.
const MOST_AT_ONCE: usize = 64;
/// Octets that may be under way; what comes then is lost.
const MOST_UNDER_WAY: usize = 64 << 20;

/// A relay that is reached.
#[derive(Debug)]
pub struct Relay {
    door: UdpSocket,
    far: SocketAddr,
    guests: BTreeMap<SocketAddr, Guest>,
    there: Line,
    back: Line,
    under_way: UnderWay,
    /// Datagrams to which the far host answered that nobody is there.
    unheard: u64,
    clock: Clock,
}

/// One who reaches the relay.
#[derive(Debug)]
struct Guest {
    /// The far host sees this socket in his place.
    socket: UdpSocket,
    heard: Time,
}

/// What a relay did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relayed {
    /// What became of the datagrams to the far host.
    pub there: Counts,
    /// What became of those from it.
    pub back: Counts,
    /// Datagrams to which the far host, or one on the way, answered that nobody is there.
    pub unheard: u64,
}

/// Which way a datagram goes, and whose it is.
#[derive(Clone, Copy, Debug)]
enum Course {
    There(SocketAddr),
    Back(SocketAddr),
}

/// What was taken and not given yet, by the instant it is due, then as it came.
#[derive(Debug, Default)]
struct UnderWay {
    due: BTreeMap<(Time, u64), (Course, Vec<u8>)>,
    taken: u64,
    octets: usize,
}

impl UnderWay {
    fn add(&mut self, fate: Fate, course: Course, datagram: &[u8]) {
        let (arrival, times) = match fate {
            Fate::Lost => return,
            Fate::Arrives(arrival) => (arrival, 1),
            Fate::ArrivesTwice(arrival) => (arrival, 2),
        };
        for _ in 0..times {
            self.taken += 1;
            self.octets += datagram.len();
            self.due.insert((arrival, self.taken), (course, datagram.to_vec()));
        }
    }

    fn next(&self) -> Time {
        self.due.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at)
    }

    fn take(&mut self, now: Time) -> Option<(Course, Vec<u8>)> {
        if self.next() > now {
            return None;
        }
        let (_, due) = self.due.pop_first()?;
        self.octets -= due.1.len();
        Some(due)
    }
}

impl Relay {
    /// A relay at an address, port 0 for any, to the far host.
    pub fn open(here: SocketAddr, far: SocketAddr, way: &Way) -> io::Result<Relay> {
        Relay::beside(here, far, way, &Shared::start())
    }

    /// The same where others pass the same way.
    pub fn beside(here: SocketAddr, far: SocketAddr, way: &Way, shared: &Shared) -> io::Result<Relay> {
        let door = UdpSocket::bind(here)?;
        prepare(&door)?;
        let [there, back] = way.lines("", shared);
        let (guests, under_way, clock) = (BTreeMap::new(), UnderWay::default(), shared.clock);
        Ok(Relay { door, far, guests, there, back, under_way, unheard: 0, clock })
    }

    /// Where it is reached.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.door.local_addr()
    }

    /// Passes datagrams on until it is told to stop; what became of them.
    pub fn run(mut self, watch: &Watch) -> Relayed {
        let mut buffer = vec![0; LARGEST_DATAGRAM];
        while !watch.is_cancelled() {
            self.deliver();
            self.take_from_guests(&mut buffer);
            self.take_from_far(&mut buffer);
            watch.set_done(self.there.counts().offered + self.back.counts().offered);
            let mut sockets = vec![(self.door.as_fd(), PollFlags::IN)];
            sockets.extend(self.guests.values().map(|guest| (guest.socket.as_fd(), PollFlags::IN)));
            wait(&sockets, self.clock.now(), self.under_way.next());
        }
        Relayed { there: self.there.counts(), back: self.back.counts(), unheard: self.unheard }
    }

    /// Sends what is due. What a socket refuses is lost, as any datagram may be.
    fn deliver(&mut self) {
        while let Some((course, datagram)) = self.under_way.take(self.clock.now()) {
            let sent = match course {
                Course::There(guest) => self.guests.get(&guest).map(|guest| guest.socket.send(&datagram)),
                Course::Back(guest) => Some(self.door.send_to(&datagram, guest)),
            };
            self.unheard += u64::from(sent.is_some_and(|sent| is_unheard(&sent)));
        }
    }

    fn take_from_guests(&mut self, buffer: &mut [u8]) {
        for _ in 0..MOST_AT_ONCE {
            let Ok((length, from)) = self.door.recv_from(buffer) else { return };
            let now = self.clock.now();
            if let Some(guest) = self.guests.get_mut(&from) {
                guest.heard = now;
            } else if self.admit(from, now).is_err() {
                continue;
            }
            self.pass(now, Course::There(from), &buffer[..length]);
        }
    }

    fn take_from_far(&mut self, buffer: &mut [u8]) {
        let guests: Vec<SocketAddr> = self.guests.keys().copied().collect();
        for guest in guests {
            for _ in 0..MOST_AT_ONCE {
                let received = self.guests[&guest].socket.recv(buffer);
                self.unheard += u64::from(is_unheard(&received));
                let Ok(length) = received else { break };
                self.pass(self.clock.now(), Course::Back(guest), &buffer[..length]);
            }
        }
    }

    /// Lets the line decide on a datagram, unless too much is under way.
    fn pass(&mut self, now: Time, course: Course, datagram: &[u8]) {
        let line = match course {
            Course::There(_) => &mut self.there,
            Course::Back(_) => &mut self.back,
        };
        if self.under_way.octets >= MOST_UNDER_WAY {
            line.overflow(datagram.len());
        } else {
            self.under_way.add(line.offer(now, datagram.len()), course, datagram);
        }
    }

    /// Gives one who was not heard of before a socket of his own.
    fn admit(&mut self, from: SocketAddr, now: Time) -> io::Result<()> {
        let socket = UdpSocket::bind((everywhere(self.far.ip()), 0))?;
        socket.connect(self.far)?;
        prepare(&socket)?;
        if self.guests.len() == MOST_GUESTS {
            let silent = self.guests.iter().min_by_key(|(_, guest)| guest.heard).map(|(address, _)| *address);
            silent.and_then(|address| self.guests.remove(&address));
        }
        self.guests.insert(from, Guest { socket, heard: now });
        Ok(())
    }
}

/// Room for what comes while others have their turn, and no waiting.
fn prepare(socket: &UdpSocket) -> io::Result<()> {
    enlarge(socket);
    socket.set_nonblocking(true)
}

fn is_unheard(outcome: &io::Result<usize>) -> bool {
    outcome.as_ref().is_err_and(|fault| fault.kind() == io::ErrorKind::ConnectionRefused)
}
