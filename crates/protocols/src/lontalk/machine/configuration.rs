//! What an installer writes into a node, and the choices of a model.

use std::sync::Arc;

use sojourn_core::Duration;

use crate::lontalk::authentication::Key;
use crate::lontalk::timer::{ReceiveTimer, TransactionTimer};
use crate::lontalk::wire::{Domain, SubnetNode, UniqueId};

/// One node's own configuration. What nodes have in common lies in [`Settings`], held once.
#[derive(Clone, Debug)]
pub struct NodeConfiguration {
    /// Subnet and node; 0 and 0 before the node is configured.
    pub address: SubnetNode,
    /// Manufacture number.
    pub unique_id: UniqueId,
    /// Groups the node is a member of, in any order.
    pub groups: Box<[Membership]>,
    /// What it shares with other nodes.
    pub settings: Arc<Settings>,
}

/// A node's place in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Membership {
    /// Group number.
    pub group: u8,
    /// The node's member number, 0 to 63.
    pub member: u8,
    /// How long messages to this group are remembered.
    pub receive_timer: ReceiveTimer,
}

/// Configuration that many nodes share.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The domain the nodes are in.
    pub domain: Domain,
    /// How long messages to the node itself, its subnet or its domain are remembered. Default 2048 ms.
    pub receive_timer: ReceiveTimer,
    /// Receive records a node has, at least 1. Default 16.
    pub receive_records: u16,
    /// The domain's authentication key. Default all ones, that of a node never given one.
    pub key: Key,
    /// What the coded transaction and repeat timers are multiplied with, above 0. Default 1.
    pub transaction_timer_scale: f64,
    /// From when the transaction timer runs. Default from the hand-off.
    pub transaction_timer_starts: TimerStart,
    /// Whether copies of a message that still wait are withdrawn once all answers are in. Default yes.
    pub withdraw: bool,
}

/// From when the transaction timer runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimerStart {
    /// From the moment the packet is handed to the network layer, so that waiting for the channel counts.
    #[default]
    HandOff,
    /// From the end of the packet's transmission.
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
    /// The time a coded transaction or repeat timer really takes.
    pub fn transaction_time(&self, timer: TransactionTimer) -> Duration {
        let nominal = timer.duration().picoseconds();
        Duration::from_picoseconds((nominal as f64 * self.transaction_timer_scale + 0.5) as u64)
    }
}

impl NodeConfiguration {
    /// A node of no group.
    pub fn new(address: SubnetNode, settings: Arc<Settings>) -> Self {
        NodeConfiguration { address, unique_id: [0; 6], groups: Box::default(), settings }
    }

    /// The node's place in `group`, if it is a member.
    pub fn membership(&self, group: u8) -> Option<&Membership> {
        self.groups.iter().find(|membership| membership.group == group)
    }
}
