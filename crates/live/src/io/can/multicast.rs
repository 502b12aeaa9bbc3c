//! A bus that is a multicast group, in the format of python-can's `udp_multicast`: a datagram for each frame.

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr, SocketAddrV6, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::Errno;
use rustix::net::sockopt::{set_socket_recv_buffer_size, set_socket_reuseaddr, set_socket_reuseport};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, recvfrom, sendto};
use sojourn_protocols::can::log::Logged;

use super::carrier::{Carrier, Frame, owned};

/// The group and port that python-can takes where none is given.
pub const GROUP: Ipv6Addr = Ipv6Addr::new(0xff15, 0x7079, 0x7468, 0x6f6e, 0x6465, 0x6d6f, 0x6d63, 0x6173);
/// The port.
pub const PORT: u16 = 43_113;
/// Receive buffer, in octets: a burst of 10 000 frames.
const BUFFER: usize = 1 << 21;
/// Octets of a datagram at most; a frame takes about 250.
const LONGEST: usize = 4096;
/// Datagrams that are passed at most before others get their turn.
const MOST_PASSED: usize = 1000;

/// A group, and this host's address towards it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The group; of IPv6 with the interface in its scope, or 0.
    pub address: SocketAddr,
    /// This host's address.
    pub own: IpAddr,
}

/// A group that is joined.
#[derive(Debug)]
pub struct Joined {
    group: SocketAddr,
    receiving: UdpSocket,
    sending: UdpSocket,
    /// The address and port that frames leave from.
    own: SocketAddr,
    malformed: u64,
}

impl Group {
    /// Joins it; other processes of this host may too.
    pub fn join(self) -> io::Result<Joined> {
        let family = if self.address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = rustix::net::socket(family, SocketType::DGRAM, None)?;
        set_socket_reuseaddr(&socket, true)?;
        // python-can sets both, and all that share a port must
        set_socket_reuseport(&socket, true)?;
        // a smaller buffer than asked for serves too
        let _ = set_socket_recv_buffer_size(&socket, BUFFER);
        rustix::net::bind(&socket, &self.address)?;
        let receiving = UdpSocket::from(socket);
        match (self.address.ip(), self.own) {
            (IpAddr::V4(group), IpAddr::V4(own)) => receiving.join_multicast_v4(&group, &own)?,
            (IpAddr::V6(group), IpAddr::V6(_)) => receiving.join_multicast_v6(&group, self.scope())?,
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        }
        let sending = UdpSocket::bind(self.source())?;
        receiving.set_nonblocking(true)?;
        sending.set_nonblocking(true)?;
        let own = sending.local_addr()?;
        Ok(Joined { group: self.address, receiving, sending, own, malformed: 0 })
    }

    /// Where frames leave from: any port of this host's address.
    fn source(self) -> SocketAddr {
        match self.own {
            IpAddr::V4(_) => SocketAddr::new(self.own, 0),
            IpAddr::V6(own) => SocketAddrV6::new(own, 0, 0, self.scope()).into(),
        }
    }

    fn scope(self) -> u32 {
        if let SocketAddr::V6(group) = self.address { group.scope_id() } else { 0 }
    }
}

impl Carrier for Joined {
    fn file(&self) -> BorrowedFd<'_> {
        self.receiving.as_fd()
    }

    fn receive(&mut self) -> Result<Frame, Errno> {
        let mut datagram = [0; LONGEST];
        for _ in 0..MOST_PASSED {
            let (length, from) = match recvfrom(&self.receiving, &mut datagram, RecvFlags::DONTWAIT) {
                Err(Errno::INTR) => continue,
                received => received.map(|(_, length, from)| (length, from))?,
            };
            let from = from.and_then(|from| SocketAddr::try_from(from).ok());
            // the group returns what this node sends
            if from.is_some_and(|from| (from.ip(), from.port()) == (self.own.ip(), self.own.port())) {
                continue;
            }
            match datagram.get(..length).map(Logged::of_datagram) {
                Some(Ok(frame)) => return Ok(owned(frame)),
                _ => self.malformed += 1,
            }
        }
        Err(Errno::AGAIN)
    }

    fn send(&mut self, frame: &Frame) -> Result<(), Errno> {
        let mut datagram = Vec::with_capacity(256);
        frame.emit_datagram(seconds_since_1970(), &mut datagram);
        match sendto(&self.sending, &datagram, SendFlags::DONTWAIT, &self.group) {
            Ok(_) | Err(Errno::NOBUFS) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    fn malformed(&self) -> u64 {
        self.malformed
    }
}

/// What python-can replaces by its own time of reception.
fn seconds_since_1970() -> f64 {
    crate::io::clock::nanoseconds(nix::time::ClockId::CLOCK_REALTIME) as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use sojourn_protocols::can::frame::{Content, Id};

    use super::*;

    fn free_group() -> Group {
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = SocketAddr::from((Ipv4Addr::new(239, 255, 77, 13), port));
        Group { address, own: Ipv4Addr::LOCALHOST.into() }
    }

    fn frame(octet: u8) -> Frame {
        Logged { id: Id::Base(0x123), content: Content::Data(vec![octet; 8]) }
    }

    fn next(bus: &mut Joined) -> Option<Frame> {
        let limit = Timespec { tv_sec: 2, tv_nsec: 0 };
        poll(&mut [PollFd::from_borrowed_fd(bus.file(), PollFlags::IN)], Some(&limit)).unwrap();
        bus.receive().ok()
    }

    #[test]
    fn every_node_of_a_group_gets_the_frames_of_the_others_and_not_its_own() {
        let group = free_group();
        let [mut first, mut second, mut third] = [(); 3].map(|()| group.join().unwrap());
        first.send(&frame(1)).unwrap();
        second.send(&frame(2)).unwrap();
        assert_eq!(next(&mut first), Some(frame(2)));
        assert_eq!(next(&mut second), Some(frame(1)));
        assert_eq!([next(&mut third), next(&mut third)], [Some(frame(1)), Some(frame(2))]);
        assert_eq!(first.receive(), Err(Errno::AGAIN));
    }

    #[test]
    fn datagrams_that_are_no_frames_are_counted_and_passed() {
        let group = free_group();
        let (mut node, stranger) = (group.join().unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        for datagram in [&b""[..], b"hello", &[0x8b; 2000], &[0xdf, 0xff, 0xff, 0xff, 0xff]] {
            stranger.send_to(datagram, group.address).unwrap();
        }
        group.join().unwrap().send(&frame(3)).unwrap();
        assert_eq!((next(&mut node), node.malformed()), (Some(frame(3)), 4));
    }
}
