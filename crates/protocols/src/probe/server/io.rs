//! What an agent's machine takes and gives.

use std::net::SocketAddr;

use sojourn_core::Time;

use super::event::Event;
use crate::probe::wire::{Congestion, Direction, Limits, Packet, Token};

/// What an agent allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Each session's bounds.
    pub limits: Limits,
    /// Sessions at a time.
    pub sessions: u32,
    /// Sessions at a time of one IPv4 address, or one IPv6 network of 64 bits.
    pub sessions_per_address: u32,
}

/// An authenticated packet and how it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its sender, as far as an address tells.
    pub from: SocketAddr,
    /// What it says.
    pub packet: Packet,
    /// How long it is.
    pub octets: u16,
    /// When it came, on the clock of the machine's instants.
    pub receive_ns: u64,
    /// Whether the kernel took that time.
    pub by_kernel: bool,
}

/// What the world tells an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A packet.
    Packet(Arrival),
    /// An authenticated packet of another version.
    ForeignVersion {
        /// Its sender.
        from: SocketAddr,
        /// How long it is.
        octets: u16,
    },
    /// A reply left so long after its probe came.
    ReplyLeft {
        /// The session.
        token: Token,
        /// The reply.
        sequence: u64,
        /// From receipt to leaving.
        held_ns: u64,
        /// Whether the kernel took the time of leaving.
        by_kernel: bool,
    },
    /// Someone at the other end of a TCP connection sent an authenticated first frame.
    StreamAsked {
        /// The driver's name for the connection.
        connection: u64,
        /// The other end.
        from: SocketAddr,
        /// The frame.
        packet: Packet,
    },
    /// A granted connection carried so much more.
    StreamCarried {
        /// Whose it is.
        token: Token,
        /// Octets received.
        octets_in: u64,
        /// Octets sent.
        octets_out: u64,
    },
    /// A granted connection is over.
    StreamEnded {
        /// Whose it was.
        token: Token,
    },
    /// The agent ends.
    ShutDown,
}

/// What an agent asks of the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Send a packet.
    Transmit {
        /// To whom.
        to: SocketAddr,
        /// What.
        packet: Packet,
        /// How long, where the packet leaves it open.
        octets: u16,
    },
    /// Answer the first frame of a connection with a packet; without a grant that is the connection's end.
    StreamAnswer {
        /// Which.
        connection: u64,
        /// The answer.
        packet: Packet,
        /// What the connection may carry.
        grant: Option<Grant>,
    },
    /// Every connection of a session is to end.
    EndStreams {
        /// Whose.
        token: Token,
    },
    /// Something worth telling.
    Event(Event),
}

/// What a TCP connection may carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The session it belongs to.
    pub token: Token,
    /// Which way.
    pub direction: Direction,
    /// The congestion control asked for.
    pub congestion: Congestion,
    /// Frames per second, of an echo.
    pub packet_rate: u32,
    /// Bits per second either way.
    pub bit_rate: u64,
    /// Octets after which the agent stops sending.
    pub octets: u64,
    /// When it is over.
    pub until: Time,
    /// Octets of the longest frame.
    pub longest: u16,
}
