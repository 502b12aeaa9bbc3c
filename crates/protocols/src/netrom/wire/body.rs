//! The transport header and what follows it: packets that open, use and close circuits.

use super::{ParseError, address};
use crate::UserData;
use crate::ax25::wire::Address;
use crate::cursor::{Reader, Writer};

/// Length of the transport header in octets.
pub(super) const HEADER_LENGTH: usize = 5;

const CONNECT_REQUEST: u8 = 1;
const CONNECT_ACKNOWLEDGE: u8 = 2;
const DISCONNECT_REQUEST: u8 = 3;
const DISCONNECT_ACKNOWLEDGE: u8 = 4;
const INFORMATION: u8 = 5;
const INFORMATION_ACKNOWLEDGE: u8 = 6;
const RESET: u8 = 7;
/// Mask of the operation in the last octet of the header; the other bits are flags.
const OPERATION: u8 = 0x0f;
const CHOKE: u8 = 0x80;
const NAK: u8 = 0x40;
const MORE: u8 = 0x20;

/// A node's number of a circuit of its own: circuit index and circuit id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CircuitNumber {
    /// Circuit index: the slot in the node's table.
    pub index: u8,
    /// Circuit id: distinguishes successive circuits in the slot.
    pub id: u8,
}

/// The flow control flags of a packet that acknowledges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flow {
    /// Choke: the sender accepts no information for now.
    pub choke: bool,
    /// NAK: the packet with the acknowledged number is missing; later ones were received.
    pub nak: bool,
}

/// The transport header, one variant for each operation. `circuit` is the receiver's number of the circuit unless stated
/// otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<D> {
    /// Connect request (operation 1): opens a circuit.
    ConnectRequest {
        /// The sender's number of the circuit.
        circuit: CircuitNumber,
        /// The proposed window, in packets.
        window: u8,
        /// The user that originates the circuit.
        user: Address,
        /// The node that the user is connected to.
        node: Address,
        /// The sender's transport timeout in seconds (an extension of BPQ).
        timeout_s: Option<u16>,
    },
    /// Connect acknowledge (operation 2): accepts a circuit.
    ConnectAcknowledge {
        /// The requester's number of the circuit.
        circuit: CircuitNumber,
        /// The sender's number of the circuit.
        own: CircuitNumber,
        /// The accepted window, in packets.
        window: u8,
        /// The time to live of the sender's packets in hops (an extension of BPQ).
        ttl: Option<u8>,
    },
    /// Connect refusal: connect acknowledge with the choke flag.
    ConnectRefusal {
        /// The requester's number of the circuit.
        circuit: CircuitNumber,
    },
    /// Disconnect request (operation 3): closes a circuit.
    DisconnectRequest {
        /// The receiver's number of the circuit.
        circuit: CircuitNumber,
    },
    /// Disconnect acknowledge (operation 4): confirms the close.
    DisconnectAcknowledge {
        /// The receiver's number of the circuit.
        circuit: CircuitNumber,
    },
    /// Information (operation 5): user data, numbered.
    Information {
        /// The receiver's number of the circuit.
        circuit: CircuitNumber,
        /// TX sequence number: the packet's own.
        tx_sequence: u8,
        /// RX sequence number: the number expected next.
        rx_sequence: u8,
        /// Choke and NAK flags.
        flow: Flow,
        /// More follows: the next packet continues the message.
        more: bool,
        /// The user data of the packet.
        data: D,
    },
    /// Information acknowledge (operation 6): acknowledges without data.
    InformationAcknowledge {
        /// The receiver's number of the circuit.
        circuit: CircuitNumber,
        /// RX sequence number: the number expected next.
        rx_sequence: u8,
        /// Choke and NAK flags.
        flow: Flow,
    },
    /// Reset: the circuit is unknown (an extension of G8PZT).
    Reset {
        /// The receiver's number, or 0/0 when the sender does not know it.
        circuit: CircuitNumber,
        /// The sender's number as the receiver used it.
        own: CircuitNumber,
    },
    /// An operation outside circuits: an extension such as IP (operation 0), or an unassigned one. Nodes forward it.
    Other {
        /// The first four octets of the header.
        header: [u8; 4],
        /// The operation and flags octet.
        operation: u8,
        /// The octets after the header.
        data: D,
    },
}

impl<D> Body<D> {
    /// The name of the operation.
    pub const fn name(&self) -> &'static str {
        match self {
            Body::ConnectRequest { .. } => "connect request",
            Body::ConnectAcknowledge { .. } => "connect acknowledge",
            Body::ConnectRefusal { .. } => "connect refusal",
            Body::DisconnectRequest { .. } => "disconnect request",
            Body::DisconnectAcknowledge { .. } => "disconnect acknowledge",
            Body::Information { .. } => "information",
            Body::InformationAcknowledge { .. } => "information acknowledge",
            Body::Reset { .. } => "reset",
            Body::Other { .. } => "other",
        }
    }

    /// Converts the user data with `map`.
    pub fn map<E>(self, map: impl FnOnce(D) -> E) -> Body<E> {
        match self {
            Body::ConnectRequest { circuit, window, user, node, timeout_s } => {
                Body::ConnectRequest { circuit, window, user, node, timeout_s }
            }
            Body::ConnectAcknowledge { circuit, own, window, ttl } => {
                Body::ConnectAcknowledge { circuit, own, window, ttl }
            }
            Body::ConnectRefusal { circuit } => Body::ConnectRefusal { circuit },
            Body::DisconnectRequest { circuit } => Body::DisconnectRequest { circuit },
            Body::DisconnectAcknowledge { circuit } => Body::DisconnectAcknowledge { circuit },
            Body::Information { circuit, tx_sequence, rx_sequence, flow, more, data } => {
                Body::Information { circuit, tx_sequence, rx_sequence, flow, more, data: map(data) }
            }
            Body::InformationAcknowledge { circuit, rx_sequence, flow } => {
                Body::InformationAcknowledge { circuit, rx_sequence, flow }
            }
            Body::Reset { circuit, own } => Body::Reset { circuit, own },
            Body::Other { header, operation, data } => Body::Other { header, operation, data: map(data) },
        }
    }

    /// The five octets of the header.
    fn header(&self) -> [u8; HEADER_LENGTH] {
        let with = |circuit: CircuitNumber, [third, fourth]: [u8; 2], operation| {
            [circuit.index, circuit.id, third, fourth, operation]
        };
        match *self {
            Body::ConnectRequest { circuit, .. } => with(circuit, [0, 0], CONNECT_REQUEST),
            Body::ConnectAcknowledge { circuit, own, .. } => with(circuit, [own.index, own.id], CONNECT_ACKNOWLEDGE),
            Body::ConnectRefusal { circuit } => with(circuit, [0, 0], CONNECT_ACKNOWLEDGE | CHOKE),
            Body::DisconnectRequest { circuit } => with(circuit, [0, 0], DISCONNECT_REQUEST),
            Body::DisconnectAcknowledge { circuit } => with(circuit, [0, 0], DISCONNECT_ACKNOWLEDGE),
            Body::Information { circuit, tx_sequence, rx_sequence, flow, more, .. } => {
                let more = if more { MORE } else { 0 };
                with(circuit, [tx_sequence, rx_sequence], INFORMATION | flow.bits() | more)
            }
            Body::InformationAcknowledge { circuit, rx_sequence, flow } => {
                with(circuit, [0, rx_sequence], INFORMATION_ACKNOWLEDGE | flow.bits())
            }
            Body::Reset { circuit, own } => with(circuit, [own.index, own.id], RESET),
            Body::Other { header: [a, b, c, d], operation, .. } => [a, b, c, d, operation],
        }
    }
}

impl Flow {
    const fn bits(self) -> u8 {
        (if self.choke { CHOKE } else { 0 }) | if self.nak { NAK } else { 0 }
    }
}

impl<'a> Body<&'a [u8]> {
    /// Parses what follows the network header.
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self, ParseError> {
        let [index, id, third, fourth, operation] = reader.array("transport header")?;
        let circuit = CircuitNumber { index, id };
        let own = CircuitNumber { index: third, id: fourth };
        let flow = Flow { choke: operation & CHOKE != 0, nak: operation & NAK != 0 };
        Ok(match operation & OPERATION {
            CONNECT_REQUEST => Body::read_request(circuit, reader)?,
            CONNECT_ACKNOWLEDGE if flow.choke => Body::ConnectRefusal { circuit },
            CONNECT_ACKNOWLEDGE => {
                let window = reader.byte("window")?;
                Body::ConnectAcknowledge { circuit, own, window, ttl: reader.byte("").ok() }
            }
            DISCONNECT_REQUEST => Body::DisconnectRequest { circuit },
            DISCONNECT_ACKNOWLEDGE => Body::DisconnectAcknowledge { circuit },
            INFORMATION => {
                let more = operation & MORE != 0;
                Body::Information { circuit, tx_sequence: third, rx_sequence: fourth, flow, more, data: reader.rest() }
            }
            INFORMATION_ACKNOWLEDGE => Body::InformationAcknowledge { circuit, rx_sequence: fourth, flow },
            RESET => Body::Reset { circuit, own },
            _ => Body::Other { header: [index, id, third, fourth], operation, data: reader.rest() },
        })
    }

    fn read_request(circuit: CircuitNumber, reader: &mut Reader<'a>) -> Result<Self, ParseError> {
        let window = reader.byte("proposed window")?;
        let user = address::read(reader, "user")?;
        let node = address::read(reader, "user's node")?;
        let timeout_s = reader.array("").ok().map(u16::from_le_bytes);
        Ok(Body::ConnectRequest { circuit, window, user, node, timeout_s })
    }
}

impl<D: UserData> Body<D> {
    /// Length of the header and what follows in octets.
    pub(super) fn length(&self) -> usize {
        let follows = match self {
            Body::ConnectRequest { timeout_s, .. } => 15 + if timeout_s.is_some() { 2 } else { 0 },
            Body::ConnectAcknowledge { ttl, .. } => 1 + usize::from(ttl.is_some()),
            Body::Information { data, .. } | Body::Other { data, .. } => data.length(),
            _ => 0,
        };
        HEADER_LENGTH + follows
    }

    pub(super) fn write(&self, writer: &mut Writer<'_>) {
        writer.bytes(&self.header());
        match self {
            Body::ConnectRequest { window, user, node, timeout_s, .. } => {
                writer.byte(*window);
                address::write(writer, *user, false);
                address::write(writer, *node, false);
                timeout_s.iter().for_each(|seconds| writer.bytes(&seconds.to_le_bytes()));
            }
            Body::ConnectAcknowledge { window, ttl, .. } => {
                writer.byte(*window);
                ttl.iter().for_each(|hops| writer.byte(*hops));
            }
            Body::Information { data, .. } | Body::Other { data, .. } => data.emit(writer.space(data.length())),
            _ => {}
        }
    }
}
