//! What the time of a probed message is charged to.

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

impl From<Component> for usize {
    fn from(component: Component) -> usize {
        component as usize
    }
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
pub type Trip = crate::common::latency_budget::Trip<{ COMPONENTS.len() }>;
