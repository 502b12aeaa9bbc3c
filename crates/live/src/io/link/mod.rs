//! Datagrams to and from the world: a socket that never blocks, and the operating system's refusals by name.
//!
//! A driver waits in [`Link::wait`] alone. Sending and receiving one datagram per call is enough here: the cost of a
//! datagram is the protocol stack, not the call (docs/decisions/0020-live-driver.md has the figures).

pub mod ip;
mod record;
pub mod udp;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recvfrom, send, sendto};
use sojourn_core::Duration;

use crate::io::clock::to_timespec;
use crate::io::network_error::NetworkError;
use crate::io::packet_io::{Direction, PacketIo, Received};

/// The other end of a link. Raw IP knows no ports: there the port is 0.
pub type Peer = SocketAddr;

/// A socket's buffers, as far as the system grants them: a burst must not overflow them while the other end waits for
/// the processor.
const SOCKET_BUFFER: usize = 4 << 20;

/// How long a full send buffer is waited for before the datagram counts as lost, as a queue in the network would do it.
pub const SEND_PATIENCE: Duration = Duration::from_millis(20);

/// An open socket.
#[derive(Debug)]
pub struct Link {
    socket: OwnedFd,
    framing: Framing,
    /// Set when there is one peer; only then the system says that it is not there.
    connected: Option<Peer>,
}

/// What the socket puts before the datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// UDP: nothing.
    Udp,
    /// Raw IP: the IP header, before packets of this protocol.
    Ip(u8),
}

impl Link {
    fn new(socket: OwnedFd, framing: Framing, connected: Option<Peer>) -> Link {
        enlarge(&socket);
        Link { socket, framing, connected }
    }

    /// The address this end has.
    pub fn local(&self) -> Peer {
        match rustix::net::getsockname(&self.socket).map(SocketAddr::try_from) {
            Ok(Ok(address)) => address,
            _ => Peer::from((Ipv4Addr::UNSPECIFIED, 0)),
        }
    }
}

impl PacketIo for Link {
    type End = Peer;
    type Notice = NetworkError;

    /// Sends one datagram. A full buffer is waited for a moment; then the datagram is lost, as any may be.
    fn send(&mut self, to: Peer, datagram: &[u8]) -> Result<(), NetworkError> {
        for _ in 0..2 {
            let sent = match self.connected {
                Some(_) => send(&self.socket, datagram, SendFlags::DONTWAIT | SendFlags::NOSIGNAL),
                None => sendto(&self.socket, datagram, SendFlags::DONTWAIT | SendFlags::NOSIGNAL, &to),
            };
            match sent {
                Err(Errno::AGAIN | Errno::NOBUFS) => {
                    wait_for(&self.socket, PollFlags::OUT, SEND_PATIENCE);
                }
                Err(Errno::INTR) => {}
                Err(fault) => return Err(NetworkError::from(fault)),
                Ok(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// The next datagram, if one is there.
    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a> {
        loop {
            return match recvfrom(&self.socket, &mut *buffer, RecvFlags::DONTWAIT) {
                Ok((length, _, from)) => {
                    let Some(peer) = from.and_then(peer_of) else { continue };
                    match self.framing.payload(&buffer[..length]) {
                        Some(span) => Received::Datagram(peer, &buffer[span]),
                        None => continue,
                    }
                }
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => Received::Nothing,
                Err(fault) => Received::Notice(NetworkError::from(fault)),
            };
        }
    }

    /// Waits until a datagram may be there, `limit` is over, or a signal came.
    fn wait(&mut self, limit: Duration) {
        wait_for(&self.socket, PollFlags::IN, limit);
    }

    /// The packet as IP carries it.
    fn record(&self, direction: Direction, peer: Peer, datagram: &[u8], record: &mut Vec<u8>) -> bool {
        let ends = match direction {
            Direction::Out => (self.local(), peer),
            Direction::In => (peer, self.local()),
        };
        match self.framing {
            Framing::Udp => record::udp(ends, datagram, record),
            Framing::Ip(protocol) => record::ip(ends, protocol, datagram, record),
        }
        true
    }
}

impl Framing {
    /// Where the datagram lies in what was read; `None` when an IP header is cut short.
    fn payload(self, read: &[u8]) -> Option<std::ops::Range<usize>> {
        match self {
            Framing::Udp => Some(0..read.len()),
            Framing::Ip(_) => {
                let header = usize::from(read.first()? & 0x0f) * 4;
                (20..=read.len()).contains(&header).then_some(header..read.len())
            }
        }
    }
}

/// Gives a socket large buffers, as far as the system grants them; less is no mistake.
pub fn enlarge(socket: impl AsFd) {
    let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&socket, SOCKET_BUFFER);
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(&socket, SOCKET_BUFFER);
}

/// Waits until a socket is as wanted or has a fault to tell, `limit` is over, or a signal came, which is as good as a
/// datagram: whoever waits looks again. What it is of the socket.
pub fn wait_for(socket: impl AsFd, wanted: PollFlags, limit: Duration) -> PollFlags {
    let mut one = [PollFd::new(&socket, wanted)];
    let _ = poll(&mut one, Some(&to_timespec(limit)));
    one[0].revents()
}

fn peer_of(address: rustix::net::SocketAddrAny) -> Option<Peer> {
    SocketAddr::try_from(address).ok()
}

/// The address that stands for all of this host, of the version of `like`.
pub fn everywhere(like: IpAddr) -> IpAddr {
    match like {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    }
}

/// `None` where a socket would make its caller wait.
pub fn unless_blocked(outcome: io::Result<usize>) -> io::Result<Option<usize>> {
    match outcome {
        Ok(length) => Ok(Some(length)),
        Err(fault) if matches!(fault.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
        Err(fault) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_datagram_begins_behind_the_ip_header_and_a_header_cut_short_is_passed_over() {
        let mut packet = vec![0x46; 30];
        assert_eq!(Framing::Ip(36).payload(&packet), Some(24..30));
        packet.truncate(23);
        assert_eq!(Framing::Ip(36).payload(&packet), None);
        assert_eq!(Framing::Ip(36).payload(&[0x41; 30]), None);
        assert_eq!(Framing::Ip(36).payload(&[]), None);
        assert_eq!(Framing::Udp.payload(&[1, 2]), Some(0..2));
    }
}
