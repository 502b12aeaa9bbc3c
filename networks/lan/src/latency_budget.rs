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
        /// On shared wires, from the MAC taking a frame to its first bit: deferring, and waiting for the turn.
        Access = "access",
        /// There, attempts that collided, with jam and backoff.
        Collisions = "collisions",
        /// Waiting for TCP: the handshake of a new connection, windows, retransmissions.
        Tcp = "tcp",
    }
}

/// Whether a component is one of networks with shared wires alone.
pub fn is_shared(component: usize) -> bool {
    component == Component::Access as usize || component == Component::Collisions as usize
}

/// Whether a component is one of networks with requests over TCP alone.
pub fn is_of_tcp(component: usize) -> bool {
    component == Component::Tcp as usize
}
