//! Trains: datagrams of one length that pass through the protocol stack in one piece (UDP_SEGMENT and UDP_GRO, udp(7)).
//!
//! The stack, not the system call, is what a small datagram costs. On a wire each datagram of a train is on its own; the
//! loopback and pairs of virtual interfaces carry it whole. All of it have one stamp: trains are for load, never for
//! packets whose times are taken.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, SockaddrStorage, sendmsg, setsockopt, sockopt};

use super::{Arrival, Came, Datagrams};
use crate::io::network_error::NetworkError;
use crate::io::packet_io::LARGEST_DATAGRAM;

/// Datagrams of a train at most, as every kernel that knows trains has it (UDP_MAX_SEGMENTS, linux/udp.h).
const MOST_DATAGRAMS: usize = 64;
/// Octets of a train at most: what one IPv6 packet could carry.
const MOST_OCTETS: usize = 65_487;

/// How many datagrams of `octets` one train can have.
pub fn capacity(octets: u16) -> usize {
    (MOST_OCTETS / usize::from(octets.max(1))).clamp(1, MOST_DATAGRAMS)
}

impl Datagrams {
    /// Sends datagrams of `octets` each, one behind the other in `train` and not more than its [`capacity`], to the one
    /// peer, or to whom it is said. Where the way takes no trains they leave one by one.
    pub fn send_train(&mut self, to: Option<SocketAddr>, train: &[u8], octets: u16) -> Result<(), NetworkError> {
        if train.len() > octets.into() {
            let to = to.map(SockaddrStorage::from);
            let (parts, cut) = ([IoSlice::new(train)], [ControlMessage::UdpGsoSegments(&octets)]);
            match sendmsg(self.socket.as_raw_fd(), &parts, &cut, MsgFlags::MSG_DONTWAIT, to.as_ref()) {
                // datagrams longer than the packets of the way, or an interface that cannot cut
                Err(Errno::EINVAL | Errno::EMSGSIZE | Errno::EIO) => {}
                outcome => return self.count(outcome.map_err(io::Error::from)).map(drop),
            }
        }
        for datagram in train.chunks(octets.into()) {
            match to {
                Some(to) => self.send_to(to, datagram)?,
                None => self.send(datagram)?,
            };
        }
        Ok(())
    }

    /// Whether datagrams that came as a train are taken in one piece; [`Datagrams::receive`] gives them one by one all the
    /// same. An old kernel, which does not do that, cuts every train.
    pub fn take_trains(&mut self, take: bool) {
        if setsockopt(&self.socket, sockopt::UdpGroSegment, &take).is_ok() {
            self.train.taken = take;
            self.train.room.resize(LARGEST_DATAGRAM, 0);
        }
    }

    /// What was received is to be received again, before anything else.
    pub fn receive_again(&mut self, arrival: Arrival, datagram: &[u8]) {
        let length = datagram.len();
        self.train.room.resize(LARGEST_DATAGRAM, 0);
        self.train.room[..length].copy_from_slice(datagram);
        self.train.put(Came { arrival, length, each: length });
    }

    /// Whether some of a train is still to be given: the socket, whoever waits for it, does not know of that.
    pub fn is_giving(&self) -> bool {
        !self.train.is_over()
    }
}

/// A train that came, until all its datagrams are given.
#[derive(Debug, Default)]
pub(super) struct Train {
    /// Whether trains are taken at all.
    pub taken: bool,
    /// Where they are read to.
    pub room: Vec<u8>,
    came: Option<Came>,
    given: usize,
}

impl Train {
    /// Whether nothing of it is left.
    pub fn is_over(&self) -> bool {
        self.came.is_none()
    }

    /// It came, and lies in the room.
    pub fn put(&mut self, came: Came) {
        (self.came, self.given) = (Some(came), 0);
    }

    /// Copies the next datagram; its arrival and its length.
    pub fn next(&mut self, buffer: &mut [u8]) -> Option<(Arrival, usize)> {
        let Came { arrival, length, each } = self.came?;
        let left = self.room.get(self.given..length)?;
        let datagram = &left[..each.min(left.len())];
        self.given += datagram.len();
        if self.given == length {
            self.came = None;
        }
        // what has no room is cut off, as the system does it
        let length = datagram.len().min(buffer.len());
        buffer[..length].copy_from_slice(&datagram[..length]);
        Some((arrival, length))
    }
}

/// Octets of each datagram of a train that came.
pub(super) fn cut(message: &ControlMessageOwned) -> Option<usize> {
    let ControlMessageOwned::UdpGroSegments(octets) = message else { return None };
    usize::try_from(*octets).ok().filter(|octets| *octets > 0)
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::*;
    use crate::io::clock::Clock;
    use crate::io::datagrams::{Marking, Reading};
    use crate::io::packet_io::Received;

    /// Sends a train over the loopback, and gives what came of it.
    fn carry(train: &[u8], octets: u16, taken_whole: bool) -> Vec<Vec<u8>> {
        let clock = Clock::start();
        let mut far = Datagrams::at(clock, "127.0.0.1:0".parse().unwrap()).unwrap();
        far.take_trains(taken_whole);
        let mut near = Datagrams::to(clock, far.local().unwrap(), &Marking::default()).unwrap();
        near.send_train(None, train, octets).unwrap();
        far.wait_for(Duration::from_secs(5));
        let (mut buffer, mut came) = (vec![0; LARGEST_DATAGRAM], Vec::new());
        while let Received::Datagram(arrival, datagram) = far.receive(Reading::AtOnce, &mut buffer) {
            assert_eq!(arrival.from, near.local().unwrap());
            came.push(datagram.to_vec());
        }
        came
    }

    #[test]
    fn a_train_arrives_as_the_datagrams_it_was_made_of_however_it_is_taken() {
        let train: Vec<u8> = (0..64 * 30).map(|octet| (octet / 64) as u8).collect();
        for taken_whole in [false, true] {
            let came = carry(&train, 64, taken_whole);
            assert_eq!((came.len(), came.concat()), (30, train.clone()), "taken whole: {taken_whole}");
        }
    }

    #[test]
    fn datagrams_too_long_for_a_train_leave_one_by_one() {
        // the loopback's packets have 65 536 octets, of which a train takes less
        let train = vec![7; 3 * 40_000];
        assert_eq!(carry(&train, 40_000, true), vec![vec![7; 40_000]; 3]);
    }

    #[test]
    fn what_is_to_be_received_again_comes_before_what_waits() {
        let clock = Clock::start();
        let mut far = Datagrams::at(clock, "127.0.0.1:0".parse().unwrap()).unwrap();
        let mut near = Datagrams::to(clock, far.local().unwrap(), &Marking::default()).unwrap();
        let mut buffer = [0; 64];
        near.send(b"first").unwrap();
        let Received::Datagram(arrival, datagram) = far.receive(Reading::InTime, &mut buffer) else {
            panic!("it was sent")
        };
        let first = datagram.to_vec();
        near.send(b"second").unwrap();
        far.receive_again(arrival, &first);
        for expected in [&b"first"[..], b"second"] {
            let Received::Datagram(_, datagram) = far.receive(Reading::InTime, &mut buffer) else { panic!("it came") };
            assert_eq!(datagram, expected);
        }
    }

    #[test]
    fn a_train_has_as_many_datagrams_as_the_kernel_takes() {
        assert_eq!((capacity(64), capacity(1400), capacity(40_000), capacity(65_507)), (64, 46, 1, 1));
    }

    #[test]
    fn trains_are_given_to_their_end_when_none_are_taken_any_more() {
        let clock = Clock::start();
        let mut far = Datagrams::at(clock, "127.0.0.1:0".parse().unwrap()).unwrap();
        far.take_trains(true);
        let mut near = Datagrams::to(clock, far.local().unwrap(), &Marking::default()).unwrap();
        near.send_train(None, &[9; 10 * 64], 64).unwrap();
        far.wait_for(Duration::from_secs(5));
        let mut buffer = [0; 64];
        assert!(!far.is_giving());
        assert!(matches!(far.receive(Reading::AtOnce, &mut buffer), Received::Datagram(..)));
        assert!(far.is_giving(), "and the socket is empty");
        far.take_trains(false);
        let mut left = 0;
        while let Received::Datagram(..) = far.receive(Reading::AtOnce, &mut buffer) {
            left += 1;
        }
        assert_eq!(left, 9);
    }
}
