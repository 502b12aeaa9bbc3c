//! A peer over one TCP connection, generic over the probe format.
//!
//! A lost segment delays its response, and all later ones, until the kernel has retransmitted it (head-of-line
//! blocking). Applications experience the same, so the delay is part of the measurement.

mod responses;
mod tcp_info;

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration as Wait;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use sojourn_core::{Duration, Time};
use sojourn_metrics::record::Record;
use sojourn_scenario::Problem;

use self::responses::ResponseStream;
pub use self::responses::StreamFormat;
use self::tcp_info::Readings;
use super::peer::{Peer, PeerEvent, PeerWallClock, Request, Response, Socket};
use super::plan::TimedTest;
use super::reconnection::{Open, Reconnection};
use crate::io::alarm::Alarm;
use crate::io::clock::Clock;
use crate::io::datagrams::{Marking, ReadMode};
use crate::io::link::unless_would_block;
use crate::io::network_error::NetworkError;
use crate::target::Target;

/// Opens a connection, with the format of its probes.
pub type Connect<F> = Open<(TcpStream, F)>;

/// Connect timeout: the SYN may be lost three times (RFC 6298, section 2).
const TIMEOUT: Wait = Wait::from_secs(10);
/// How long to wait for the peer to close a connection.
const CLOSE_TIMEOUT: Wait = Wait::from_secs(1);
/// Bytes buffered while the socket's send buffer is full; a request beyond is an error.
const MAX_UNSENT: usize = 4 << 20;

/// A peer on a TCP connection.
#[derive(Debug)]
pub struct TcpPeer<F> {
    format: F,
    stream: TcpStream,
    clock: Clock,
    outgoing: Vec<u8>,
    /// Sequence number of the request that `outgoing` holds.
    prepared: Option<u64>,
    /// Bytes not accepted by the socket yet.
    unsent: VecDeque<u8>,
    responses: ResponseStream,
    /// Complete responses not returned yet.
    whole: VecDeque<Response>,
    incoming: Vec<u8>,
    /// The error that ended the connection.
    ended: Option<NetworkError>,
    readings: Readings,
    reconnection: Reconnection<(TcpStream, F)>,
    /// Whether the connection is another than at the start.
    has_restarted: bool,
}

/// Checks a plan for what TCP does not support.
pub fn check(plan: &TimedTest, target: &Target) -> Result<(), Problem> {
    if plan.voice.is_some() {
        let message = "--voice needs datagrams: on a TCP connection a loss delays all later packets";
        return Err(target.whole_problem(message).help("use UDP: sojourn://HOST, stamp://HOST or udp-echo://HOST"));
    }
    if plan.marking.is_ecn_capable() {
        let message = "--ecn marks datagrams; for TCP the kernels of both hosts negotiate ECN (RFC 3168, section 6.1)";
        return Err(target.whole_problem(message).help("see sysctl net.ipv4.tcp_ecn"));
    }
    Ok(())
}

/// Connects with the marking's source address and traffic class; `prepare` sets further socket options before.
pub fn connect(
    peer: SocketAddr,
    marking: &Marking,
    prepare: impl FnOnce(&OwnedFd) -> io::Result<()>,
) -> io::Result<TcpStream> {
    let family = if peer.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    marking.apply(&socket, peer.ip())?;
    if marking.bind.is_some() {
        rustix::net::bind(&socket, &marking.local(peer))?;
    }
    prepare(&socket)?;
    set_socket_timeout(&socket, Timeout::Send, Some(TIMEOUT))?;
    match rustix::net::connect(&socket, &peer) {
        // the error of a connect timeout: socket(7), SO_SNDTIMEO
        Err(Errno::INPROGRESS) => return Err(io::ErrorKind::TimedOut.into()),
        outcome => outcome?,
    }
    set_socket_timeout(&socket, Timeout::Send, None)?;
    Ok(TcpStream::from(socket))
}

/// No Nagle delay, and no blocking calls.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)
}

impl<F: StreamFormat + Send + 'static> TcpPeer<F> {
    /// Opens a connection; after its end in an outage, another.
    pub fn open(clock: Clock, connect: Connect<F>) -> io::Result<TcpPeer<F>> {
        let (stream, format) = connect()?;
        prepare(&stream)?;
        let mut readings = Readings::default();
        readings.read(0, &stream);
        Ok(TcpPeer {
            format,
            stream,
            clock,
            outgoing: Vec::new(),
            prepared: None,
            unsent: VecDeque::new(),
            responses: ResponseStream::default(),
            whole: VecDeque::new(),
            incoming: vec![0; 1 << 16],
            ended: None,
            readings,
            reconnection: Reconnection::new(connect),
            has_restarted: false,
        })
    }

    /// Replaces a connection that has ended.
    fn replace(&mut self, stream: TcpStream, format: F) {
        if prepare(&stream).is_err() {
            return;
        }
        (self.stream, self.format) = (stream, format);
        self.unsent.clear();
        self.responses = ResponseStream::default();
        (self.prepared, self.ended) = (None, None);
        self.readings.begin_connection();
        self.has_restarted = true;
    }

    /// Closes the connection, and waits until the peer has closed it: by then the peer has counted all of it.
    pub fn end(mut self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)?;
        self.stream.set_nonblocking(false)?;
        self.stream.set_read_timeout(Some(CLOSE_TIMEOUT))?;
        while self.stream.read(&mut self.incoming)? > 0 {}
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            let Some(length) = unless_would_block(self.stream.write(self.unsent.as_slices().0))? else { break };
            self.unsent.drain(..length);
        }
        Ok(())
    }

    /// Reads what is queued.
    fn read(&mut self) -> Result<(), NetworkError> {
        let read =
            unless_would_block(self.stream.read(&mut self.incoming)).map_err(|fault| NetworkError::from(&fault))?;
        let Some(length) = read else { return Ok(()) };
        if length == 0 {
            return Err(NetworkError::System(Errno::CONNRESET));
        }
        let received = self.clock.now();
        let TcpPeer { format, responses, whole, incoming, .. } = self;
        let answered = |sequence, far| {
            whole.push_back(Response { sequence, received, kernel_received: None, far, class: None });
        };
        responses.came(format, &incoming[..length], answered).map_err(|_| NetworkError::System(Errno::PROTO))
    }
}

impl<F: StreamFormat + Send + 'static> Peer for TcpPeer<F> {
    type Socket = Self;

    fn socket(&mut self) -> &mut Self {
        self
    }

    fn prepare(&mut self, request: Request) {
        self.outgoing.clear();
        self.format.write(request, request.intended, &mut self.outgoing);
        self.prepared = Some(request.sequence);
    }

    fn send(&mut self, request: Request) -> Result<Time, NetworkError> {
        if let Some(error) = self.ended {
            return Err(error);
        }
        if self.prepared != Some(request.sequence) {
            self.prepare(request);
        }
        if self.unsent.len() + self.outgoing.len() > MAX_UNSENT {
            return Err(NetworkError::System(Errno::NOBUFS));
        }
        self.unsent.extend(&self.outgoing);
        self.responses.asked(request.sequence, self.outgoing.len());
        let before = self.clock.now();
        self.flush().map_err(|fault| NetworkError::from(&fault))?;
        Ok(before)
    }

    fn receive(&mut self, _reading: ReadMode) -> PeerEvent {
        if self.whole.is_empty() && self.ended.is_none() {
            let outcome = self.flush().map_err(|fault| NetworkError::from(&fault)).and_then(|()| self.read());
            self.ended = outcome.err();
            if let Some(error) = self.ended {
                return PeerEvent::Error(error);
            }
        }
        self.whole.pop_front().map_or(PeerEvent::Nothing, PeerEvent::Response)
    }

    fn min_octets(&self) -> u32 {
        self.format.min_octets()
    }

    fn phase_over(&mut self, next: u64) {
        self.readings.read(next, &self.stream);
    }

    fn wall_clock(&mut self) -> Option<PeerWallClock> {
        StreamFormat::wall_clock(&mut self.format)
    }

    fn recover(&mut self, now: Time) {
        if self.ended.is_some()
            && let Some((stream, format)) = self.reconnection.poll(now)
        {
            self.replace(stream, format);
        }
    }

    fn has_restarted(&self) -> bool {
        self.has_restarted
    }

    fn record_metrics(&self, requests: Range<u64>, _timeout: Duration, record: &mut Record) {
        self.readings.record_metrics(requests, record);
    }
}

impl<F: StreamFormat + Send + 'static> Socket for TcpPeer<F> {
    fn wait(&mut self, alarm: &Alarm) -> bool {
        if self.ended.is_some() {
            // the end of a stream stays readable
            alarm.sleep();
            return false;
        }
        let wanted = if self.unsent.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        !alarm.wait(self.stream.as_fd(), wanted).is_empty()
    }
}
