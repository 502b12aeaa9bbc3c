//! Delay budget of a round trip.

use sojourn_model::latency_components;

latency_components! {
    /// A component of the delay budget of a block's last octet.
    enum Component {
        /// Processing in the PCs' programs.
        Application = "application",
        /// Serial lines, flow control included.
        SerialLine = "serial-line",
        /// In a TNC, until the packet is complete (PACLEN, PACTIME).
        PacketFormation = "packet-formation",
        /// CPU time of frames.
        Processors = "processors",
        /// Waiting for a CPU.
        Queues = "queues",
        /// Waiting in a link: the window is full, or the peer is busy (RNR).
        WaitingForWindow = "waiting-for-window",
        /// Waiting for the channel, until key-up.
        WaitingForChannel = "waiting-for-channel",
        /// Key-up delay (TXDELAY).
        TransmitDelay = "transmit-delay",
        /// Transmission, earlier frames of the burst included.
        Transmission = "transmission",
        /// From the first transmission of a lost frame to its last.
        Retransmission = "retransmission",
        /// In nodes and switches: windows, timers and retransmissions of layers 3 and 4.
        NetworkLayers = "network-layers",
    }
}
