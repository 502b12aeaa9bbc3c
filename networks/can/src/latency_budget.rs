//! Delay budget of a probed message.

use sojourn_model::latency_components;

latency_components! {
    /// A component of the delay budget.
    enum Component {
        /// Processors of senders, until a frame is in the transmit queue.
        Send = "transmit-cpu",
        /// Behind frames of the same node.
        OwnQueue = "own-queue",
        /// While a frame of lower priority of another node was on the bus.
        Blocking = "blocking",
        /// While frames of higher priority of other nodes were.
        Interference = "interference",
        /// Frames that were destroyed, error frames, and waiting to take part after errors.
        Errors = "errors",
        /// On the bus, up to the end of the frame.
        Transmission = "transmission",
        /// Processors of receivers.
        Receive = "receive-cpu",
        /// Between frames of one message: separation times, packet intervals, timeouts.
        Pacing = "pacing",
        /// Stored by gateways.
        Gateways = "gateways",
        /// In datagrams of an IP network, collecting them included.
        IpNetwork = "ip-network",
    }
}
