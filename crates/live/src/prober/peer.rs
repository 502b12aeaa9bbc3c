//! The remote end of a measurement, as the prober sees it.

use std::net::SocketAddr;
use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::Record;

use crate::io::alarm::Alarm;
use crate::io::datagrams::{Datagrams, ReadMode};
use crate::io::network_error::NetworkError;
use crate::io::wall_clock::Step;

/// What responds to requests, over one socket. The prober is generic over it: there is no dynamic dispatch on the request
/// path.
///
/// Only [`Peer::receive`] may block, in blocking mode.
pub trait Peer {
    /// The socket type.
    type Socket: Socket;

    /// The socket that the prober waits on.
    fn socket(&mut self) -> &mut Self::Socket;

    /// Encodes a request ahead of its departure, so that only the send call remains.
    fn prepare(&mut self, _request: Request) {}

    /// Sends a request; returns the time just before the send call.
    fn send(&mut self, request: Request) -> Result<Time, NetworkError>;

    /// Receives a response that is queued or, in blocking mode, arrives before the timeout; call until
    /// [`PeerEvent::Nothing`].
    fn receive(&mut self, reading: ReadMode) -> PeerEvent;

    /// The transmit timestamp of an earlier request, where the kernel takes one; call until `None`.
    fn poll_tx_timestamp(&mut self) -> Option<TxTimestamp> {
        None
    }

    /// Send time of the last request that still lacks responses beyond the first (multicast); `None` where there is only
    /// one.
    fn last_incomplete(&self) -> Option<Time> {
        None
    }

    /// Smallest request of this peer, in octets.
    fn min_octets(&self) -> u32;

    /// Whether the peer's timestamps are wall-clock time, so that its clock offset to this host is defined.
    fn has_wall_clock(&self) -> bool {
        false
    }

    /// The peer's wall clock against its timestamps, and its error; `None` where it states none, or has not yet. Asked before
    /// the first request of a run and after the last.
    fn wall_clock(&mut self) -> Option<PeerWallClock> {
        None
    }

    /// A phase has ended: request `next` belongs to another. Called again once the last responses are in.
    fn phase_over(&mut self, _next: u64) {}

    /// No response has arrived for a while: a peer with sessions asks whether its own lives, and opens another if not.
    /// Called every 50 ms until a response arrives.
    fn recover(&mut self, _now: Time) {}

    /// Whether the peer may have restarted during the measurement: its clock before is not its clock after.
    fn has_restarted(&self) -> bool {
        false
    }

    /// Other addresses or ports of this host that the peer has seen during the measurement.
    fn rebindings(&self) -> &[Rebinding] {
        &[]
    }

    /// Whether it responds to requests in the order of their arrival, so that only the path changes it.
    fn responds_in_order(&self) -> bool {
        true
    }

    /// Why the peer ended the measurement for good, if it did.
    fn ended(&self) -> Option<String> {
        None
    }

    /// What the peer itself counted of these requests, which are all of one phase; asked once no response is awaited any
    /// more. `None` if it does not count them, or no longer answers.
    fn counts(&mut self, _requests: Range<u64>) -> Option<PeerCounts> {
        None
    }

    /// The same without waiting, while other requests are in flight: `None` until the answer is known. Called again after a
    /// while; of one phase after the other.
    fn poll_counts(&mut self, _requests: Range<u64>, _now: Time) -> Option<Option<PeerCounts>> {
        Some(None)
    }

    /// Nothing will be asked of requests before a sequence number any more.
    fn forget(&mut self, _before: u64) {}

    /// Asks for what the peer has counted of the phase so far, without waiting for the answer, once a second while requests
    /// are logged. It asks once, unlike [`poll_counts`](Peer::poll_counts): the answer to a repeated request would count what
    /// arrived until a time that is not known.
    fn ask_counts(&mut self, _now: Time) {}

    /// What came of that last: index of the phase, when it was asked, and what the peer had counted of the requests sent
    /// before.
    fn last_counts(&mut self) -> Option<(u32, Time, PeerCounts)> {
        None
    }

    /// Records further metrics of completed requests.
    fn record_metrics(&self, _requests: Range<u64>, _timeout: Duration, _record: &mut Record) {}
}

/// What the prober waits on for responses.
pub trait Socket {
    /// Waits until something may be queued, the alarm expires, or a signal interrupts; true if something is queued.
    fn wait(&mut self, alarm: &Alarm) -> bool;

    /// Upper bound of a [blocking](ReadMode::Blocking) read; `None` where there is no such mode.
    fn max_read_time(&self) -> Option<Duration> {
        None
    }

    /// Steps of this host's wall clock, as far as the kernel's timestamps showed them.
    fn steps(&self) -> Vec<Step> {
        Vec::new()
    }

    /// Traffic class (DSCP and ECN) of the requests; `None` if unknown.
    fn sent_class(&self) -> Option<u8> {
        None
    }
}

impl Socket for Datagrams {
    fn wait(&mut self, alarm: &Alarm) -> bool {
        Datagrams::wait(self, alarm)
    }

    fn max_read_time(&self) -> Option<Duration> {
        Some(Datagrams::max_read_time(self))
    }

    fn steps(&self) -> Vec<Step> {
        Datagrams::steps(self).to_vec()
    }

    fn sent_class(&self) -> Option<u8> {
        Datagrams::sent_class(self)
    }
}

/// A request that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// From 0, without gaps.
    pub sequence: u64,
    /// Its departure by the schedule.
    pub intended: Time,
    /// Octets of user data of the datagram, or of the message on a stream, the probe's own header included.
    pub octets: u32,
}

/// The result of one [`Peer::receive`]: a response, an error, or nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PeerEvent {
    /// A response to a request.
    Response(Response),
    /// A packet of the peer's own session, which is not a response to a request.
    Control,
    /// Something that is not a response, and was ignored.
    Unrelated,
    /// The peer's answer to the request of this sequence number: it failed.
    Failure(u64, NetworkError),
    /// An error of the network or of the connection.
    Error(NetworkError),
    /// Nothing is queued, or the read timed out.
    Nothing,
}

/// A response to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// Sequence number of the request.
    pub sequence: u64,
    /// When the application received it.
    pub received: Time,
    /// When the kernel received it, if it timestamps.
    pub kernel_received: Option<Time>,
    /// The peer's timestamps, if the response carries them.
    pub far: Option<PeerTimes>,
    /// Its traffic class (DSCP and ECN) as it arrived; `None` if unknown.
    pub class: Option<u8>,
}

/// Timestamps of the peer by its own clock, in nanoseconds since its own epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerTimes {
    /// When the request arrived: at its kernel if it timestamps, else at its application.
    pub received: u64,
    /// When its application sent the response, if the response carries that.
    pub sent: Option<u64>,
    /// Residence time of an earlier request in its kernel and application, if the response carries one.
    pub earlier: Option<ResidenceTime>,
    /// Traffic class (DSCP and ECN) of the request as it arrived, if the response carries that.
    pub class: Option<u8>,
    /// Whether `received` is a kernel timestamp.
    pub kernel: bool,
}

/// Another address or port of this host, as the peer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebinding {
    /// When the peer reported the new one.
    pub found: Time,
    /// The address and port before.
    pub old: SocketAddr,
    /// Those since.
    pub new: SocketAddr,
}

/// The wall clock of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerWallClock {
    /// Its wall clock less the clock of its timestamps, in nanoseconds.
    pub ahead_ns: i128,
    /// Its largest error; `None` if it is not synchronized.
    pub error: Option<Duration>,
}

/// Time from a request's arrival at the peer to the departure of its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidenceTime {
    /// Sequence number of the request.
    pub sequence: u64,
    /// Nanoseconds from its `received` to the departure of its response.
    pub ns: u64,
}

/// What a peer itself counted of the requests of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeerCounts {
    /// Requests that arrived, each once.
    pub received: u64,
    /// Further copies of requests that had arrived.
    pub duplicates: u64,
    /// Requests that arrived after a later one (RFC 4737).
    pub reordered: u64,
    /// Duplicate and reordered responses, where the peer numbers its responses.
    pub of_return: Option<ReturnFaults>,
    /// Datagrams that the peer's socket dropped meanwhile, if it counts them.
    pub socket_drops: Option<u64>,
}

/// Faults of the return direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReturnFaults {
    /// Further copies of responses that had arrived.
    pub duplicates: u64,
    /// Responses that arrived after one that the peer sent later.
    pub reordered: u64,
}

/// The kernel's transmit timestamp of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxTimestamp {
    /// Sequence number of the request.
    pub sequence: u64,
    /// When it left the kernel.
    pub at: Time,
}
