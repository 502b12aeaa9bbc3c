//! A UDP socket whose kernel stamps what leaves and what arrives (SO_TIMESTAMPING, software stamps).
//!
//! An application's own reading of the clock holds its wake-up: tens of microseconds on an idle host. The kernel's
//! stamps lie on the other side of that. They come in wall-clock time, so each is converted by a pair of readings
//! taken when it is read, never by one offset for a whole run.

mod offload;
mod traffic_class;
mod waiting;

use std::io::{self, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrStorage, TimestampingFlag, recvmsg, setsockopt, sockopt,
};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SendFlags, SocketType};
use sojourn_core::{Duration, Time};

use self::offload::Train;
pub use self::offload::capacity;
use self::traffic_class::Class;
pub use self::waiting::Reading;
use crate::io::clock::Clock;
use crate::io::network_error::NetworkError;
use crate::io::packet_io::Received;
use crate::io::wall_clock::{Pair, StepWatch};

/// A socket's buffers, as far as the system grants them.
const SOCKET_BUFFER: usize = 4 << 20;
/// Who put a message into the error queue: the kernel's stamping (`SO_EE_ORIGIN_TIMESTAMPING`, linux/errqueue.h).
const FROM_STAMPING: u8 = 4;

/// How packets are to leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marking {
    /// Differentiated services code point, 0 to 63 (RFC 2474).
    pub dscp: u8,
    /// Explicit congestion notification field, 0 to 3 (RFC 3168).
    pub ecn: u8,
    /// The address of this host that packets leave from.
    pub bind: Option<IpAddr>,
}

impl Marking {
    /// Sets the traffic class of a socket of either family.
    pub fn apply(&self, socket: impl AsFd, address: IpAddr) -> io::Result<()> {
        let class = self.dscp << 2 | self.ecn;
        match address {
            IpAddr::V4(_) => rustix::net::sockopt::set_ip_tos(socket, class)?,
            IpAddr::V6(_) => rustix::net::sockopt::set_ipv6_tclass(socket, class.into())?,
        }
        Ok(())
    }

    /// Where a socket that talks to `peer` is bound, any port; an address of one link alone is one of the peer's.
    pub fn local(&self, peer: SocketAddr) -> SocketAddr {
        match (self.bind, peer) {
            (Some(IpAddr::V6(own)), SocketAddr::V6(peer)) if own.is_unicast_link_local() => {
                SocketAddrV6::new(own, 0, 0, peer.scope_id()).into()
            }
            (Some(own), _) => SocketAddr::new(own, 0),
            (None, SocketAddr::V4(_)) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            (None, SocketAddr::V6(_)) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        }
    }
}

/// What the stamps of a measurement are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Stamping {
    /// Whether this end's kernel stamps what leaves.
    pub kernel_transmit: bool,
    /// Whether this end's kernel stamps what arrives.
    pub kernel_receive: bool,
}

/// A datagram's arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Who sent it.
    pub from: SocketAddr,
    /// When the application had it.
    pub at: Time,
    /// When the kernel had it, where it stamps.
    pub kernel_at: Option<Time>,
}

/// What was read at once.
#[derive(Clone, Copy, Debug)]
struct Came {
    arrival: Arrival,
    /// Octets of all of it.
    length: usize,
    /// Octets of each datagram of a train; as many as `length` of one that came alone.
    each: usize,
}

/// A socket, to one peer or to all.
#[derive(Debug)]
pub struct Datagrams {
    socket: UdpSocket,
    clock: Clock,
    control: Vec<u8>,
    stamping: Stamping,
    /// How many datagrams have left: the kernel counts them too, and names them by it.
    sent: u32,
    /// Of how many of those the kernel has still to tell when they left.
    untold: u32,
    /// A wait found that the kernel has something to tell that no datagram is.
    has_word: bool,
    /// How long reading waits at most.
    longest_read: Duration,
    steps: StepWatch,
    train: Train,
    class: Class,
}

impl Datagrams {
    /// A socket for one peer, from any port.
    pub fn to(clock: Clock, peer: SocketAddr, marking: &Marking) -> io::Result<Datagrams> {
        let mut datagrams = Datagrams::at(clock, marking.local(peer))?;
        marking.apply(&datagrams.socket, peer.ip())?;
        if marking.is_ecn_capable() {
            datagrams.read_class();
        }
        datagrams.socket.connect(peer)?;
        Ok(datagrams)
    }

    /// A socket for whoever sends to this address and port.
    pub fn at(clock: Clock, address: SocketAddr) -> io::Result<Datagrams> {
        Datagrams::over(clock, UdpSocket::bind(address)?)
    }

    /// A socket for what is sent to a group and comes in by an interface: of IPv4 the one with the address `own`, of IPv6
    /// the one that the group names. Others of this host may listen to the group as well.
    pub fn in_group(clock: Clock, group: SocketAddr, own: IpAddr) -> io::Result<Datagrams> {
        let family = if group.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = rustix::net::socket(family, SocketType::DGRAM, None)?;
        rustix::net::sockopt::set_socket_reuseaddr(&socket, true)?;
        rustix::net::bind(&socket, &group)?;
        let socket = UdpSocket::from(socket);
        match (group, own) {
            (SocketAddr::V4(group), IpAddr::V4(own)) => socket.join_multicast_v4(group.ip(), &own)?,
            (SocketAddr::V6(group), _) => socket.join_multicast_v6(group.ip(), group.scope_id())?,
            (SocketAddr::V4(_), IpAddr::V6(_)) => return Err(io::ErrorKind::InvalidInput.into()),
        }
        Datagrams::over(clock, socket)
    }

    /// Over a socket that is bound.
    pub fn over(clock: Clock, socket: UdpSocket) -> io::Result<Datagrams> {
        // the system grants what it allows; less is no mistake
        let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&socket, SOCKET_BUFFER);
        let _ = rustix::net::sockopt::set_socket_send_buffer_size(&socket, SOCKET_BUFFER);
        let stamping = stamp(&socket);
        let control = nix::cmsg_space!(nix::sys::socket::Timestamps, [u8; 64], i32);
        let (steps, train, class) = (StepWatch::default(), Train::default(), Class::default());
        let (sent, untold, has_word, longest_read) = (0, 0, false, Duration::ZERO);
        let mut datagrams =
            Datagrams { socket, clock, control, stamping, sent, untold, has_word, longest_read, steps, train, class };
        datagrams.read_for(Duration::ZERO)?;
        Ok(datagrams)
    }

    /// Asks the kernel for no stamps any more: load needs none, and they cost.
    pub fn stop_stamping(&mut self) {
        let none = TimestampingFlag::empty();
        if setsockopt(&self.socket, sockopt::Timestamping, &none).is_ok() {
            self.stamping = Stamping::default();
            while self.departed().is_some() {}
            self.untold = 0;
        }
    }

    /// The address and port this end has.
    pub fn local(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// The clock of its times.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// What its kernel stamps.
    pub fn stamping(&self) -> Stamping {
        self.stamping
    }

    /// Sends to the one peer; the number by which [`Datagrams::departed`] will name it.
    pub fn send(&mut self, datagram: &[u8]) -> Result<u32, NetworkError> {
        let outcome = rustix::net::send(&self.socket, datagram, SendFlags::DONTWAIT);
        self.count(outcome.map_err(io::Error::from))
    }

    /// Sends to any.
    pub fn send_to(&mut self, to: SocketAddr, datagram: &[u8]) -> Result<u32, NetworkError> {
        let outcome = rustix::net::sendto(&self.socket, datagram, SendFlags::DONTWAIT, &to);
        self.count(outcome.map_err(io::Error::from))
    }

    fn count(&mut self, outcome: io::Result<usize>) -> Result<u32, NetworkError> {
        match outcome {
            Ok(_) => {
                self.sent = self.sent.wrapping_add(1);
                self.untold += u32::from(self.stamping.kernel_transmit);
                Ok(self.sent.wrapping_sub(1))
            }
            Err(fault) => Err(NetworkError::from(&fault)),
        }
    }

    /// The next datagram, if one is there or, if it is waited for, comes within [so long](Datagrams::read_for).
    pub fn receive<'a>(&mut self, reading: Reading, buffer: &'a mut [u8]) -> Received<'a, Arrival> {
        if self.train.taken || self.is_giving() {
            return self.receive_of_train(reading, buffer);
        }
        match self.read(reading, buffer) {
            Ok(Came { arrival, length, .. }) => Received::Datagram(arrival, &buffer[..length]),
            Err(fault) => nothing_but(fault),
        }
    }

    fn receive_of_train<'a>(&mut self, reading: Reading, buffer: &'a mut [u8]) -> Received<'a, Arrival> {
        if self.train.is_over() {
            let mut room = std::mem::take(&mut self.train.room);
            let came = self.read(reading, &mut room);
            self.train.room = room;
            match came {
                Ok(came) => self.train.put(came),
                Err(fault) => return nothing_but(fault),
            }
        }
        self.train
            .next(buffer)
            .map_or(Received::Nothing, |(arrival, length)| Received::Datagram(arrival, &buffer[..length]))
    }

    fn read(&mut self, reading: Reading, buffer: &mut [u8]) -> Result<Came, Errno> {
        let how = match reading {
            Reading::AtOnce => MsgFlags::MSG_DONTWAIT,
            Reading::InTime => MsgFlags::empty(),
        };
        loop {
            let mut slices = [IoSliceMut::new(buffer)];
            let read = recvmsg::<SockaddrStorage>(self.socket.as_raw_fd(), &mut slices, Some(&mut self.control), how);
            let message = match read {
                Ok(message) => message,
                Err(nix::errno::Errno::EINTR) => continue,
                Err(fault) => return Err(Errno::from_raw_os_error(fault as i32)),
            };
            let at = self.clock.now();
            let Some(from) = message.address.as_ref().and_then(address) else { continue };
            let (mut stamp, mut each, mut class) = (None, None, None);
            for message in message.cmsgs().into_iter().flatten() {
                stamp = stamp.or(software(&message));
                each = each.or(offload::cut(&message));
                class = class.or(traffic_class::of(&message));
            }
            let length = message.bytes;
            let kernel_at = stamp.and_then(|stamp_ns| {
                let pair = Pair::read_after(at, &self.clock);
                self.steps.look(pair);
                pair.convert(stamp_ns)
            });
            self.class.came(class);
            return Ok(Came { arrival: Arrival { from, at, kernel_at }, length, each: each.unwrap_or(length) });
        }
    }

    /// When the kernel put a datagram on its way, for one after the other; `None` when it has nothing to say. It is asked
    /// where a departure is still to be told, or where a wait found that it has a word.
    pub fn departed(&mut self) -> Option<(u32, Time)> {
        while self.untold > 0 || self.has_word {
            let message = recvmsg::<SockaddrStorage>(
                self.socket.as_raw_fd(),
                &mut [],
                Some(&mut self.control),
                MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_ERRQUEUE,
            );
            let Ok(message) = message else {
                self.has_word = false;
                return None;
            };
            let pair = Pair::read(&self.clock);
            let (mut number, mut stamp) = (None, None);
            for message in message.cmsgs().ok()? {
                stamp = stamp.or(software(&message));
                number = number.or(match message {
                    ControlMessageOwned::Ipv4RecvErr(fault, _) | ControlMessageOwned::Ipv6RecvErr(fault, _) => {
                        (fault.ee_origin == FROM_STAMPING).then_some(fault.ee_data)
                    }
                    _ => None,
                });
            }
            // anything else in the queue is an ICMP error, which the next call on the socket tells, too
            self.untold = self.untold.saturating_sub(u32::from(number.is_some()));
            if let (Some(number), Some(at)) = (number, stamp.and_then(|stamp_ns| pair.convert(stamp_ns))) {
                return Some((number, at));
            }
        }
        None
    }
}

impl AsFd for Datagrams {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Asks the kernel for all software stamps it gives.
fn stamp(socket: &UdpSocket) -> Stamping {
    let receive = TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE | TimestampingFlag::SOF_TIMESTAMPING_RX_SOFTWARE;
    let transmit = TimestampingFlag::SOF_TIMESTAMPING_TX_SOFTWARE
        | TimestampingFlag::SOF_TIMESTAMPING_OPT_ID
        | TimestampingFlag::SOF_TIMESTAMPING_OPT_TSONLY;
    let granted = |flags| setsockopt(socket, sockopt::Timestamping, &flags).is_ok();
    if granted(receive | transmit) {
        return Stamping { kernel_transmit: true, kernel_receive: true };
    }
    Stamping { kernel_transmit: false, kernel_receive: granted(receive) }
}

/// A call that reads had no datagram.
fn nothing_but<'a>(fault: Errno) -> Received<'a, Arrival> {
    match fault {
        Errno::AGAIN => Received::Nothing,
        fault => Received::Notice(NetworkError::from(fault)),
    }
}

/// The kernel's stamp, in nanoseconds since 1970.
fn software(message: &ControlMessageOwned) -> Option<i64> {
    let ControlMessageOwned::ScmTimestampsns(stamps) = message else { return None };
    let stamp_ns = stamps.system.tv_sec() * 1_000_000_000 + stamps.system.tv_nsec();
    (stamp_ns > 0).then_some(stamp_ns)
}

fn address(storage: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = storage.as_sockaddr_in().map(|address| SocketAddr::V4((*address).into()));
    v4.or_else(|| storage.as_sockaddr_in6().map(|address| SocketAddr::V6((*address).into())))
}
