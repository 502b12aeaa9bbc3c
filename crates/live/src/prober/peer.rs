//! The other end of a measurement, as the core sees it.

use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::Record;

use crate::io::alarm::Alarm;
use crate::io::datagrams::{Datagrams, ReadMode};
use crate::io::network_error::NetworkError;
use crate::io::wall_clock::Step;

/// Whoever answers requests, reached over one socket. The core is generic over it: nothing is called dynamically while
/// packets are under way.
///
/// None of these calls blocks but [`Peer::receive`], where that is wanted.
pub trait Peer {
    /// What it is reached over.
    type Socket: Socket;

    /// The socket.
    fn socket(&mut self) -> &mut Self::Socket;

    /// Makes a request ready ahead of its time, so that nothing but the sending itself is left to do then.
    fn prepare(&mut self, _request: Request) {}

    /// Sends a request. What comes back is the instant just before it was handed to the operating system.
    fn send(&mut self, request: Request) -> Result<Time, NetworkError>;

    /// What came, if anything did or, if it is waited for, comes in time; ask again until it is [`PeerEvent::Nothing`].
    fn receive(&mut self, reading: ReadMode) -> PeerEvent;

    /// When the kernel put an earlier request on its way, where it says so; ask until `None`.
    fn poll_tx_timestamp(&mut self) -> Option<TxTimestamp> {
        None
    }

    /// When the last request left to which more than the first answer is waited for; `None` where one is all there is.
    fn last_incomplete(&self) -> Option<Time> {
        None
    }

    /// The fewest octets that a request of this peer can have.
    fn min_octets(&self) -> u32;

    /// Whether the other end's clock tells the time of day, so that it can be said to be ahead of this host's.
    fn has_wall_clock(&self) -> bool {
        false
    }

    /// A phase is over: request `next` is of another, and what is still to come of this one is told again then.
    fn phase_over(&mut self, _next: u64) {}

    /// What else this peer has to say of requests that are over, into the record of their metrics.
    fn record_metrics(&self, _requests: Range<u64>, _patience: Duration, _record: &mut Record) {}
}

/// Where a peer's answers are waited for.
pub trait Socket {
    /// Waits until something may be there, the alarm rings, or a signal came; whether something is there.
    fn wait(&mut self, alarm: &Alarm) -> bool;

    /// How long reading [in time](ReadMode::Blocking) takes at most; `None` where one cannot read so.
    fn max_read_time(&self) -> Option<Duration> {
        None
    }

    /// When this host's wall clock was set, as far as the kernel's stamps showed it.
    fn steps(&self) -> Vec<Step> {
        Vec::new()
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
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// From 0, without gaps.
    pub sequence: u64,
    /// When the schedule has it leave.
    pub intended: Time,
    /// Octets of user data that the datagram, or the message on a stream, holds; the peer's own header counts.
    pub octets: u32,
}

/// What [`Peer::receive`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PeerEvent {
    /// An answer.
    Response(Response),
    /// What came is no answer, and was passed over.
    Unrelated,
    /// The network, or the other end, says no.
    Error(NetworkError),
    /// Nothing more for now.
    Nothing,
}

/// An answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// The request's.
    pub sequence: u64,
    /// When the application had it.
    pub received: Time,
    /// When the kernel had it, where it stamps.
    pub kernel_received: Option<Time>,
    /// What the other end says of its own times.
    pub far: Option<PeerTimes>,
    /// Whether a queue on the way there or back marked it to tell of congestion, where that is known.
    pub marked: Option<bool>,
}

/// Times at the other end, by its own clock: nanoseconds since whenever it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerTimes {
    /// When the request had come: to its kernel where that stamps, else to its application.
    pub received: u64,
    /// When its application sent the answer, where the answer says so.
    pub sent: Option<u64>,
    /// How long its kernel and application together had kept an earlier request, where the answer tells of one.
    pub earlier: Option<ResidenceTime>,
    /// Whether `received` is its kernel's.
    pub kernel: bool,
}

/// How long the other end kept a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidenceTime {
    /// The request's.
    pub sequence: u64,
    /// Nanoseconds from its `received` to its answer's leaving.
    pub ns: u64,
}

/// A request that has left this end's kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxTimestamp {
    /// The request's.
    pub sequence: u64,
    /// When.
    pub at: Time,
}
