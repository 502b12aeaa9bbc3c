//! The network configuration of a node, and parameters of the model.

use std::sync::Arc;

use sojourn_core::Duration;

use crate::lontalk::authentication::Key;
use crate::lontalk::timer::{ReceiveTimer, TransactionTimer};
use crate::lontalk::wire::{Domain, SubnetNode, UniqueId};

/// The configuration of one node. What nodes have in common is in [`Settings`], shared.
#[derive(Clone, Debug)]
pub struct NodeConfiguration {
    /// Subnet and node; 0 and 0 before the node is configured.
    pub address: SubnetNode,
    /// Unique id (Neuron ID).
    pub unique_id: UniqueId,
    /// Groups the node is a member of, in any order.
    pub groups: Box<[Membership]>,
    /// Configuration shared with other nodes.
    pub settings: Arc<Settings>,
}

/// A node's membership in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Group number, 0 to 255.
    pub group: u8,
    /// The node's member number, 0 to 63.
    pub member: u8,
    /// Group receive timer: how long messages to this group are kept for duplicate detection.
    pub receive_timer: ReceiveTimer,
}

/// Configuration that many nodes share.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The domain of the nodes.
    pub domain: Domain,
    /// Non-group receive timer: how long messages to the node, its subnet or its domain are kept for duplicate detection.
    /// Default 2048 ms.
    pub receive_timer: ReceiveTimer,
    /// Number of receive records (receive transaction count), at least 1. Default 16.
    pub receive_records: u16,
    /// The domain's authentication key. Default all ones, the key of an unconfigured node.
    pub key: Key,
    /// Factor on the encoded transaction and repeat timers, above 0. Default 1.
    pub transaction_timer_scale: f64,
    /// When the transaction timer starts. Default at the hand-off.
    pub transaction_timer_starts: TimerStart,
    /// Whether copies of a message that still wait are discarded once all responses have been received. Default yes.
    pub withdraw: bool,
}

/// When the transaction timer starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimerStart {
    /// When the packet is passed to the network layer, so that its wait for the channel counts.
    #[default]
    HandOff,
    /// At the end of the packet's transmission.
    AfterTransmission,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            domain: Domain::NONE,
            receive_timer: ReceiveTimer::from_code(8).expect("a four-bit code"),
            receive_records: 16,
            key: [0xff; 6],
            transaction_timer_scale: 1.0,
            transaction_timer_starts: TimerStart::HandOff,
            withdraw: true,
        }
    }
}

impl Settings {
    /// The duration of an encoded transaction or repeat timer, scaled.
    pub fn transaction_time(&self, timer: TransactionTimer) -> Duration {
        let nominal = timer.duration().picoseconds();
        Duration::from_picoseconds((nominal as f64 * self.transaction_timer_scale + 0.5) as u64)
    }
}

impl NodeConfiguration {
    /// A node without group membership.
    pub fn new(address: SubnetNode, settings: Arc<Settings>) -> Self {
        NodeConfiguration { address, unique_id: [0; 6], groups: Box::default(), settings }
    }

    /// The node's membership in `group`, if it is a member.
    pub fn membership(&self, group: u8) -> Option<&Membership> {
        self.groups.iter().find(|membership| membership.group == group)
    }
}
