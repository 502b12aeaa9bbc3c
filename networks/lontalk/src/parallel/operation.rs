//! What happens to a message of another group.

use sojourn_core::Time;

use crate::latency_budget::LatencyBudget;

/// The group that owns a message, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The group.
    pub group: u8,
    /// The number.
    pub message: u32,
}

/// What happened to a message.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// When; at the end of time if that does not matter.
    pub at: Time,
    /// The message at its owner.
    pub message: u32,
    /// The group where it happened.
    pub group: u8,
    /// What.
    pub what: What,
}

/// Kinds of operations.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Another group has a packet of it.
    Copied,
    /// A group has no packet of it any more.
    Gone,
    /// An application has handled it.
    Handled(Option<LatencyBudget>),
    /// Its sender has given up.
    Failed,
}
