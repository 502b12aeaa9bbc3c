//! What the time of a probed message is charged to.

use crate::common::latency_budget::latency_components;

latency_components! {
    /// What a step of a message's way is charged to.
    enum Component {
        /// The sender's application builds and hands over the message.
        SenderApplication = "sender-application",
        /// The sender's network processor forms the packet.
        PacketFormation = "packet-formation",
        /// At the head of the queue, until the transmission that got through began.
        WaitingForMedium = "waiting-for-medium",
        /// On the wire.
        Transmission = "transmission",
        /// All that lost tries cost.
        Retransmission = "retransmission",
        /// Waiting for a processor, a buffer, or behind other packets of the same station.
        Queues = "queues",
        /// Stored and forwarded by routers.
        Routers = "routers",
        /// The receiver asks who the sender is, and is told.
        Authentication = "authentication",
        /// The receiver's network processor takes the packet in.
        ReceiverNetwork = "receiver-network",
        /// The receiver's application notices and acts.
        ReceiverApplication = "receiver-application",
    }
}
