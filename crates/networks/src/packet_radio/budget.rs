//! What the time of a round trip is charged to.

use crate::common::latency_budget::latency_components;

latency_components! {
    /// What a step of the way of a block's last octet is charged to.
    enum Component {
        /// The programs of the PCs.
        Application = "application",
        /// Serial lines, with all that holds them up.
        SerialLine = "serial-line",
        /// In a TNC, until the packet is complete.
        PacketFormation = "packet-formation",
        /// Processors work on the frame.
        Processors = "processors",
        /// Waiting for a processor.
        Queues = "queues",
        /// Held back by a link: the window is closed, or the peer is busy.
        WaitingForWindow = "waiting-for-window",
        /// Ready, until the transmitter is keyed.
        WaitingForChannel = "waiting-for-channel",
        /// TXDELAY.
        TransmitDelay = "transmit-delay",
        /// On the air, with the frames before it in its burst.
        Transmission = "transmission",
        /// All that lost frames cost.
        Retransmission = "retransmission",
        /// In nodes and switches: windows, timers and repetitions of layers 3 and 4.
        NetworkLayers = "network-layers",
    }
}
