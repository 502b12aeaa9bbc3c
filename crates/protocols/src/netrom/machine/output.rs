//! What goes into a node and what comes out.

use std::sync::Arc;

use thiserror::Error;

use crate::ax25::wire::Address;
use crate::netrom::wire::{Nodes, Packet};

/// A neighbour: a station that is reached without another node, on one of the node's ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Neighbour {
    /// Its address.
    pub address: Address,
    /// The port, in the order that the node was given them.
    pub port: u8,
}

/// A circuit of a node. A later circuit is never taken for an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CircuitId {
    pub(super) index: u8,
    pub(super) serial: u32,
}

/// What a driver tells a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<D> {
    /// A packet came in on the link to a neighbour.
    Receive {
        /// The neighbour.
        from: Neighbour,
        /// The packet.
        packet: Packet<D>,
    },
    /// A NODES broadcast was heard.
    NodesReceived {
        /// Who sent it.
        from: Neighbour,
        /// The broadcast.
        nodes: Arc<Nodes>,
    },
    /// The link to a neighbour is up, or a frame came from it.
    LinkUp {
        /// The neighbour.
        neighbour: Neighbour,
    },
    /// The link to a neighbour failed or did not come up: other routes are taken until it is heard again.
    LinkFailed {
        /// The neighbour.
        neighbour: Neighbour,
    },
    /// Broadcast now what would be broadcast at the next interval; nothing ages.
    Broadcast,
    /// A user wants a circuit; [`Node::opened`](super::Node::opened) then names it.
    Connect {
        /// The user.
        user: Address,
        /// The node at the other end.
        destination: Address,
    },
    /// The user sends a message.
    Send {
        /// The circuit.
        circuit: CircuitId,
        /// The message; more than a packet holds is cut.
        data: D,
    },
    /// The user has consumed this many packets of those delivered.
    Consumed {
        /// The circuit.
        circuit: CircuitId,
        /// How many.
        packets: u16,
    },
    /// The user ends a circuit once all that was sent is acknowledged.
    Finish {
        /// The circuit.
        circuit: CircuitId,
    },
    /// The user ends a circuit at once; what is not acknowledged is dropped.
    Disconnect {
        /// The circuit.
        circuit: CircuitId,
    },
    /// How many buffers the node has left, where [`Choke`](super::Choke) looks at them.
    FreeBuffers {
        /// How many.
        buffers: u16,
    },
}

/// What a node tells its driver.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<D> {
    /// Send a packet on the link to a neighbour, which is opened if it is down.
    Send {
        /// The neighbour.
        neighbour: Neighbour,
        /// The packet.
        packet: Packet<D>,
        /// What it is sent for.
        purpose: Purpose,
    },
    /// Broadcast to `NODES` on every port.
    Broadcast {
        /// What.
        nodes: Arc<Nodes>,
    },
    /// A circuit is open.
    Connected {
        /// The circuit.
        circuit: CircuitId,
        /// Whether the other node asked for it.
        incoming: bool,
        /// The user it is for.
        user: Address,
        /// The node at the other end.
        node: Address,
        /// The window agreed on.
        window: u8,
    },
    /// A packet's data, in sequence. It is in the backlog until it is [`Consumed`](Input::Consumed).
    Deliver {
        /// The circuit.
        circuit: CircuitId,
        /// The data.
        data: D,
        /// Whether the message goes on with the next.
        more: bool,
    },
    /// The other side has this many packets more.
    Acknowledged {
        /// The circuit.
        circuit: CircuitId,
        /// How many.
        packets: u8,
    },
    /// The circuit takes messages again, after it was full.
    HasRoom {
        /// The circuit.
        circuit: CircuitId,
    },
    /// The other side chokes the circuit, or releases it.
    Choked {
        /// The circuit.
        circuit: CircuitId,
        /// Whether it is choked.
        choked: bool,
    },
    /// A circuit is closed, or did not open.
    Disconnected {
        /// The circuit.
        circuit: CircuitId,
        /// Why.
        cause: Cause,
        /// Packets not acknowledged or not sent, dropped.
        lost: u32,
    },
    /// A packet for this node that is no circuit's.
    Other {
        /// The packet.
        packet: Packet<D>,
    },
    /// A packet was dropped on its way.
    Dropped {
        /// Why.
        reason: DropReason,
    },
    /// A request was not accepted, and nothing was done.
    Refused {
        /// Why.
        refusal: Refusal,
    },
}

/// What a packet is sent for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Sets a circuit up or ends it.
    Control,
    /// Information for the first time.
    Information,
    /// Information again.
    Retransmission,
    /// Acknowledges, chokes, releases or asks for a repetition.
    Acknowledgement,
    /// Another node's.
    Forward,
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// It has gone as many hops as it may.
    TimeToLive,
    /// There is no route.
    NoRoute,
}

/// Why a circuit is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The user wanted it, and the other node knows.
    Requested,
    /// The user wanted it; the other node did not answer.
    RequestedNoResponse,
    /// The other node ended it.
    ByPeer,
    /// The other node refused it.
    Refused,
    /// The other node does not know the circuit any more.
    Reset,
    /// The other node did not answer as often as it may be asked.
    NoResponse,
    /// There was no data for too long.
    NoActivity,
}

/// Why a request was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// No route leads to the node.
    #[error("no route leads to {0}")]
    NoRoute(Address),
    /// There are as many circuits as the node may have.
    #[error("{0} circuits are as many as the node may have")]
    CircuitLimit(u8),
    /// There is no such circuit, or it is ending.
    #[error("the circuit is not open")]
    NoCircuit,
    /// The circuit is full.
    #[error("{0} packets are as many as a circuit may hold")]
    NoRoom(u16),
    /// More was consumed than was delivered.
    #[error("{consumed} packets consumed of {backlog} delivered")]
    Consumed {
        /// What the user said.
        consumed: u16,
        /// What there was.
        backlog: u32,
    },
}
