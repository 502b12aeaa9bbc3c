//! All sockets of the agent: which is read next, when GRO is enabled, when transmit timestamps and connections have their
//! turn.

use std::collections::VecDeque;
use std::net::SocketAddr;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use sojourn_core::{Duration, Time};
use sojourn_protocols::probe::server::{Input, Path};

use super::endpoint::{Endpoint, Outgoing};
use super::keyring::Keyring;
use super::listen_socket::{BindError, ListenSocket, departed};
use super::streams::Streams;
use crate::io::clock::{Clock, to_timespec};
use crate::io::datagrams::{Arrival, ReadMode};
use crate::io::link::{SEND_TIMEOUT, wait_for};
use crate::io::network_error::NetworkError;
use crate::io::packet_io::{Direction, PacketIo, Received};
use crate::mesh::permission::Permission;

/// Datagrams read before timestamps and connections have their turn, so that a flood does not starve them. After as many
/// GRO is enabled.
const MAX_IN_A_ROW: u32 = 32;
/// GRO is disabled after this time without a full batch, so that each datagram has its own timestamp again. A GSO burst
/// that arrives at that moment is read as one datagram and lost.
const GRO_IDLE: Duration = Duration::from_secs(1);
/// While one socket is active the others are polled when nothing arrived for a kernel tick or two, but at least this
/// often; with several active sockets all are polled each time.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Requests farther apart than this are waited for without a limit, and so is the next after a burst, such as that of many
/// clients that send once a second together: a read that ends each kernel tick would cost more than it gains.
const FREQUENT: Duration = Duration::from_millis(20);
/// Transmit timestamps left unread while the next probe is awaited, at most.
const MAX_UNREAD_TIMESTAMPS: u32 = 3;
/// Two address families, each with a UDP socket and a listener, and the eventfd of streams.
const MAX_SOCKETS: usize = 5;

/// All listening sockets and TCP connections.
#[derive(Debug)]
pub struct Listeners {
    sockets: Vec<ListenSocket>,
    streams: Streams,
    clock: Clock,
    /// Departures of replies without a kernel timestamp.
    unstamped: VecDeque<Input>,
    /// Datagrams read in a row.
    in_a_row: u32,
    /// Index of the socket read last.
    turn: usize,
    /// Replies sent since transmit timestamps were read.
    unread_timestamps: u32,
    /// The last wait ended with a datagram: defer all other work, since the client may share this CPU.
    latency_mode: bool,
    /// When a batch was last full; GRO is enabled since.
    gro_since: Option<Time>,
    /// When all sockets were polled last.
    last_poll: Time,
}

impl Listeners {
    /// Binds every address over UDP and TCP.
    pub fn open(
        addresses: &[SocketAddr],
        keyring: &Keyring,
        clock: Clock,
        permission: Option<Permission>,
    ) -> Result<Listeners, BindError> {
        let sockets: Vec<ListenSocket> =
            addresses.iter().map(|address| ListenSocket::open(*address, clock)).collect::<Result<_, _>>()?;
        let address = addresses[0];
        let streams = Streams::new(keyring.clone(), clock, permission).map_err(|fault| BindError {
            transport: "TCP",
            address,
            fault,
        })?;
        Ok(Listeners {
            sockets,
            streams,
            clock,
            unstamped: VecDeque::new(),
            in_a_row: 0,
            turn: 0,
            unread_timestamps: 0,
            latency_mode: false,
            gro_since: None,
            last_poll: Time::ZERO,
        })
    }

    /// The addresses it listens on.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.sockets.iter().map(|socket| socket.address).collect()
    }

    /// Closes all TCP connections.
    pub fn close(&mut self) {
        self.streams.close();
    }

    fn send_datagram(&mut self, path: Path, what: Outgoing, datagram: &[u8]) {
        let Path { peer: to, local } = path;
        let family = |socket: &&mut ListenSocket| socket.address.is_ipv4() == to.is_ipv4();
        let Some(socket) = self.sockets.iter_mut().find(family) else { return };
        if let Outgoing::Load { dscp } = what {
            return socket.load.add(path, dscp << 2, datagram, &mut socket.datagrams);
        }
        // a reply has the traffic class of its probe, the datagram received last, which returns a CE mark
        let class = match what {
            Outgoing::Reply(_) => socket.datagrams.last_traffic_class().unwrap_or(0),
            _ => 0,
        };
        // before the call, which may return long after the datagram has arrived: the client that it wakes takes the processor
        let left = self.clock.now();
        for _ in 0..2 {
            match socket.datagrams.answer(to, local, class, datagram) {
                Ok(number) => {
                    let Outgoing::Reply(reply) = what else { return };
                    if socket.datagrams.stamping().kernel_transmit {
                        socket.replies.sent(number, reply);
                        self.unread_timestamps += 1;
                    } else {
                        self.unstamped.push_back(departed(reply, left, false));
                    }
                    // only under load is another datagram queued by now; otherwise the next wait finds it, without a futile read
                    socket.readable &= self.gro_since.is_some();
                    return;
                }
                Err(NetworkError::System(Errno::AGAIN | Errno::NOBUFS)) => {
                    wait_for(&socket.datagrams, PollFlags::OUT, SEND_TIMEOUT);
                }
                // an ICMP error concerns only the client that gets no reply
                Err(_) => return,
            }
        }
    }

    /// The next datagram of any socket, round robin.
    fn datagram(&mut self, buffer: &mut [u8]) -> Option<(Arrival, usize)> {
        for _ in 0..self.sockets.len() {
            self.turn = if self.turn + 1 < self.sockets.len() { self.turn + 1 } else { 0 };
            let socket = &mut self.sockets[self.turn];
            while socket.readable || socket.datagrams.has_buffered() {
                match socket.datagrams.receive(ReadMode::NonBlocking, buffer) {
                    Received::Datagram(arrival, datagram) => {
                        socket.received(arrival.at);
                        return Some((arrival, datagram.len()));
                    }
                    // an ICMP error on a reply
                    Received::Notice(_) => {}
                    Received::Nothing => socket.readable = false,
                }
            }
        }
        None
    }

    /// Enables GRO, because many datagrams are queued.
    fn enable_gro(&mut self) {
        if self.gro_since.is_none() {
            self.sockets.iter_mut().for_each(|socket| socket.datagrams.set_gro(true));
        }
        self.gro_since = Some(self.clock.now());
        self.latency_mode = false;
    }

    /// Disables GRO after a while without load, so that each datagram has its own timestamp.
    fn disable_gro_when_idle(&mut self) {
        if self.gro_since.is_some_and(|last| self.clock.now().since(last) > GRO_IDLE) {
            self.sockets.iter_mut().for_each(|socket| socket.datagrams.set_gro(false));
            self.gro_since = None;
        }
    }

    /// The only socket that received recently, if there is time for a blocking read on it.
    fn only_active(&self, now: Time, limit: Duration) -> Option<usize> {
        let within = |socket: &ListenSocket, time| socket.last_received.is_some_and(|last| now.since(last) < time);
        let in_use = |socket: &ListenSocket| within(socket, GRO_IDLE);
        let index = self.sockets.iter().position(in_use)?;
        let is_only = self.gro_since.is_none() && !self.sockets[index + 1..].iter().any(in_use);
        let longest = self.sockets[index].datagrams.max_read_time();
        let is_frequent = self.sockets[index].gap < FREQUENT && within(&self.sockets[index], FREQUENT);
        (is_only && limit > longest && is_frequent).then_some(index)
    }

    /// Polls all sockets until one has an event or `limit` has passed; true if one has.
    fn poll_all(&mut self, limit: Duration) -> bool {
        let mut sockets =
            [const { PollFlags::empty() }; MAX_SOCKETS].map(|_| PollFd::new(&self.streams, PollFlags::IN));
        for (index, socket) in self.sockets.iter().enumerate() {
            sockets[2 * index + 1] = PollFd::new(&socket.datagrams, PollFlags::IN);
            sockets[2 * index + 2] = PollFd::new(&socket.listener, PollFlags::IN);
        }
        let used = 1 + 2 * self.sockets.len();
        if poll(&mut sockets[..used], Some(&to_timespec(limit))).is_err() {
            return false;
        }
        let found = sockets.map(|socket| socket.revents());
        if !found[0].is_empty() {
            self.streams.drain_eventfd();
        }
        for (index, socket) in self.sockets.iter_mut().enumerate() {
            let of_datagrams = found[2 * index + 1];
            socket.datagrams.found(of_datagrams);
            // an error other than a timestamp is returned by the next read
            socket.readable = !of_datagrams.is_empty();
            socket.accept_ready = !found[2 * index + 2].is_empty();
        }
        found[..used].iter().any(|found| !found.is_empty())
    }

    /// Accepts connections; those beyond the limits are closed at once.
    fn accept(&mut self) {
        for socket in self.sockets.iter_mut().filter(|socket| socket.accept_ready) {
            while let Ok((stream, from)) = socket.listener.accept() {
                self.streams.begin(stream, from);
            }
            socket.accept_ready = false;
        }
    }
}

impl PacketIo for Listeners {
    type End = Endpoint;
    type Notice = Input;

    fn send(&mut self, to: Endpoint, datagram: &[u8]) -> Result<(), Input> {
        match to {
            Endpoint::To { path, what } => self.send_datagram(path, what, datagram),
            Endpoint::Stream { connection, packet, grant } => self.streams.answer(connection, packet, grant),
            Endpoint::AllStreamsOf { token } => self.streams.end_all_of(token),
            Endpoint::From { .. } => {}
        }
        Ok(())
    }

    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a, Endpoint, Input> {
        self.sockets.iter_mut().for_each(|socket| socket.load.flush(&mut socket.datagrams));
        // count what a stream carried before its client, which knows that by now, can close the session
        if let Some(input) = self.streams.poll_event() {
            return Received::Notice(input);
        }
        if self.in_a_row < MAX_IN_A_ROW
            && let Some((arrival, length)) = self.datagram(buffer)
        {
            self.in_a_row += 1;
            let from = Endpoint::of(arrival, &self.sockets[self.turn].datagrams);
            return Received::Datagram(from, &buffer[..length]);
        }
        if std::mem::take(&mut self.in_a_row) == MAX_IN_A_ROW {
            self.enable_gro();
            self.sockets.iter_mut().for_each(|socket| socket.accept_ready = true);
        }
        if !self.latency_mode || self.unread_timestamps >= MAX_UNREAD_TIMESTAMPS {
            if let Some(input) = self.sockets.iter_mut().find_map(ListenSocket::departure) {
                return Received::Notice(input);
            }
            self.unread_timestamps = 0;
        }
        if !self.latency_mode {
            self.accept();
        }
        self.unstamped.pop_front().map_or(Received::Nothing, Received::Notice)
    }

    fn wait(&mut self, limit: Duration) {
        self.poll_all(limit);
    }

    fn wait_and_receive<'a>(&mut self, limit: Duration, buffer: &'a mut [u8]) -> Received<'a, Endpoint, Input> {
        if self.sockets.iter().any(|socket| socket.datagrams.has_buffered()) {
            return self.receive(buffer);
        }
        self.disable_gro_when_idle();
        let now = self.clock.now();
        let only = self.only_active(now, limit);
        self.latency_mode &= only.is_some() && now.since(self.last_poll) <= POLL_INTERVAL;
        if !self.latency_mode {
            self.last_poll = now;
            let limit = if only.is_some() { Duration::ZERO } else { limit };
            if self.poll_all(limit) {
                return self.receive(buffer);
            }
        }
        let Some(index) = only else { return Received::Nothing };
        let socket = &mut self.sockets[index];
        let received = socket.datagrams.receive(ReadMode::Blocking, buffer);
        self.latency_mode = matches!(received, Received::Datagram(..));
        // ICMP errors on replies are ignored
        let Received::Datagram(arrival, datagram) = received else { return Received::Nothing };
        let length = datagram.len();
        socket.received(arrival.at);
        socket.readable = true;
        if self.streams.pending() {
            socket.datagrams.unread(arrival, &buffer[..length]);
            return self.receive(buffer);
        }
        Received::Datagram(Endpoint::of(arrival, &socket.datagrams), &buffer[..length])
    }

    /// Never: tcpdump captures these packets, TCP included.
    fn record(&self, _direction: Direction, _end: Endpoint, _datagram: &[u8], _record: &mut Vec<u8>) -> bool {
        false
    }

    fn may_lose(&self, to: Endpoint) -> bool {
        matches!(to, Endpoint::To { .. })
    }
}
