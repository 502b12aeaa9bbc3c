//! The transport header and what follows it: how circuits are set up, used and ended.

use super::{ParseError, address};
use crate::UserData;
use crate::ax25::wire::Address;
use crate::cursor::{Reader, Writer};

/// Octets of the transport header.
pub(super) const HEADER_LENGTH: usize = 5;

const CONNECT_REQUEST: u8 = 1;
const CONNECT_ACKNOWLEDGE: u8 = 2;
const DISCONNECT_REQUEST: u8 = 3;
const DISCONNECT_ACKNOWLEDGE: u8 = 4;
const INFORMATION: u8 = 5;
const INFORMATION_ACKNOWLEDGE: u8 = 6;
const RESET: u8 = 7;
/// The operation, in the last octet of the header; the other bits are flags.
const OPERATION: u8 = 0x0f;
const CHOKE: u8 = 0x80;
const NAK: u8 = 0x40;
const MORE: u8 = 0x20;

/// How a node names a circuit of its own: a place in its table, and which of those that had it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CircuitNumber {
    /// The place.
    pub index: u8,
    /// The circuit that has it.
    pub id: u8,
}

/// What a packet that acknowledges says besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flow {
    /// The sender takes no more information for now.
    pub choke: bool,
    /// The packet with the acknowledged number is missing; later ones came.
    pub nak: bool,
}

/// What a packet says. `circuit` is the receiver's number of the circuit unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<D> {
    /// A circuit is asked for.
    ConnectRequest {
        /// The sender's number of the circuit.
        circuit: CircuitNumber,
        /// The window the sender proposes.
        window: u8,
        /// The user it is for.
        user: Address,
        /// The node the user is at.
        node: Address,
        /// How long the sender waits for answers, in seconds (an extension of BPQ).
        timeout_s: Option<u16>,
    },
    /// A circuit is agreed to.
    ConnectAcknowledge {
        /// The number of the circuit that was asked for.
        circuit: CircuitNumber,
        /// The sender's number of it.
        own: CircuitNumber,
        /// The window of both.
        window: u8,
        /// The time to live of the sender's packets (an extension of BPQ).
        ttl: Option<u8>,
    },
    /// A circuit is refused: the acknowledgement with the choke flag.
    ConnectRefusal {
        /// The number of the circuit that was asked for.
        circuit: CircuitNumber,
    },
    /// A circuit is to end.
    DisconnectRequest {
        /// Which.
        circuit: CircuitNumber,
    },
    /// A circuit has ended.
    DisconnectAcknowledge {
        /// Which.
        circuit: CircuitNumber,
    },
    /// User data.
    Information {
        /// Of which circuit.
        circuit: CircuitNumber,
        /// The packet's own number.
        tx_sequence: u8,
        /// The number expected next.
        rx_sequence: u8,
        /// Whether it chokes or asks for a repetition.
        flow: Flow,
        /// The next packet continues the user's message.
        more: bool,
        /// The data.
        data: D,
    },
    /// An acknowledgement by itself.
    InformationAcknowledge {
        /// Of which circuit.
        circuit: CircuitNumber,
        /// The number expected next.
        rx_sequence: u8,
        /// Whether it chokes or asks for a repetition.
        flow: Flow,
    },
    /// There is no such circuit (an extension of G8PZT).
    Reset {
        /// Which, or 0/0 when the sender does not know the receiver's number.
        circuit: CircuitNumber,
        /// The number the receiver used for the sender's.
        own: CircuitNumber,
    },
    /// An operation that is no circuit's: an extension such as IP (operation 0), or one not assigned. Nodes on the way
    /// hand it on.
    Other {
        /// The first four octets of the header.
        header: [u8; 4],
        /// Operation and flags.
        operation: u8,
        /// What follows.
        data: D,
    },
}

impl<D> Body<D> {
    /// The operation's name.
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

    /// The same with other user data.
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
    /// Reads all that follows the network header.
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
    /// Octets of the header and what follows.
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
