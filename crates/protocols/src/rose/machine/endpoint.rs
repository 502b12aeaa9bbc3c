//! The endpoints of a circuit within a switch.

use super::output::{TrunkId, UserId};

/// A logical channel of a trunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChannelId {
    pub trunk: TrunkId,
    pub number: u16,
}

/// One endpoint of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    Channel(ChannelId),
    User(UserId),
}
