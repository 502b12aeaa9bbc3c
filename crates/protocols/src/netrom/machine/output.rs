//! Inputs and outputs of a node, and the names of its circuits.

use std::sync::Arc;

use thiserror::Error;

use crate::ax25::wire::Address;
use crate::netrom::wire::{Nodes, Packet};

/// A neighbour: a node in direct range on one of the node's ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Neighbour {
    /// The neighbour's AX.25 address.
    pub address: Address,
    /// The port, by its index in the node's list of ports.
    pub port: u8,
}

/// A circuit of a node. The serial number distinguishes a circuit from earlier ones in the same slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CircuitId {
    pub(super) index: u8,
    pub(super) serial: u32,
}

/// What a driver passes to a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<D> {
    /// A packet was received on the link to a neighbour.
    Receive {
        /// The neighbour at the other end of the link.
        from: Neighbour,
        /// The packet with its header.
        packet: Packet<D>,
    },
    /// A NODES broadcast was received.
    NodesReceived {
        /// The node that sent it.
        from: Neighbour,
        /// One frame of the broadcast.
        nodes: Arc<Nodes>,
    },
    /// The link to a neighbour is up, or a frame was received from it.
    LinkUp {
        /// The neighbour at the other end of the link.
        neighbour: Neighbour,
    },
    /// The link to a neighbour failed or could not be established: other routes are used until it is received again.
    LinkFailed {
        /// The neighbour at the other end of the link.
        neighbour: Neighbour,
    },
    /// Broadcast now what is due at the next interval; routes do not age.
    Broadcast,
    /// A user requests a circuit; [`Node::opened`](super::Node::opened) then returns it.
    Connect {
        /// The AX.25 address of the user.
        user: Address,
        /// The node at the other end.
        destination: Address,
    },
    /// The user sends a message.
    Send {
        /// The circuit that it concerns.
        circuit: CircuitId,
        /// The message; one longer than a packet is fragmented.
        data: D,
    },
    /// The user has consumed packets delivered to it.
    Consumed {
        /// The circuit that it concerns.
        circuit: CircuitId,
        /// The number of them, at least 1.
        packets: u16,
    },
    /// The user closes a circuit once all data are acknowledged.
    Finish {
        /// The circuit that it concerns.
        circuit: CircuitId,
    },
    /// The user closes a circuit at once; unacknowledged data are dropped.
    Disconnect {
        /// The circuit that it concerns.
        circuit: CircuitId,
    },
    /// The number of free buffers of the node, which [`Choke`](super::Choke) may depend on.
    FreeBuffers {
        /// The number of them, at least 1.
        buffers: u16,
    },
}

/// What a node requests of or reports to its driver.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<D> {
    /// Send a packet on the link to a neighbour, which is opened if it is down.
    Send {
        /// The neighbour at the other end of the link.
        neighbour: Neighbour,
        /// The packet with its header.
        packet: Packet<D>,
        /// Why the packet is sent.
        purpose: Purpose,
    },
    /// Broadcast to `NODES` on every port.
    Broadcast {
        /// The broadcast to send.
        nodes: Arc<Nodes>,
    },
    /// A circuit is open.
    Connected {
        /// The circuit that it concerns.
        circuit: CircuitId,
        /// Whether the peer opened it.
        incoming: bool,
        /// The user of the circuit.
        user: Address,
        /// The node at the other end.
        node: Address,
        /// The negotiated window, in packets.
        window: u8,
    },
    /// A packet's data, in sequence. They count as backlog until [`Consumed`](Input::Consumed).
    Deliver {
        /// The circuit that it concerns.
        circuit: CircuitId,
        /// The packet's user data.
        data: D,
        /// More follows: the next packet continues the message.
        more: bool,
    },
    /// The peer acknowledged further packets.
    Acknowledged {
        /// The circuit that it concerns.
        circuit: CircuitId,
        /// The number of them, at least 1.
        packets: u8,
    },
    /// The send queue of the circuit has room again after it was full.
    HasRoom {
        /// The circuit that it concerns.
        circuit: CircuitId,
    },
    /// The peer chokes the circuit, or releases it.
    Choked {
        /// The circuit that it concerns.
        circuit: CircuitId,
        /// Whether it is choked.
        choked: bool,
    },
    /// A circuit is closed, or could not be opened.
    Disconnected {
        /// The circuit that it concerns.
        circuit: CircuitId,
        /// Why it happened, for the driver to report.
        cause: Cause,
        /// Packets dropped that were unacknowledged or not sent.
        lost: u32,
    },
    /// A packet for this node that belongs to no circuit.
    Other {
        /// The packet with its header.
        packet: Packet<D>,
    },
    /// A packet of another node was dropped.
    Dropped {
        /// Why it happened, for the driver to report.
        reason: DropReason,
    },
    /// A request was refused and has no effect.
    Refused {
        /// Why it happened, for the driver to report.
        refusal: Refusal,
    },
}

/// Why a packet is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Opens or closes a circuit.
    Control,
    /// Information sent for the first time.
    Information,
    /// Information that was sent before.
    Retransmission,
    /// Information acknowledge, with or without choke and NAK.
    Acknowledgement,
    /// A packet of another node, forwarded.
    Forward,
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// Its time to live expired.
    TimeToLive,
    /// No route to its destination.
    NoRoute,
}

/// Why a circuit is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The user closed it, and the peer confirmed.
    Requested,
    /// The user closed it, and the peer did not respond.
    RequestedNoResponse,
    /// The peer closed it.
    ByPeer,
    /// The peer refused it.
    Refused,
    /// The peer reset it: it does not know the circuit.
    Reset,
    /// The peer did not respond to any retry.
    NoResponse,
    /// No-activity timeout: no data for too long.
    NoActivity,
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// There is no route to the node.
    #[error("no route to {0}")]
    NoRoute(Address),
    /// The node has `max_circuits` circuits.
    #[error("the node has its maximum of {0} circuits")]
    CircuitLimit(u8),
    /// The circuit does not exist, or is closing.
    #[error("the circuit is not open")]
    NoCircuit,
    /// The send queue of the circuit is full.
    #[error("the send queue of the circuit is full at {0} packets")]
    NoRoom(u16),
    /// More was consumed than was delivered.
    #[error("{consumed} packets consumed of {backlog} delivered")]
    Consumed {
        /// Packets that the user reported consumed.
        consumed: u16,
        /// Packets delivered and not consumed before.
        backlog: u32,
    },
}
