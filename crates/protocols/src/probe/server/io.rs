//! Inputs and outputs of the server.

use std::net::{IpAddr, SocketAddr};

use sojourn_core::Time;

use super::event::Event;
use crate::authentication::Tag;
use crate::probe::wire::{Congestion, Direction, Limits, Packet, Token};

/// Limits that an agent enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Limits of each session.
    pub limits: Limits,
    /// Maximum number of open sessions.
    pub sessions: u32,
    /// Maximum number of open sessions per IPv4 address or IPv6 /64.
    pub sessions_per_address: u32,
    /// Whether it measures others for its clients.
    pub measures: bool,
}

/// The addresses of a datagram at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Address and port of the client.
    pub peer: SocketAddr,
    /// Address of this host that the client asked, from which it is answered; `None` where the socket has one only.
    pub local: Option<IpAddr>,
}

/// An authenticated packet with its receive metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Source and destination of the datagram.
    pub path: Path,
    /// The parsed and authenticated packet.
    pub packet: Packet,
    /// Length of the packet, octets.
    pub octets: u16,
    /// Receive timestamp, ns on the clock of the server's instants.
    pub receive_ns: u64,
    /// Whether it is a kernel timestamp.
    pub by_kernel: bool,
    /// Its traffic class (DSCP and ECN), if it is known.
    pub class: Option<u8>,
    /// Datagrams that the socket had dropped by then because its buffer was full, modulo 2^32 (`SO_RXQ_OVFL`).
    pub socket_drops: u32,
}

/// An input of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A packet was received.
    Packet(Arrival),
    /// An authenticated packet of another version was received.
    ForeignVersion {
        /// Source and destination of the datagram.
        path: Path,
        /// Length of the packet, octets.
        octets: u16,
        /// Its tag, by which a copy is recognized.
        tag: Tag,
    },
    /// A reply was transmitted.
    ReplySent {
        /// Token of the session.
        token: Token,
        /// Sequence number of the reply.
        sequence: u64,
        /// Residence time: from the probe's receive timestamp to the reply's transmit timestamp, ns.
        residence_ns: u64,
        /// Whether the transmit timestamp is the kernel's.
        by_kernel: bool,
    },
    /// The first frame of a TCP connection was received and is authentic.
    StreamRequested {
        /// Identifier of the connection, chosen by the driver.
        connection: u64,
        /// Address of the peer.
        from: SocketAddr,
        /// The parsed and authenticated frame.
        packet: Packet,
    },
    /// The first frame of a TCP connection is authentic and of another version.
    StreamOfForeignVersion {
        /// Identifier of the connection.
        connection: u64,
        /// Address of the peer.
        from: SocketAddr,
        /// Tag of the frame, by which a copy is recognized.
        tag: Tag,
    },
    /// A granted connection has transferred more octets.
    StreamProgress {
        /// Token of its session.
        token: Token,
        /// Octets received since the last input.
        octets_in: u64,
        /// Octets sent since the last input.
        octets_out: u64,
    },
    /// A granted connection was closed.
    StreamEnded {
        /// Token of its session.
        token: Token,
    },
    /// A connection was closed because there are too many without a grant.
    StreamRefused {
        /// Address of the peer.
        from: SocketAddr,
    },
    /// The agent is shutting down.
    ShutDown,
}

/// An output of the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Transmit a packet as a UDP datagram.
    Transmit {
        /// Destination and source.
        path: Path,
        /// The packet to emit.
        packet: Packet,
        /// Length in octets, of a packet of variable length.
        octets: u16,
        /// Differentiated services code point of load.
        dscp: u8,
    },
    /// Respond to the first frame of a connection; without a grant the connection is closed.
    StreamResponse {
        /// Identifier of the connection.
        connection: u64,
        /// The response to write to the stream; none to a copy of a frame that was answered before.
        packet: Option<Packet>,
        /// Permission to transfer data.
        grant: Option<Grant>,
    },
    /// Close every connection of a session.
    EndStreams {
        /// Token of the session.
        token: Token,
    },
    /// Log an event of the agent.
    Event(Event),
}

/// Permission of a TCP connection to transfer data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Token of its session.
    pub token: Token,
    /// Number of the request within its session.
    pub number: u64,
    /// Direction of the data.
    pub direction: Direction,
    /// Congestion control algorithm that the client requests.
    pub congestion: Congestion,
    /// Differentiated services code point that the client requests.
    pub dscp: u8,
    /// Frames/s of an echo.
    pub packet_rate: u32,
    /// Rate limit in each direction, bit/s.
    pub bit_rate: u64,
    /// Octets after which the agent stops sending.
    pub octets: u64,
    /// End of the permission.
    pub until: Time,
    /// Maximum frame length, octets.
    pub longest: u16,
}
