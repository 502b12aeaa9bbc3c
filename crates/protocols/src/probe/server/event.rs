//! Log events of an agent, one line each.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use sojourn_core::Duration;

use crate::probe::wire::{Direction, Limits, Reason, Report, Token};

/// A log event. Its line consists of `key=value` pairs and starts with the kind of event; it contains neither secrets nor
/// values chosen by the peer.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A session was opened.
    Opened {
        /// Address of the client.
        peer: SocketAddr,
        /// Limits granted to it.
        granted: Limits,
    },
    /// A request was refused.
    Refused {
        /// Address of the client.
        peer: SocketAddr,
        /// Reason of the refusal.
        reason: Reason,
    },
    /// A packet carried a cookie that the agent did not issue to that address, or that has expired.
    BadCookie {
        /// Source address of the packet.
        peer: SocketAddr,
    },
    /// A packet belongs to no session of its sender.
    Stray {
        /// Source address of the packet.
        peer: SocketAddr,
    },
    /// A sequence number was repeated, or is older than the replay window.
    Replayed {
        /// Address of the session's client.
        peer: SocketAddr,
    },
    /// A packet was dropped because it exceeds the session's limits.
    OverLimit {
        /// Address of the session's client.
        peer: SocketAddr,
    },
    /// Load to a client starts.
    Sending {
        /// Address of the client.
        peer: SocketAddr,
        /// Rate of UDP payload, bit/s.
        bit_rate: u64,
        /// Octets of each packet.
        octets: u16,
    },
    /// Load to a client ended because the client did not confirm that it receives it.
    LeaseOver {
        /// Address of the client.
        peer: SocketAddr,
    },
    /// A TCP connection was granted for load or probes.
    Stream {
        /// Address of the client.
        peer: SocketAddr,
        /// Direction of its data.
        direction: Direction,
    },
    /// A TCP connection was closed because there are too many without a grant: in all, or from the client's IPv4
    /// address or IPv6 /64.
    StreamRefused {
        /// Address of the client.
        peer: SocketAddr,
    },
    /// A session ended, with its totals.
    Closed(Summary),
}

/// Result of a session.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Token of the session.
    pub token: Token,
    /// Address of the client.
    pub peer: SocketAddr,
    /// Reason of its end.
    pub reason: Reason,
    /// Time from its opening to its last packet.
    pub lasted: Duration,
    /// Counters of the session.
    pub report: Report,
    /// Octets received over TCP.
    pub stream_octets_in: u64,
    /// Octets sent over TCP.
    pub stream_octets_out: u64,
}

impl Event {
    /// Kind of event, with which its line starts.
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
            Event::StreamRefused { .. } => "stream-refused",
            Event::Closed(_) => "closed",
        }
    }

    /// Address of the client that it concerns.
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
            | Event::StreamRefused { peer }
            | Event::Closed(Summary { peer, .. }) => *peer,
        }
    }
}

/// An address as people write it: of a client over IPv4 at a socket of both versions, the IPv4 address.
pub fn canonical(address: SocketAddr) -> SocketAddr {
    match address.ip().to_canonical() {
        version_4 @ IpAddr::V4(_) => SocketAddr::new(version_4, address.port()),
        // as it is, with its scope
        IpAddr::V6(_) => address,
    }
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "event={} peer={}", self.kind(), canonical(self.peer()))?;
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
            | Event::LeaseOver { .. }
            | Event::StreamRefused { .. } => Ok(()),
        }
    }
}
