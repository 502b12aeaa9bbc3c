//! What an agent has to tell of what happens to it: one line each.

use std::fmt;
use std::net::SocketAddr;

use sojourn_core::Duration;

use crate::probe::wire::{Direction, Limits, Reason, Report};

/// Something worth a line in a log. Its words are `key=value`, its first word the kind of event; nothing in it is a
/// secret or was chosen by the other end.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A session began.
    Opened {
        /// The client.
        peer: SocketAddr,
        /// What it may do.
        granted: Limits,
    },
    /// A client was refused something.
    Refused {
        /// The client.
        peer: SocketAddr,
        /// Why.
        reason: Reason,
    },
    /// A packet showed a cookie that the agent never gave to that address, or too long ago.
    BadCookie {
        /// Where it came from.
        peer: SocketAddr,
    },
    /// A packet belongs to no session of its sender.
    Stray {
        /// Where it came from.
        peer: SocketAddr,
    },
    /// A sequence number came again, or too late to tell.
    Replayed {
        /// The session's client.
        peer: SocketAddr,
    },
    /// A packet was dropped because the session's limits are reached.
    OverLimit {
        /// The session's client.
        peer: SocketAddr,
    },
    /// Load towards a client begins.
    Sending {
        /// The client.
        peer: SocketAddr,
        /// Bits of UDP payload per second.
        bit_rate: u64,
        /// Octets of each packet.
        octets: u16,
    },
    /// Load towards a client ended because it fell silent.
    LeaseOver {
        /// The client.
        peer: SocketAddr,
    },
    /// A TCP connection carries load or probes.
    Stream {
        /// The client.
        peer: SocketAddr,
        /// Which way.
        direction: Direction,
    },
    /// A session is over.
    Closed(Summary),
}

/// What came of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The client.
    pub peer: SocketAddr,
    /// Why it is over.
    pub reason: Reason,
    /// From its opening to its last packet.
    pub lasted: Duration,
    /// What was counted.
    pub report: Report,
    /// Octets received over TCP.
    pub stream_octets_in: u64,
    /// Octets sent over TCP.
    pub stream_octets_out: u64,
}

impl Event {
    /// The kind of event, which its line begins with.
    pub fn kind(&self) -> &'static str {
        match self {
            Event::Opened { .. } => "opened",
            Event::Refused { .. } => "refused",
            Event::BadCookie { .. } => "bad-cookie",
            Event::Stray { .. } => "stray",
            Event::Replayed { .. } => "replayed",
            Event::OverLimit { .. } => "over-limit",
            Event::Sending { .. } => "sending",
            Event::LeaseOver { .. } => "lease-over",
            Event::Stream { .. } => "stream",
            Event::Closed(_) => "closed",
        }
    }

    /// Whom it is about.
    pub fn peer(&self) -> SocketAddr {
        match self {
            Event::Opened { peer, .. }
            | Event::Refused { peer, .. }
            | Event::BadCookie { peer }
            | Event::Stray { peer }
            | Event::Replayed { peer }
            | Event::OverLimit { peer }
            | Event::Sending { peer, .. }
            | Event::LeaseOver { peer }
            | Event::Stream { peer, .. }
            | Event::Closed(Summary { peer, .. }) => *peer,
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "event={} peer={}", self.kind(), self.peer())?;
        match self {
            Event::Opened { granted: Limits { packet_rate, bit_rate, octets, seconds, .. }, .. } => {
                write!(formatter, " packet_rate={packet_rate} bit_rate={bit_rate} octets={octets} seconds={seconds}")
            }
            Event::Refused { reason, .. } => write!(formatter, " reason={reason:?}"),
            Event::Sending { bit_rate, octets, .. } => write!(formatter, " bit_rate={bit_rate} octets={octets}"),
            Event::Stream { direction, .. } => write!(formatter, " direction={direction:?}"),
            Event::Closed(summary) => write!(
                formatter,
                " reason={:?} seconds={:.3} probes={} load_octets={} sent_octets={} stream_in={} stream_out={} \
                 replayed={} over_limit={}",
                summary.reason,
                summary.lasted.seconds(),
                summary.report.probes,
                summary.report.load_octets,
                summary.report.sent_octets,
                summary.stream_octets_in,
                summary.stream_octets_out,
                summary.report.replayed,
                summary.report.over_limit,
            ),
            Event::BadCookie { .. }
            | Event::Stray { .. }
            | Event::Replayed { .. }
            | Event::OverLimit { .. }
            | Event::LeaseOver { .. } => Ok(()),
        }
    }
}
