//! Which packets a node accepts, and the destination of its responses.

use super::configuration::NodeConfiguration;
use crate::lontalk::wire::{Destination, OriginalFormat, Packet, SubnetNode};

impl NodeConfiguration {
    /// Whether a packet is addressed to the node. Cheap, so that a driver can filter packets early.
    ///
    /// A unique id is accepted in any domain, since a node is addressed by it before its domain is configured.
    #[inline]
    pub fn accepts<D>(&self, packet: &Packet<D>) -> bool {
        if let Destination::UniqueId { id, .. } = packet.destination {
            return id == self.unique_id;
        }
        packet.domain == self.settings.domain
            && match packet.destination {
                Destination::Node(to) | Destination::GroupAcknowledgement { node: to, .. } => to == self.address,
                Destination::Group { group } => packet.source != self.address && self.membership(group).is_some(),
                Destination::Broadcast { subnet } => {
                    packet.source != self.address && (subnet == 0 || subnet == self.address.subnet)
                }
                Destination::UniqueId { .. } => false,
            }
    }
}

/// The addressing of a message, as far as it distinguishes transactions at a receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Broadcast to a subnet, or with 0 to the domain.
    Broadcast(u8),
    /// Multicast to a group.
    Group(u8),
    /// Unicast to the node.
    Node,
    /// Unicast to the node by its unique id.
    UniqueId,
}

impl Scope {
    /// The scope of a message to `destination`. Responses are addressed to a node.
    pub const fn of(destination: &Destination) -> Self {
        match *destination {
            Destination::Broadcast { subnet } => Scope::Broadcast(subnet),
            Destination::Group { group } => Scope::Group(group),
            Destination::Node(_) | Destination::GroupAcknowledgement { .. } => Scope::Node,
            Destination::UniqueId { .. } => Scope::UniqueId,
        }
    }

    /// The address format as encoded in a challenge or a reply.
    pub const fn original(self) -> OriginalFormat {
        match self {
            Scope::Broadcast(_) => OriginalFormat::Broadcast,
            Scope::Group(group) => OriginalFormat::Group(group),
            Scope::Node => OriginalFormat::Node,
            Scope::UniqueId => OriginalFormat::UniqueId,
        }
    }

    /// The scope encoded in a reply; `None` for broadcasts, which are not authenticated.
    pub const fn of_original(original: OriginalFormat) -> Option<Self> {
        match original {
            OriginalFormat::Broadcast => None,
            OriginalFormat::Group(group) => Some(Scope::Group(group)),
            OriginalFormat::Node => Some(Scope::Node),
            OriginalFormat::UniqueId => Some(Scope::UniqueId),
        }
    }

    /// The destination of a response to `source`; for a group's message it carries group and member number (format 2b).
    pub fn response_destination(self, node: &NodeConfiguration, source: SubnetNode) -> Destination {
        match self {
            Scope::Group(group) => match node.membership(group) {
                Some(membership) => {
                    Destination::GroupAcknowledgement { node: source, group, member: membership.member }
                }
                None => Destination::Node(source),
            },
            _ => Destination::Node(source),
        }
    }
}
