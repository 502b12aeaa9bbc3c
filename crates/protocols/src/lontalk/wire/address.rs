//! Domains and addresses of layer 3: ISO/IEC 14908-1, address formats 0 to 3.

use super::error::ParseError;
use crate::cursor::{Reader, Writer};
use crate::limits::{OutOfRange, within};

/// A domain: 0, 1, 3 or 6 bytes.
#[derive(Clone, Copy, Eq, Default)]
pub struct Domain {
    /// Its length, its identifier, and zeros.
    bytes: [u8; 8],
}

/// Compares one word, since every node that receives a packet compares its domain.
impl PartialEq for Domain {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        u64::from_le_bytes(self.bytes) == u64::from_le_bytes(other.bytes)
    }
}

impl Domain {
    /// The domain without an identifier.
    pub const NONE: Domain = Domain { bytes: [0; 8] };

    /// The domain with this identifier; `None` unless it has 0, 1, 3 or 6 bytes.
    pub fn new(id: &[u8]) -> Option<Self> {
        matches!(id.len(), 0 | 1 | 3 | 6).then(|| Domain::called(id))
    }

    fn called(id: &[u8]) -> Self {
        let mut domain = Domain::NONE;
        domain.bytes[0] = id.len() as u8;
        domain.bytes[1..=id.len()].copy_from_slice(id);
        domain
    }

    /// The domain identifier: 0, 1, 3 or 6 bytes.
    pub fn id(&self) -> &[u8] {
        &self.bytes[1..=self.length()]
    }

    /// Length of the identifier in bytes.
    pub const fn length(&self) -> usize {
        self.bytes[0] as usize
    }

    /// The two-bit code of its length.
    pub(super) const fn code(&self) -> u8 {
        match self.length() {
            0 => 0,
            1 => 1,
            3 => 2,
            _ => 3,
        }
    }

    /// Parses the domain whose length has the two-bit `code`.
    pub(super) fn parse(code: u8, reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let length = [0, 1, 3, 6][usize::from(code & 3)];
        Ok(Domain::called(reader.take(length, "domain")?))
    }
}

impl std::fmt::Debug for Domain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Domain({:02x?})", self.id())
    }
}

/// A node's address in its domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SubnetNode {
    /// Subnet, 1 to 255; 0 for an unconfigured node.
    pub subnet: u8,
    /// Node within the subnet, 1 to 127; 0 for an unconfigured node.
    pub node: u8,
}

impl SubnetNode {
    /// Node `node` of subnet `subnet`.
    pub const fn new(subnet: u8, node: u8) -> Self {
        SubnetNode { subnet, node }
    }
}

/// The unique id (Neuron ID) of a chip, by which nodes are addressed before they are configured.
pub type UniqueId = [u8; 6];

/// The destination address of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Destination {
    /// Format 0: broadcast to all nodes of a subnet, or of the domain.
    Broadcast {
        /// Subnet, 0 for the whole domain.
        subnet: u8,
    },
    /// Format 1: multicast to a group.
    Group {
        /// Group number, 0 to 255.
        group: u8,
    },
    /// Format 2a: unicast to one node.
    Node(SubnetNode),
    /// Format 2b: acknowledgement or response of a group member to one node.
    GroupAcknowledgement {
        /// The node that sent to the group.
        node: SubnetNode,
        /// Group number, 0 to 255.
        group: u8,
        /// The responding member, 0 to 63.
        member: u8,
    },
    /// Format 3: the node with this unique id, in any domain.
    UniqueId {
        /// The subnet to which routers forward the packet, 0 for all.
        subnet: u8,
        /// The unique id (Neuron ID).
        id: UniqueId,
    },
}

/// Above the node number: 1 in every format but 2b.
const NODE_BIT: u8 = 0x80;

impl Destination {
    /// The two-bit code of the address format.
    pub(super) const fn format(&self) -> u8 {
        match self {
            Destination::Broadcast { .. } => 0,
            Destination::Group { .. } => 1,
            Destination::Node(_) | Destination::GroupAcknowledgement { .. } => 2,
            Destination::UniqueId { .. } => 3,
        }
    }

    /// Length of source and destination address in bytes.
    pub const fn length(&self) -> usize {
        match self {
            Destination::Broadcast { .. } | Destination::Group { .. } => 3,
            Destination::Node(_) => 4,
            Destination::GroupAcknowledgement { .. } => 6,
            Destination::UniqueId { .. } => 9,
        }
    }

    /// Parses source and destination of an address of the two-bit `format`.
    pub(super) fn parse(format: u8, reader: &mut Reader<'_>) -> Result<(SubnetNode, Self), ParseError> {
        let subnet = reader.byte("source address")?;
        let node = reader.byte("source address")?;
        let source = SubnetNode::new(subnet, node & !NODE_BIT);
        let marked = node & NODE_BIT != 0;
        if !marked && format != 2 {
            return Err(ParseError::NodeBit("source"));
        }
        let first = reader.byte("destination address")?;
        let destination = match (format, marked) {
            (0, _) => Destination::Broadcast { subnet: first },
            (1, _) => Destination::Group { group: first },
            (2, true) => Destination::Node(parse_node(first, reader)?),
            (2, false) => parse_answer(first, reader)?,
            _ => Destination::UniqueId { subnet: first, id: reader.array("unique id")? },
        };
        Ok((source, destination))
    }

    /// Refuses fields out of range.
    pub(super) fn check(&self, source: SubnetNode) -> Result<(), OutOfRange> {
        within("source node", usize::from(source.node), 127)?;
        match self {
            Destination::Node(node) => within("destination node", usize::from(node.node), 127),
            Destination::GroupAcknowledgement { node, member, .. } => {
                within("destination node", usize::from(node.node), 127)?;
                within("group member", usize::from(*member), 63)
            }
            _ => Ok(()),
        }
    }

    /// Writes source and destination.
    pub(super) fn emit(&self, source: SubnetNode, writer: &mut Writer<'_>) {
        let mark = if matches!(self, Destination::GroupAcknowledgement { .. }) { 0 } else { NODE_BIT };
        writer.bytes(&[source.subnet, mark | source.node]);
        match *self {
            Destination::Broadcast { subnet } => writer.byte(subnet),
            Destination::Group { group } => writer.byte(group),
            Destination::Node(to) => writer.bytes(&[to.subnet, NODE_BIT | to.node]),
            Destination::GroupAcknowledgement { node: to, group, member } => {
                writer.bytes(&[to.subnet, NODE_BIT | to.node, group, member]);
            }
            Destination::UniqueId { subnet, id } => {
                writer.byte(subnet);
                writer.bytes(&id);
            }
        }
    }
}

fn parse_node(subnet: u8, reader: &mut Reader<'_>) -> Result<SubnetNode, ParseError> {
    let node = reader.byte("destination address")?;
    if node & NODE_BIT == 0 {
        return Err(ParseError::NodeBit("destination"));
    }
    Ok(SubnetNode::new(subnet, node & !NODE_BIT))
}

fn parse_answer(subnet: u8, reader: &mut Reader<'_>) -> Result<Destination, ParseError> {
    let node = parse_node(subnet, reader)?;
    let [group, member] = reader.array("group member")?;
    if member > 63 {
        return Err(ParseError::Member(member));
    }
    Ok(Destination::GroupAcknowledgement { node, group, member })
}
