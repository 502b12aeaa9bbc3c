//! Transmissions and the packets offered for them.

use sojourn_core::Time;

/// The packet at the head of a station's queue, as the medium sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Length of the LPDU in bytes, header and CRC included.
    pub length: u16,
    /// Delta backlog, 0 to 63.
    pub delta: u8,
    /// Whether it has priority.
    pub priority: bool,
}

/// Result of a transmission at its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransmitResult {
    /// No collision detected: the packet leaves the queue.
    Sent,
    /// Collision detected: the sender retries the packet.
    Collided,
    /// Collision detected, and the collision limit is reached: the sender drops the packet.
    Dropped,
}

impl TransmitResult {
    /// The result of a transmission whose sender detects a collision, or none, the `collisions`-th of the packet.
    #[inline]
    pub(super) fn of(detects: bool, collisions: u8, collision_limit: u8) -> TransmitResult {
        match detects {
            false => TransmitResult::Sent,
            true if collisions >= collision_limit => TransmitResult::Dropped,
            true => TransmitResult::Collided,
        }
    }
}

/// A transmission of the busy period that has just ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// Port of the sender.
    pub port: u32,
    /// Start of the transmission.
    pub start: Time,
    /// End of the transmission.
    pub end: Time,
    /// The packet transmitted.
    pub head: Head,
    /// Result at the sender.
    pub result: TransmitResult,
}

/// How backlogs are estimated: per station as in the standard, or simplified for closed forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BacklogRule {
    /// Each station has its own estimate.
    PerStation,
    /// All stations have the estimate of the last sender, as Markov models assume.
    Consistent,
    /// The start value, constant.
    Fixed,
}
