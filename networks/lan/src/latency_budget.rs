//! The components of the latency budget of an exchange.

use sojourn_model::latency_components;

latency_components! {
    /// What a step of a datagram's path, and of its response's, is charged to.
    enum Component {
        /// The client's processor sends and receives.
        Client = "client",
        /// The server's processor receives and sends.
        Server = "server",
        /// Waiting for a processor.
        ProcessorQueue = "processor-queue",
        /// In the sender's adapter, until the first bit leaves.
        Adapter = "adapter",
        /// Cells that leave later than back to back: rate control, other circuits of the adapter.
        Pacing = "pacing",
        /// Serialization of the bits on all links.
        Transmission = "transmission",
        /// The latency of switches.
        Switching = "switching",
        /// Propagation delay of the links.
        Propagation = "propagation",
        /// All else on the path: waiting in switches.
        Queueing = "queueing",
        /// In the receiver's adapter, from the last bit to the interrupt.
        ReceiveDelay = "receive-delay",
        /// Waiting for TCP: the handshake of a new connection, windows, retransmissions.
        Tcp = "tcp",
    }
}

/// The components of networks without requests over TCP.
pub const WITHOUT_TCP: usize = Component::Tcp as usize;
