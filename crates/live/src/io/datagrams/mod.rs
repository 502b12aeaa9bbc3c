//! A UDP socket with kernel transmit and receive timestamps (SO_TIMESTAMPING, software timestamps).
//!
//! An application's own clock reading includes its wake-up, tens of microseconds on an idle host; the kernel's timestamps
//! do not. They are in wall-clock time, so each is converted by a pair of readings taken when it is read, never by one
//! offset for a whole run.

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

use self::offload::GroBuffer;
pub use self::offload::max_segments;
use self::traffic_class::Class;
pub use self::waiting::ReadMode;
use crate::io::clock::Clock;
use crate::io::network_error::NetworkError;
use crate::io::packet_io::Received;
use crate::io::wall_clock::{ClockStepDetector, Pair};

/// Size requested for a socket's buffers.
const SOCKET_BUFFER: usize = 4 << 20;
/// Origin of a message in the error queue: timestamping (`SO_EE_ORIGIN_TIMESTAMPING`, linux/errqueue.h).
const FROM_STAMPING: u8 = 4;

/// IP header fields and source address of outgoing packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marking {
    /// Differentiated services code point, 0 to 63 (RFC 2474).
    pub dscp: u8,
    /// Explicit congestion notification field, 0 to 3 (RFC 3168).
    pub ecn: u8,
    /// Source address; the system chooses when absent.
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

    /// The address that a socket to `peer` is bound to, with any port; a link-local address takes the peer's scope.
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

/// Which timestamps the kernel of this host takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct TimestampingSupport {
    /// Whether it timestamps outgoing packets.
    pub kernel_transmit: bool,
    /// Whether it timestamps incoming packets.
    pub kernel_receive: bool,
}

/// Sender and arrival times of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The sender's address.
    pub from: SocketAddr,
    /// When the application received it.
    pub at: Time,
    /// When the kernel received it, if it timestamps.
    pub kernel_at: Option<Time>,
}

/// The result of one read.
#[derive(Clone, Copy, Debug)]
struct RawRead {
    arrival: Arrival,
    /// Octets read.
    length: usize,
    /// Octets of each datagram of a GRO batch; equal to `length` for a single datagram.
    each: usize,
}

/// A UDP socket, connected to one peer or not.
#[derive(Debug)]
pub struct Datagrams {
    socket: UdpSocket,
    clock: Clock,
    control: Vec<u8>,
    stamping: TimestampingSupport,
    /// Datagrams sent; the kernel's timestamps refer to this count.
    sent: u32,
    /// Transmit timestamps not read yet.
    pending_tx_timestamps: u32,
    /// Whether a poll found the error queue non-empty.
    error_queue_pending: bool,
    /// Upper bound of a blocking read.
    max_read_time: Duration,
    steps: ClockStepDetector,
    gro: GroBuffer,
    class: Class,
}

impl Datagrams {
    /// Opens a socket connected to a peer, from an ephemeral port.
    pub fn to(clock: Clock, peer: SocketAddr, marking: &Marking) -> io::Result<Datagrams> {
        let mut datagrams = Datagrams::at(clock, marking.local(peer))?;
        marking.apply(&datagrams.socket, peer.ip())?;
        if marking.is_ecn_capable() {
            datagrams.enable_traffic_class();
        }
        datagrams.socket.connect(peer)?;
        Ok(datagrams)
    }

    /// Opens a socket bound to this address and port.
    pub fn at(clock: Clock, address: SocketAddr) -> io::Result<Datagrams> {
        Datagrams::over(clock, UdpSocket::bind(address)?)
    }

    /// Opens a socket that joins a multicast group on an interface: for IPv4 the one with the address `own`, for IPv6 the
    /// one in the group's scope. Other processes of this host may join as well (SO_REUSEADDR).
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

    /// Uses a socket that is already bound.
    pub fn over(clock: Clock, socket: UdpSocket) -> io::Result<Datagrams> {
        // a smaller buffer than requested is not an error
        let _ = rustix::net::sockopt::set_socket_recv_buffer_size(&socket, SOCKET_BUFFER);
        let _ = rustix::net::sockopt::set_socket_send_buffer_size(&socket, SOCKET_BUFFER);
        let stamping = stamp(&socket);
        let control = nix::cmsg_space!(nix::sys::socket::Timestamps, [u8; 64], i32);
        let (steps, gro, class) = (ClockStepDetector::default(), GroBuffer::default(), Class::default());
        let (sent, pending_tx_timestamps, error_queue_pending, max_read_time) = (0, 0, false, Duration::ZERO);
        let mut datagrams = Datagrams {
            socket,
            clock,
            control,
            stamping,
            sent,
            pending_tx_timestamps,
            error_queue_pending,
            max_read_time,
            steps,
            gro,
            class,
        };
        datagrams.set_read_timeout(Duration::ZERO)?;
        Ok(datagrams)
    }

    /// Disables timestamps: load needs none, and they cost time.
    pub fn disable_timestamping(&mut self) {
        let none = TimestampingFlag::empty();
        if setsockopt(&self.socket, sockopt::Timestamping, &none).is_ok() {
            self.stamping = TimestampingSupport::default();
            while self.poll_tx_timestamp().is_some() {}
            self.pending_tx_timestamps = 0;
        }
    }

    /// The local address and port.
    pub fn local(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// The clock of its timestamps.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Which timestamps the kernel takes.
    pub fn stamping(&self) -> TimestampingSupport {
        self.stamping
    }

    /// Sends to the connected peer; returns the number that [`Datagrams::poll_tx_timestamp`] refers to it by.
    pub fn send(&mut self, datagram: &[u8]) -> Result<u32, NetworkError> {
        let outcome = rustix::net::send(&self.socket, datagram, SendFlags::DONTWAIT);
        self.count(outcome.map_err(io::Error::from))
    }

    /// Sends to any address.
    pub fn send_to(&mut self, to: SocketAddr, datagram: &[u8]) -> Result<u32, NetworkError> {
        let outcome = rustix::net::sendto(&self.socket, datagram, SendFlags::DONTWAIT, &to);
        self.count(outcome.map_err(io::Error::from))
    }

    fn count(&mut self, outcome: io::Result<usize>) -> Result<u32, NetworkError> {
        match outcome {
            Ok(_) => {
                self.sent = self.sent.wrapping_add(1);
                self.pending_tx_timestamps += u32::from(self.stamping.kernel_transmit);
                Ok(self.sent.wrapping_sub(1))
            }
            Err(fault) => Err(NetworkError::from(&fault)),
        }
    }

    /// Receives a datagram that is queued or, in [blocking](ReadMode::Blocking) mode, arrives before the
    /// [timeout](Datagrams::set_read_timeout).
    pub fn receive<'a>(&mut self, reading: ReadMode, buffer: &'a mut [u8]) -> Received<'a, Arrival> {
        if self.gro.enabled || self.has_buffered() {
            return self.receive_buffered(reading, buffer);
        }
        match self.read(reading, buffer) {
            Ok(RawRead { arrival, length, .. }) => Received::Datagram(arrival, &buffer[..length]),
            Err(fault) => read_error(fault),
        }
    }

    fn receive_buffered<'a>(&mut self, reading: ReadMode, buffer: &'a mut [u8]) -> Received<'a, Arrival> {
        if self.gro.is_empty() {
            let mut storage = std::mem::take(&mut self.gro.storage);
            let read = self.read(reading, &mut storage);
            self.gro.storage = storage;
            match read {
                Ok(read) => self.gro.put(read),
                Err(fault) => return read_error(fault),
            }
        }
        self.gro
            .next(buffer)
            .map_or(Received::Nothing, |(arrival, length)| Received::Datagram(arrival, &buffer[..length]))
    }

    fn read(&mut self, reading: ReadMode, buffer: &mut [u8]) -> Result<RawRead, Errno> {
        let how = match reading {
            ReadMode::NonBlocking => MsgFlags::MSG_DONTWAIT,
            ReadMode::Blocking => MsgFlags::empty(),
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
                each = each.or(offload::segment_size(&message));
                class = class.or(traffic_class::of(&message));
            }
            let length = message.bytes;
            let kernel_at = stamp.and_then(|stamp_ns| {
                let pair = Pair::read_after(at, &self.clock);
                self.steps.look(pair);
                pair.convert(stamp_ns)
            });
            self.class.read(class);
            return Ok(RawRead { arrival: Arrival { from, at, kernel_at }, length, each: each.unwrap_or(length) });
        }
    }

    /// The next transmit timestamp, with the number of its datagram; `None` if none is queued. The error queue is read only
    /// while timestamps are pending or a poll found it non-empty.
    pub fn poll_tx_timestamp(&mut self) -> Option<(u32, Time)> {
        while self.pending_tx_timestamps > 0 || self.error_queue_pending {
            let message = recvmsg::<SockaddrStorage>(
                self.socket.as_raw_fd(),
                &mut [],
                Some(&mut self.control),
                MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_ERRQUEUE,
            );
            let Ok(message) = message else {
                self.error_queue_pending = false;
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
            // anything else in the queue is an ICMP error, which the next call on the socket returns as well
            self.pending_tx_timestamps = self.pending_tx_timestamps.saturating_sub(u32::from(number.is_some()));
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

/// Enables all software timestamps that the kernel supports.
fn stamp(socket: &UdpSocket) -> TimestampingSupport {
    let receive = TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE | TimestampingFlag::SOF_TIMESTAMPING_RX_SOFTWARE;
    let transmit = TimestampingFlag::SOF_TIMESTAMPING_TX_SOFTWARE
        | TimestampingFlag::SOF_TIMESTAMPING_OPT_ID
        | TimestampingFlag::SOF_TIMESTAMPING_OPT_TSONLY;
    let granted = |flags| setsockopt(socket, sockopt::Timestamping, &flags).is_ok();
    if granted(receive | transmit) {
        return TimestampingSupport { kernel_transmit: true, kernel_receive: true };
    }
    TimestampingSupport { kernel_transmit: false, kernel_receive: granted(receive) }
}

/// What a read without a datagram means.
fn read_error<'a>(fault: Errno) -> Received<'a, Arrival> {
    match fault {
        Errno::AGAIN => Received::Nothing,
        fault => Received::Notice(NetworkError::from(fault)),
    }
}

/// The kernel's timestamp, in nanoseconds since 1970.
fn software(message: &ControlMessageOwned) -> Option<i64> {
    let ControlMessageOwned::ScmTimestampsns(stamps) = message else { return None };
    let stamp_ns = stamps.system.tv_sec() * 1_000_000_000 + stamps.system.tv_nsec();
    (stamp_ns > 0).then_some(stamp_ns)
}

fn address(storage: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = storage.as_sockaddr_in().map(|address| SocketAddr::V4((*address).into()));
    v4.or_else(|| storage.as_sockaddr_in6().map(|address| SocketAddr::V6((*address).into())))
}
