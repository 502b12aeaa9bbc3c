//! What a node listens to, and how it addresses an answer.

use super::configuration::NodeConfiguration;
use crate::lontalk::wire::{Destination, OriginalFormat, Packet, SubnetNode};

impl NodeConfiguration {
    /// Whether a packet is for the node: a check a driver may make before it spends anything on the packet.
    ///
    /// A unique id is heard in any domain, since a node is found by it before it knows its own.
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

/// How a message was addressed, as far as a receiver tells one exchange from another by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// To a subnet, or with 0 to the domain.
    Broadcast(u8),
    /// To a group.
    Group(u8),
    /// To the node.
    Node,
    /// To the node by its unique id.
    UniqueId,
}

impl Scope {
    /// The scope of a message to `destination`. Answers are addressed to a node.
    pub const fn of(destination: &Destination) -> Self {
        match *destination {
            Destination::Broadcast { subnet } => Scope::Broadcast(subnet),
            Destination::Group { group } => Scope::Group(group),
            Destination::Node(_) | Destination::GroupAcknowledgement { .. } => Scope::Node,
            Destination::UniqueId { .. } => Scope::UniqueId,
        }
    }

    /// As a challenge or a reply names it.
    pub const fn original(self) -> OriginalFormat {
        match self {
            Scope::Broadcast(_) => OriginalFormat::Broadcast,
            Scope::Group(group) => OriginalFormat::Group(group),
            Scope::Node => OriginalFormat::Node,
            Scope::UniqueId => OriginalFormat::UniqueId,
        }
    }

    /// The scope a reply means; none for broadcasts, which are not authenticated.
    pub const fn of_original(original: OriginalFormat) -> Option<Self> {
        match original {
            OriginalFormat::Broadcast => None,
            OriginalFormat::Group(group) => Some(Scope::Group(group)),
            OriginalFormat::Node => Some(Scope::Node),
            OriginalFormat::UniqueId => Some(Scope::UniqueId),
        }
    }

    /// Where an answer to `source` goes: to a group's message, with group and member.
    pub fn answer_to(self, node: &NodeConfiguration, source: SubnetNode) -> Destination {
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
