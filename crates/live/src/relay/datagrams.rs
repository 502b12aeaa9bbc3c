//! The relay of UDP: to the far host, each who reaches it comes from a port of its own.

use std::collections::BTreeMap;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsFd;

use rustix::event::PollFlags;
use sojourn_core::Time;

use super::{Counts, Fate, Line, Way, wait};
use crate::clock::Clock;
use crate::link::{LARGEST_DATAGRAM, everywhere};
use crate::watch::Watch;

/// Others are not served.
const MOST_GUESTS: usize = 256;

/// A relay that is reached.
#[derive(Debug)]
pub struct Relay {
    door: UdpSocket,
    far: SocketAddr,
    guests: BTreeMap<SocketAddr, UdpSocket>,
    there: Line,
    back: Line,
    under_way: UnderWay,
    clock: Clock,
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
            self.due.insert((arrival, self.taken), (course, datagram.to_vec()));
        }
    }

    fn next(&self) -> Time {
        self.due.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at)
    }

    fn take(&mut self, now: Time) -> Option<(Course, Vec<u8>)> {
        if self.next() > now { None } else { self.due.pop_first().map(|(_, datagram)| datagram) }
    }
}

impl Relay {
    /// A relay at an address, port 0 for any, to the far host.
    pub fn open(here: SocketAddr, far: SocketAddr, way: &Way) -> io::Result<Relay> {
        let door = UdpSocket::bind(here)?;
        door.set_nonblocking(true)?;
        let [there, back] = way.lines("");
        let clock = Clock::start();
        Ok(Relay { door, far, guests: BTreeMap::new(), there, back, under_way: UnderWay::default(), clock })
    }

    /// Where it is reached.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.door.local_addr()
    }

    /// Passes datagrams on until it is told to stop; what became of them there and back.
    pub fn run(mut self, watch: &Watch) -> [Counts; 2] {
        let mut buffer = vec![0; LARGEST_DATAGRAM];
        while !watch.is_cancelled() {
            self.deliver();
            self.take_from_guests(&mut buffer);
            self.take_from_far(&mut buffer);
            let mut sockets = vec![(self.door.as_fd(), PollFlags::IN)];
            sockets.extend(self.guests.values().map(|socket| (socket.as_fd(), PollFlags::IN)));
            wait(&sockets, self.clock.now(), self.under_way.next());
        }
        [self.there.counts(), self.back.counts()]
    }

    /// Sends what is due. What a socket refuses is lost, as any datagram may be.
    fn deliver(&mut self) {
        while let Some((course, datagram)) = self.under_way.take(self.clock.now()) {
            let _ = match course {
                Course::There(guest) => self.guests.get(&guest).map(|socket| socket.send(&datagram)),
                Course::Back(guest) => Some(self.door.send_to(&datagram, guest)),
            };
        }
    }

    fn take_from_guests(&mut self, buffer: &mut [u8]) {
        while let Ok((length, guest)) = self.door.recv_from(buffer) {
            if !self.guests.contains_key(&guest) {
                let Ok(socket) = self.socket_to_far() else { continue };
                self.guests.insert(guest, socket);
            }
            let fate = self.there.offer(self.clock.now(), length);
            self.under_way.add(fate, Course::There(guest), &buffer[..length]);
        }
    }

    fn take_from_far(&mut self, buffer: &mut [u8]) {
        for (guest, socket) in &self.guests {
            while let Ok(length) = socket.recv(buffer) {
                let fate = self.back.offer(self.clock.now(), length);
                self.under_way.add(fate, Course::Back(*guest), &buffer[..length]);
            }
        }
    }

    fn socket_to_far(&self) -> io::Result<UdpSocket> {
        if self.guests.len() == MOST_GUESTS {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        let socket = UdpSocket::bind((everywhere(self.far.ip()), 0))?;
        socket.connect(self.far)?;
        socket.set_nonblocking(true)?;
        Ok(socket)
    }
}
