//! What the time of a round trip is charged to.

/// What a step of the way of a block's last octet is charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Component {
    /// The programs of the PCs.
    Application,
    /// Serial lines, with all that holds them up.
    SerialLine,
    /// In a TNC, until the packet is complete.
    PacketFormation,
    /// Processors work on the frame.
    Processors,
    /// Waiting for a processor.
    Queues,
    /// Held back by a link: the window is closed, or the peer is busy.
    WaitingForWindow,
    /// Ready, until the transmitter is keyed.
    WaitingForChannel,
    /// TXDELAY.
    TransmitDelay,
    /// On the air, with the frames before it in its burst.
    Transmission,
    /// All that lost frames cost.
    Retransmission,
    /// In nodes and switches: windows, timers and repetitions of layers 3 and 4.
    NetworkLayers,
}

impl From<Component> for usize {
    fn from(component: Component) -> usize {
        component as usize
    }
}

/// The components by index, as metrics name them.
pub const COMPONENTS: [&str; 11] = [
    "application",
    "serial-line",
    "packet-formation",
    "processors",
    "queues",
    "waiting-for-window",
    "waiting-for-channel",
    "transmit-delay",
    "transmission",
    "retransmission",
    "network-layers",
];

/// The account of one round trip.
pub type Trip = crate::common::latency_budget::Trip<{ COMPONENTS.len() }>;
