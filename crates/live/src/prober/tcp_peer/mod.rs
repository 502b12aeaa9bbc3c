//! A peer that is a form of message over one TCP connection: it writes requests and reads answers, the rest is here.
//!
//! What a lost segment held back comes when the kernel has sent it again: on a connection a loss is a late answer, and
//! all behind it are late, too. So an application sees it, which is what is measured.

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
use self::tcp_info::Readings;
use super::peer::{Peer, PeerEvent, Request, Response, Socket};
use super::plan::Plan;
use super::udp_peer::ProbeFormat;
use crate::io::alarm::Alarm;
use crate::io::clock::Clock;
use crate::io::datagrams::{Marking, ReadMode};
use crate::io::link::unless_would_block;
use crate::io::network_error::NetworkError;
use crate::target::Target;

/// How long a connection is waited for: its first segment may be lost three times (RFC 6298, section 2).
const TIMEOUT: Wait = Wait::from_secs(10);
/// How long the other end's end of a connection is waited for.
const FAREWELL: Wait = Wait::from_secs(1);
/// Bytes that wait for a stream that takes no more; beyond them a request is refused.
const MAX_UNSENT: usize = 4 << 20;

/// A form whose answers come in the order of the requests, each as long as its request.
pub trait StreamFormat: ProbeFormat {
    /// How many octets of an answer of so many must be there before it can be read.
    fn head(&self, octets: usize) -> usize {
        octets
    }
}

/// One who speaks a form over a connection.
#[derive(Debug)]
pub struct TcpPeer<F> {
    format: F,
    stream: TcpStream,
    clock: Clock,
    outgoing: Vec<u8>,
    /// The number of the request that `outgoing` holds.
    prepared: Option<u64>,
    /// What the stream would not take yet.
    unsent: VecDeque<u8>,
    responses: ResponseStream,
    /// Answers that nobody has taken yet.
    whole: VecDeque<Response>,
    incoming: Vec<u8>,
    /// Why nothing comes any more.
    ended: Option<NetworkError>,
    readings: Readings,
}

/// Refuses what of a plan no connection can do.
pub fn check(plan: &Plan, target: &Target) -> Result<(), Problem> {
    if plan.voice.is_some() {
        let message = "--voice sends datagrams: on a connection all of a stream waits for what was lost of it";
        return Err(target.whole_problem(message).help("over UDP: sojourn://HOST, stamp://HOST or udp-echo://HOST"));
    }
    if plan.marking.is_ecn_capable() {
        let message = "--ecn marks datagrams: of a connection both hosts' kernels agree on it (RFC 3168, section 6.1)";
        return Err(target.whole_problem(message).help("sysctl net.ipv4.tcp_ecn says whether they do"));
    }
    Ok(())
}

/// Connects from where the marking says, in its class; first the socket is prepared.
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
        // how a connection ends that was waited for long enough: socket(7), SO_SNDTIMEO
        Err(Errno::INPROGRESS) => return Err(io::ErrorKind::TimedOut.into()),
        outcome => outcome?,
    }
    set_socket_timeout(&socket, Timeout::Send, None)?;
    Ok(TcpStream::from(socket))
}

impl<F: StreamFormat> TcpPeer<F> {
    /// Goes on over a connection on which nothing is under way.
    pub fn over(format: F, clock: Clock, stream: TcpStream) -> io::Result<TcpPeer<F>> {
        // a message waits for no other, and the loop waits for nothing
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
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
        })
    }

    /// Ends the connection, and waits until the other end has done so, too: what went over it counts there then.
    pub fn end(mut self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)?;
        self.stream.set_nonblocking(false)?;
        self.stream.set_read_timeout(Some(FAREWELL))?;
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

    /// Reads what is there.
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
            whole.push_back(Response { sequence, received, kernel_received: None, far, marked: None });
        };
        responses.came(format, &incoming[..length], answered).map_err(|_| NetworkError::System(Errno::PROTO))
    }
}

impl<F: StreamFormat> Peer for TcpPeer<F> {
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

    fn record_metrics(&self, requests: Range<u64>, _patience: Duration, record: &mut Record) {
        self.readings.record_metrics(requests, record);
    }
}

impl<F: StreamFormat> Socket for TcpPeer<F> {
    fn wait(&mut self, alarm: &Alarm) -> bool {
        if self.ended.is_some() {
            // the end of a stream could be read for ever
            alarm.sleep();
            return false;
        }
        let wanted = if self.unsent.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
        !alarm.wait(self.stream.as_fd(), wanted).is_empty()
    }
}
