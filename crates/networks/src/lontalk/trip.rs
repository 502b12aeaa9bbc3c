//! Where a probed message's time went, accounted as it happens: every step charges the time since the last
//! one to a component, so the components add up to the response time by construction.

use sojourn_core::{Duration, Time};

/// What a step of a message's way is charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Component {
    /// The sender's application builds and hands over the message.
    SenderApplication,
    /// The sender's network processor forms the packet.
    PacketFormation,
    /// At the head of the queue, until the transmission that got through began.
    WaitingForMedium,
    /// On the wire.
    Transmission,
    /// All that lost tries cost.
    Retransmission,
    /// Waiting for a processor, a buffer, or behind other packets of the same station.
    Queues,
    /// Stored and forwarded by routers.
    Routers,
    /// The receiver asks who the sender is, and is told.
    Authentication,
    /// The receiver's network processor takes the packet in.
    ReceiverNetwork,
    /// The receiver's application notices and acts.
    ReceiverApplication,
}

/// The components by index, as metrics name them.
pub const COMPONENTS: [&str; 10] = [
    "sender-application",
    "packet-formation",
    "waiting-for-medium",
    "transmission",
    "retransmission",
    "queues",
    "routers",
    "authentication",
    "receiver-network",
    "receiver-application",
];

/// The account of one copy of a message.
#[derive(Clone, Copy, Debug)]
pub struct Trip {
    /// Up to when all time is charged.
    pub at: Time,
    spent: [Duration; COMPONENTS.len()],
}

impl Trip {
    /// A message that the application begins with at `now`.
    pub fn new(now: Time) -> Self {
        Trip { at: now, spent: [Duration::ZERO; COMPONENTS.len()] }
    }

    /// Charges the time up to `until`, if any, to `component`.
    #[inline]
    pub fn charge(&mut self, component: Component, until: Time) {
        if until > self.at {
            self.spent[component as usize] += until - self.at;
            self.at = until;
        }
    }

    /// Time by component.
    pub fn spent(&self) -> &[Duration] {
        &self.spent
    }
}
