//! A non-blocking UDP or raw IP socket.
//!
//! A driver waits only in [`PacketIo::wait`]. One datagram per system call is enough here: the protocol stack
//! dominates the cost, not the call (docs/decisions/0020-live-driver.md has the figures).

pub mod ip;
mod record;
pub mod udp;

use std::io::{self, IoSlice, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use nix::sys::socket::{MsgFlags, SockaddrStorage, recvmsg, sendmsg};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{SendFlags, send, sendto};
use sojourn_core::Duration;

use crate::io::addresses::{self, Source};
use crate::io::clock::to_timespec;
use crate::io::network_error::NetworkError;
use crate::io::packet_io::{Direction, PacketIo, Received};

/// The remote end of a datagram, and the address of this host that it was sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Peer {
    /// Its address; the port is 0 for raw IP, which has none.
    pub address: SocketAddr,
    /// The address of this host that it sent to, and that its answer leaves from; `None` where the socket has one only.
    pub local: Option<IpAddr>,
}

impl From<SocketAddr> for Peer {
    /// A peer that has sent nothing yet: routing chooses the address of this host.
    fn from(address: SocketAddr) -> Peer {
        Peer { address, local: None }
    }
}

/// Size requested for a socket's buffers: a burst must not overflow them while the receiving process waits for a CPU.
const SOCKET_BUFFER: usize = 4 << 20;

/// How long to wait for room in a full send buffer before the datagram is dropped, as a full queue would drop it.
pub const SEND_TIMEOUT: Duration = Duration::from_millis(20);

/// An open socket over UDP or raw IP, connected to one peer or not.
#[derive(Debug)]
pub struct Link {
    socket: OwnedFd,
    framing: Framing,
    /// The peer of a connected socket; only such a socket reports ICMP errors.
    connected: Option<SocketAddr>,
    /// Room for the ancillary data of a datagram.
    control: Vec<u8>,
}

/// The header that the socket delivers before the datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// UDP, whose header the kernel handles.
    Udp,
    /// Raw IP: the IP header, before packets of this protocol.
    Ip(u8),
}

impl Link {
    fn new(socket: OwnedFd, framing: Framing, connected: Option<SocketAddr>) -> Link {
        enlarge_buffers(&socket);
        addresses::enable(&socket);
        // the larger of the local addresses
        Link { socket, framing, connected, control: nix::cmsg_space!(libc::in6_pktinfo) }
    }

    /// The address this end has.
    pub fn local(&self) -> SocketAddr {
        match rustix::net::getsockname(&self.socket).map(SocketAddr::try_from) {
            Ok(Ok(address)) => address,
            _ => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        }
    }

    /// The address of this end in a datagram from or to a peer.
    fn local_to(&self, peer: Peer) -> SocketAddr {
        let bound = self.local();
        peer.local.map_or(bound, |local| SocketAddr::new(local, bound.port()))
    }

    /// Sends one datagram, if the send buffer has room.
    fn try_send(&self, to: Peer, datagram: &[u8]) -> Result<(), Errno> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        match (self.connected, to.local) {
            (Some(_), _) => send(&self.socket, datagram, flags).map(drop),
            (None, None) => sendto(&self.socket, datagram, flags, &to.address).map(drop),
            (None, Some(local)) => {
                let (parts, whom, source) =
                    ([IoSlice::new(datagram)], SockaddrStorage::from(to.address), Source::of(local));
                let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
                let sent = sendmsg(self.socket.as_raw_fd(), &parts, &[source.message()], flags, Some(&whom));
                sent.map(drop).map_err(|fault| Errno::from_raw_os_error(fault as i32))
            }
        }
    }

    /// Receives one datagram, if one is queued: its length, and its sender if that is of IP.
    fn try_receive(&mut self, buffer: &mut [u8]) -> Result<(usize, Option<Peer>), Errno> {
        let mut parts = [IoSliceMut::new(buffer)];
        let (socket, control) = (self.socket.as_raw_fd(), Some(&mut self.control[..]));
        let message = recvmsg::<SockaddrStorage>(socket, &mut parts, control, MsgFlags::MSG_DONTWAIT)
            .map_err(|fault| Errno::from_raw_os_error(fault as i32))?;
        let local = message.cmsgs().into_iter().flatten().find_map(|message| addresses::local(&message));
        let sender = message.address.as_ref().and_then(addresses::sender);
        Ok((message.bytes, sender.map(|address| Peer { address, local })))
    }
}

impl PacketIo for Link {
    type End = Peer;
    type Notice = NetworkError;

    /// Sends one datagram; drops it if the send buffer stays full.
    fn send(&mut self, to: Peer, datagram: &[u8]) -> Result<(), NetworkError> {
        for _ in 0..2 {
            match self.try_send(to, datagram) {
                Err(Errno::AGAIN | Errno::NOBUFS) => {
                    wait_for(&self.socket, PollFlags::OUT, SEND_TIMEOUT);
                }
                Err(Errno::INTR) => {}
                Err(fault) => return Err(NetworkError::from(fault)),
                Ok(()) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Receives a datagram, if one is queued.
    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a, Peer> {
        loop {
            return match self.try_receive(buffer) {
                Ok((length, from)) => {
                    let Some(peer) = from else { continue };
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

    /// Waits until a datagram may be queued, `limit` has passed, or a signal interrupts.
    fn wait(&mut self, limit: Duration) {
        wait_for(&self.socket, PollFlags::IN, limit);
    }

    /// The packet as IP carries it.
    fn record(&self, direction: Direction, peer: Peer, datagram: &[u8], record: &mut Vec<u8>) -> bool {
        let ends = match direction {
            Direction::Out => (self.local_to(peer), peer.address),
            Direction::In => (peer.address, self.local_to(peer)),
        };
        match self.framing {
            Framing::Udp => record::udp(ends, datagram, record),
            Framing::Ip(protocol) => record::ip(ends, protocol, datagram, record),
        }
        true
    }
}

impl Framing {
    /// The datagram's range in what was read; `None` if the IP header is truncated.
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

/// Enlarges a socket's buffers as far as the system allows; a smaller size is not an error.
pub fn enlarge_buffers(socket: impl AsFd) {
    let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&socket, SOCKET_BUFFER);
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(&socket, SOCKET_BUFFER);
}

/// Polls a socket until it has one of the `wanted` events or an error, `limit` has passed, or a signal interrupts; returns
/// its events.
pub fn wait_for(socket: impl AsFd, wanted: PollFlags, limit: Duration) -> PollFlags {
    let mut one = [PollFd::new(&socket, wanted)];
    let _ = poll(&mut one, Some(&to_timespec(limit)));
    one[0].revents()
}

/// The unspecified address (0.0.0.0 or ::) of the IP version of `like`.
pub fn unspecified_like(like: IpAddr) -> IpAddr {
    match like {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    }
}

/// `None` where a non-blocking call would block.
pub fn unless_would_block(outcome: io::Result<usize>) -> io::Result<Option<usize>> {
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
    fn the_datagram_follows_the_ip_header_and_a_truncated_header_is_ignored() {
        let mut packet = vec![0x46; 30];
        assert_eq!(Framing::Ip(36).payload(&packet), Some(24..30));
        packet.truncate(23);
        assert_eq!(Framing::Ip(36).payload(&packet), None);
        assert_eq!(Framing::Ip(36).payload(&[0x41; 30]), None);
        assert_eq!(Framing::Ip(36).payload(&[]), None);
        assert_eq!(Framing::Udp.payload(&[1, 2]), Some(0..2));
    }
}
