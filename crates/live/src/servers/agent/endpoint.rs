//! Where the agent's datagrams come from and go to, and what it does with connections.

use std::net::IpAddr;

use sojourn_core::Time;
use sojourn_protocols::probe::server::{Grant, Path};
use sojourn_protocols::probe::wire::{Packet, Token};

use super::replies::Reply;
use crate::io::datagrams::Arrival;

/// Source or destination of a datagram, or an action on connections.
#[derive(Clone, Copy, Debug)]
pub enum Endpoint {
    /// A datagram was received.
    From {
        /// Its sender, and the address that it was sent to.
        path: Path,
        /// When it was read.
        at: Time,
        /// When the kernel received it, if it timestamps.
        kernel_at: Option<Time>,
        /// Datagrams that its socket had dropped by then, modulo 2^32.
        socket_drops: u32,
    },
    /// A datagram to send.
    To {
        /// Its destination and source.
        path: Path,
        /// What it holds.
        what: Outgoing,
    },
    /// The response to the first frame of a connection.
    Stream {
        /// Number of the connection.
        connection: u64,
        /// The response, if there is one.
        packet: Option<Packet>,
        /// What it is granted; the connection is closed without.
        grant: Option<Grant>,
    },
    /// Close all connections of a session.
    AllStreamsOf {
        /// Token of the session.
        token: Token,
    },
}

impl Endpoint {
    /// A datagram that arrived for an address of this host.
    pub fn of(Arrival { from: peer, at, kernel_at, socket_drops }: Arrival, local: Option<IpAddr>) -> Endpoint {
        Endpoint::From { path: Path { peer, local }, at, kernel_at, socket_drops }
    }
}

/// What an outgoing datagram holds.
#[derive(Clone, Copy, Debug)]
pub enum Outgoing {
    /// A reply, whose departure is reported to the machine.
    Reply(Reply),
    /// Load, which may be sent with GSO.
    Load {
        /// Its differentiated services code point.
        dscp: u8,
    },
    /// A packet that opens, closes or refuses a session.
    Control,
}
