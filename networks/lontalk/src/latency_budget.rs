//! Delay budget of a probed message.

use sojourn_model::latency_components;

latency_components! {
    /// A component of the delay budget.
    enum Component {
        /// The sender's application builds and sends the message.
        SenderApplication = "sender-application",
        /// The sender's network processor forms the packet.
        PacketFormation = "packet-formation",
        /// At the head of the queue, until the successful transmission began.
        WaitingForMedium = "waiting-for-medium",
        /// On the wire.
        Transmission = "transmission",
        /// Time of unsuccessful transmissions, up to the last retry.
        Retransmission = "retransmission",
        /// Waiting for a processor, a buffer, or behind other packets of the same station.
        Queues = "queues",
        /// Stored and forwarded by routers.
        Routers = "routers",
        /// Challenge and reply of authentication.
        Authentication = "authentication",
        /// The receiver's network processor handles the packet.
        ReceiverNetwork = "receiver-network",
        /// The receiver's application handles the message.
        ReceiverApplication = "receiver-application",
        /// In the IP network of a channel over one, and waiting for packets before it (escrow).
        IpNetwork = "ip-network",
    }
}
