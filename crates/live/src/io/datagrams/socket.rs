//! The socket: opening it, sending, receiving, and three waits for a datagram: with a timeout, until an [`Alarm`] expires,
//! and in a [blocking](ReadMode::Blocking) read.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::socket::{setsockopt, sockopt};
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SendFlags, SocketType};
use sojourn_core::{Duration, Time};

use super::offload::{self, GroBuffer};
use super::reading::{Arrival, RawRead, ReadMode, Reader, read_error};
use super::timestamps::{TimestampingSupport, Timestamps};
use super::traffic_class::{self, Marking};
use crate::io::addresses;
use crate::io::alarm::Alarm;
use crate::io::clock::{Clock, to_system};
use crate::io::link::wait_for;
use crate::io::network_error::NetworkError;
use crate::io::packet_io::Received;
use crate::io::wall_clock::Step;

/// Size requested for a socket's buffers.
const SOCKET_BUFFER: usize = 4 << 20;
/// A timeout that every kernel rounds up to its tick: none is shorter.
const LEAST_TICK: Duration = Duration::from_micros(100);

/// A UDP socket, connected to one peer or not.
#[derive(Debug)]
pub struct Datagrams {
    socket: UdpSocket,
    clock: Clock,
    timestamps: Timestamps,
    reader: Reader,
    gro: GroBuffer,
    /// Upper bound of a blocking read.
    max_read_time: Duration,
    /// Traffic class of what it sends, if it was set.
    sent_class: Option<u8>,
}

impl Datagrams {
    /// Opens a socket connected to a peer, from an ephemeral port.
    pub fn to(clock: Clock, peer: SocketAddr, marking: &Marking) -> io::Result<Datagrams> {
        let mut datagrams = Datagrams::at(clock, marking.local(peer))?;
        datagrams.mark(marking, peer.ip())?;
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
        // a kernel that does not count drops reports none
        let _ = setsockopt(&socket, sockopt::RxqOvfl, &1);
        let timestamps = Timestamps::enabled(&socket);
        let (reader, gro, max_read_time) = (Reader::new(), GroBuffer::default(), Duration::ZERO);
        let mut datagrams = Datagrams { socket, clock, timestamps, reader, gro, max_read_time, sent_class: None };
        datagrams.set_read_timeout(Duration::ZERO)?;
        Ok(datagrams)
    }

    /// Enables delivery of all ICMP errors: without it a socket gets those of the remote host alone, and not that a router has no
    /// route (IP_RECVERR, ip(7); IPV6_RECVERR, ipv6(7)). They are in the queue of transmit timestamps, which must be read then.
    pub fn enable_icmp_errors(&mut self) {
        // an IPv4 socket rejects the IPv6 option
        let _ = setsockopt(&self.socket, sockopt::Ipv4RecvErr, &true);
        let _ = setsockopt(&self.socket, sockopt::Ipv6RecvErr, &true);
    }

    /// Disables timestamps: load needs none, and they cost time.
    pub fn disable_timestamping(&mut self) {
        self.timestamps.disable(&self.socket, &self.clock);
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
        self.timestamps.support
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

    /// Sends to any address from a [local address](Datagrams::last_local_address), with a traffic class.
    pub fn answer(
        &mut self,
        to: SocketAddr,
        local: Option<IpAddr>,
        class: u8,
        datagram: &[u8],
    ) -> Result<u32, NetworkError> {
        if class == 0 && local.is_none() {
            return self.send_to(to, datagram);
        }
        let outcome = traffic_class::send(&self.socket, class, to, local, datagram);
        self.count(outcome)
    }

    /// Sends datagrams of `octets` each, concatenated in `batch` and at most [`max_segments`](super::max_segments), to the
    /// connected peer or to an address, from a local one and with a traffic class. Where GSO is not available they are sent one by one.
    pub fn send_gso(
        &mut self,
        to: Option<(SocketAddr, Option<IpAddr>, u8)>,
        batch: &[u8],
        octets: u16,
    ) -> Result<(), NetworkError> {
        if let Some(outcome) = offload::send(&self.socket, to, batch, octets) {
            return self.count(outcome).map(drop);
        }
        for datagram in batch.chunks(octets.into()) {
            match to {
                Some((to, local, class)) => self.answer(to, local, class, datagram)?,
                None => self.send(datagram)?,
            };
        }
        Ok(())
    }

    fn count(&mut self, outcome: io::Result<usize>) -> Result<u32, NetworkError> {
        self.timestamps.found(outcome.is_err());
        outcome.map(|_| self.timestamps.sent()).map_err(|fault| NetworkError::from(&fault))
    }

    /// Enables or disables GRO; [`Datagrams::receive`] returns datagrams one by one in either case.
    pub fn set_gro(&mut self, take: bool) {
        self.gro.enable(&self.socket, take);
    }

    /// Puts a datagram back, to be received again before anything else.
    pub fn unread(&mut self, arrival: Arrival, datagram: &[u8]) {
        self.gro.put_back(arrival, datagram);
    }

    /// Whether datagrams of a GRO batch are buffered here, which polling the socket does not show.
    pub fn has_buffered(&self) -> bool {
        !self.gro.is_empty()
    }

    /// Sets the traffic class of what it sends to an address, and enables delivery of that of what it receives.
    pub fn mark(&mut self, marking: &Marking, to: IpAddr) -> io::Result<()> {
        marking.apply(&self.socket, to)?;
        self.sent_class = Some(marking.class());
        self.enable_traffic_class();
        Ok(())
    }

    /// The traffic class of what it sends; `None` unless it was set.
    pub fn sent_class(&self) -> Option<u8> {
        self.sent_class
    }

    /// Enables delivery of the traffic class with each datagram.
    pub fn enable_traffic_class(&mut self) {
        self.reader.class.enable(&self.socket);
    }

    /// Enables delivery of the address that a datagram was sent to, on a socket bound to all addresses.
    pub fn enable_local_address(&mut self) {
        addresses::enable(&self.socket);
    }

    /// The address that the datagram received last was sent to; `None` where the socket has one only.
    pub fn last_local_address(&self) -> Option<IpAddr> {
        self.reader.local
    }

    /// The traffic class of the datagram received last; `None` unless enabled.
    pub fn last_traffic_class(&self) -> Option<u8> {
        self.reader.class.last()
    }

    /// Datagrams that the socket had dropped because its buffer was full, modulo 2^32, when it queued the last one received
    /// (`SO_RXQ_OVFL`, socket(7)).
    pub fn socket_drops(&self) -> u32 {
        self.reader.socket_drops()
    }

    /// Receives a datagram that is queued or, in [blocking](ReadMode::Blocking) mode, arrives before the
    /// [timeout](Datagrams::set_read_timeout).
    pub fn receive<'a>(&mut self, reading: ReadMode, buffer: &'a mut [u8]) -> Received<'a, Arrival> {
        if let Some(error) = self.timestamps.take_icmp_error() {
            return Received::Notice(NetworkError::from(error));
        }
        if self.gro.enabled || self.has_buffered() {
            return self.receive_buffered(reading, buffer);
        }
        match self.reader.read(&self.socket, &self.clock, reading, buffer) {
            Ok(RawRead { arrival, length, .. }) => Received::Datagram(arrival, &buffer[..length]),
            Err(fault) => self.refused(fault),
        }
    }

    /// What a read without a datagram means; an ICMP error is in the error queue as well, where it takes room.
    fn refused<'a>(&mut self, fault: Errno) -> Received<'a, Arrival> {
        self.timestamps.found(fault != Errno::AGAIN);
        read_error(fault)
    }

    fn receive_buffered<'a>(&mut self, reading: ReadMode, buffer: &'a mut [u8]) -> Received<'a, Arrival> {
        if self.gro.is_empty() {
            match self.reader.read(&self.socket, &self.clock, reading, &mut self.gro.storage) {
                Ok(read) => self.gro.put(read),
                Err(fault) => return self.refused(fault),
            }
        }
        self.gro
            .next(buffer)
            .map_or(Received::Nothing, |(arrival, length)| Received::Datagram(arrival, &buffer[..length]))
    }

    /// The next transmit timestamp, with the number of its datagram; `None` if none is queued. The error queue is read only
    /// while timestamps are pending or a poll found it non-empty.
    pub fn poll_tx_timestamp(&mut self) -> Option<(u32, Time)> {
        self.timestamps.poll(&self.socket, &self.clock)
    }

    /// Waits until a datagram or a timestamp may be queued, `limit` has passed, or a signal interrupts.
    pub fn wait_for(&mut self, limit: Duration) {
        if !self.has_buffered() {
            let found = wait_for(&self.socket, PollFlags::IN, limit);
            self.found(found);
        }
    }

    /// Takes the events that a poll elsewhere found on this socket.
    pub fn found(&mut self, what: PollFlags) {
        self.timestamps.found(what.contains(PollFlags::ERR));
    }

    /// Sets the timeout of [blocking](ReadMode::Blocking) reads to `span`, or a kernel tick if that is longer.
    pub fn set_read_timeout(&mut self, span: Duration) -> io::Result<()> {
        let granted = |span: Duration| -> io::Result<Duration> {
            self.socket.set_read_timeout(Some(to_system(span)))?;
            let granted = self.socket.read_timeout()?.unwrap_or_default();
            Ok(Duration::from_nanos(granted.as_nanos() as u64))
        };
        // the kernel rounds the timeout up to its ticks, and counts from the next one
        self.max_read_time = granted(LEAST_TICK)? + granted(span.max(LEAST_TICK))?;
        Ok(())
    }

    /// Waits until a datagram or a timestamp may be queued, the alarm expires, or a signal interrupts; true if something is
    /// queued.
    pub fn wait(&mut self, alarm: &Alarm) -> bool {
        if self.has_buffered() {
            return true;
        }
        let found = alarm.wait(self.socket.as_fd(), PollFlags::IN);
        self.found(found);
        !found.is_empty()
    }

    /// Upper bound of a [blocking](ReadMode::Blocking) read.
    pub fn max_read_time(&self) -> Duration {
        self.max_read_time
    }

    /// Steps of this host's wall clock, as far as the kernel's timestamps showed them.
    pub fn steps(&self) -> &[Step] {
        self.reader.clock_steps()
    }
}

impl AsFd for Datagrams {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::clock::Clock;
    use crate::io::datagrams::Marking;
    use crate::io::packet_io::Received;

    fn two() -> (Datagrams, Datagrams) {
        let clock = Clock::start();
        let far = Datagrams::at(clock, "127.0.0.1:0".parse().unwrap()).unwrap();
        let near = Datagrams::to(clock, far.local().unwrap(), &Marking::default()).unwrap();
        (near, far)
    }

    #[test]
    fn a_blocking_read_ends_by_its_timeout_or_returns_the_datagram() {
        let (mut near, mut far) = two();
        let mut buffer = [0; 16];
        far.set_read_timeout(Duration::from_millis(30)).unwrap();
        assert!(far.max_read_time() > Duration::from_millis(30));
        let began = far.clock().now();
        assert_eq!(far.receive(ReadMode::Blocking, &mut buffer), Received::Nothing);
        assert!(far.clock().now().since(began) >= Duration::from_millis(30));
        for datagram in [&b"one"[..], b"", b"three"] {
            near.send(datagram).unwrap();
            let Received::Datagram(arrival, read) = far.receive(ReadMode::Blocking, &mut buffer) else {
                panic!("it was sent")
            };
            assert_eq!((arrival.from, read), (near.local().unwrap(), datagram));
        }
        assert_eq!(far.receive(ReadMode::NonBlocking, &mut buffer), Received::Nothing);
    }

    #[test]
    fn a_pending_transmit_timestamp_ends_a_wait_until_it_is_read() {
        let (mut near, _far) = two();
        let mut alarm = Alarm::new(near.clock()).unwrap();
        near.send(b"!").unwrap();
        let at = near.clock().now() + Duration::from_secs(60);
        alarm.set(at);
        assert!(near.wait(&alarm) && near.clock().now() < at);
        assert!(matches!(near.poll_tx_timestamp(), Some((0, _))));
        assert_eq!(near.poll_tx_timestamp(), None);
        let at = near.clock().now() + Duration::from_millis(30);
        alarm.set(at);
        assert!(!near.wait(&alarm) && near.clock().now() >= at);
    }
}
