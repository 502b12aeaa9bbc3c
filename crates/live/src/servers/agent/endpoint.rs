//! The I/O of the agent: sources and destinations of its datagrams, and the handling of connections.

use sojourn_core::Time;
use sojourn_protocols::probe::server::{Grant, Path};
use sojourn_protocols::probe::wire::{Packet, Token};

use super::replies::Reply;
use crate::io::datagrams::{Arrival, Datagrams};

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
        /// Its traffic class, if the kernel reports it.
        class: Option<u8>,
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
    /// The datagram that this socket received last.
    pub fn of(Arrival { from: peer, at, kernel_at, socket_drops }: Arrival, datagrams: &Datagrams) -> Endpoint {
        let path = Path { peer, local: datagrams.last_local_address() };
        Endpoint::From { path, at, kernel_at, class: datagrams.last_traffic_class(), socket_drops }
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
