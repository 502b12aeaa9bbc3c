//! Flows: sender, receiver and service, interned as small integers.

use std::net::IpAddr;

use foldhash::fast::FixedState;
use indexmap::IndexSet;
use sojourn_protocols::{ax25, can, lontalk};

/// An address of any layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// Not known.
    Unknown,
    /// An Ethernet or FDDI address.
    Mac([u8; 6]),
    /// An IPv4 or IPv6 address.
    Ip(IpAddr),
    /// A LonTalk node: domain as its length and identifier, then subnet and node.
    LonTalk([u8; 7], lontalk::wire::SubnetNode),
    /// A LonTalk group: domain as its length and identifier, then the group.
    LonTalkGroup([u8; 7], u8),
    /// All nodes of a LonTalk subnet, 0 for all of the domain.
    LonTalkBroadcast([u8; 7], u8),
    /// The LonTalk node with this unique id.
    UniqueId([u8; 6]),
    /// A callsign with its SSID.
    Callsign(ax25::wire::Address),
    /// An ATM circuit: VPI and VCI.
    Circuit(u16, u16),
    /// A station of an MS/TP trunk.
    Mstp(u8),
    /// The client of a Modbus line or of a CANopen bus, which has no address.
    Client,
    /// A server on a Modbus line.
    Unit(u8),
    /// The senders of frames of CAN with this identifier.
    Can(can::frame::Id),
    /// A node of CANopen.
    Node(u8),
    /// An address of SAE J1939.
    J1939(u8),
    /// All nodes of a bus.
    Everyone,
}

/// What a flow is, protocol and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Service {
    /// A LonTalk service.
    LonTalk(LonTalkService),
    /// TCP requests to this port.
    Tcp(u16),
    /// UDP requests to this port.
    Udp(u16),
    /// ICMP echo.
    Echo,
    /// Information over an AX.25 link.
    Ax25,
    /// AX.25 UI frames.
    Ax25Unnumbered,
    /// Information over a NET/ROM circuit.
    NetRom,
    /// Information over a ROSE call.
    Rose,
    /// Messages over XTP associations to this port, 0 if that is not known.
    Xtp(u16),
    /// Confirmed requests of BACnet over MS/TP.
    Bacnet,
    /// Messages of BACnet over MS/TP that nothing answers.
    BacnetUnconfirmed,
    /// Frames of MS/TP itself: tokens, polls for masters, tests.
    Mstp,
    /// Requests of Modbus over a serial line, by their function.
    Modbus(u8),
    /// Messages of CAN that nothing answers.
    Can,
    /// Remote frames of CAN, by the identifier that they ask for.
    RemoteFrame,
    /// Diagnostic requests over CAN (UDS, below 10h OBD), by their service.
    Uds(u8),
    /// Service data objects of CANopen.
    Sdo,
    /// Requests of SAE J1939 for a parameter group.
    ParameterGroup(u32),
    /// Packets of a protocol without transactions, by its number (Ethernet type, IP protocol).
    Other(u16),
}

/// A LonTalk service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LonTalkService {
    /// Unacknowledged.
    Unacknowledged,
    /// Unacknowledged, repeated.
    Repeated,
    /// Acknowledged.
    Acknowledged,
    /// Acknowledged, with authentication.
    Authenticated,
    /// Request/response.
    RequestResponse,
    /// Request/response, with authentication.
    AuthenticatedRequestResponse,
}

/// What identifies a flow: its initiator, its destination and its service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowKey {
    /// Who sends the requests.
    pub from: Address,
    /// Who answers them.
    pub to: Address,
    /// What they are.
    pub service: Service,
}

/// A flow by its number, in order of first appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

/// Flows kept apart; packets of any further one count as [`FlowId::REST`].
pub const FLOW_LIMIT: usize = 65_536;

impl FlowId {
    /// All flows beyond [`FLOW_LIMIT`].
    pub const REST: FlowId = FlowId(FLOW_LIMIT as u32);
}

/// All flows of a capture.
#[derive(Clone, Debug, Default)]
pub struct Flows {
    keys: IndexSet<FlowKey, FixedState>,
}

impl Flows {
    /// The number of this flow, which is new if it was not seen before.
    pub fn intern(&mut self, key: FlowKey) -> FlowId {
        if self.keys.len() >= FLOW_LIMIT {
            return self.keys.get_index_of(&key).map_or(FlowId::REST, |index| FlowId(index as u32));
        }
        FlowId(self.keys.insert_full(key).0 as u32)
    }

    /// What identifies flow `id`; `None` for [`FlowId::REST`].
    pub fn key(&self, id: FlowId) -> Option<&FlowKey> {
        self.keys.get_index(id.0 as usize)
    }

    /// All flows with their numbers, in order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (FlowId, &FlowKey)> {
        self.keys.iter().enumerate().map(|(index, key)| (FlowId(index as u32), key))
    }
}
