//! What the time of an exchange is charged to.

/// What a step of a datagram's way, and of its answer's, is charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Component {
    /// The client's processor sends and receives.
    Client,
    /// The server's processor receives and sends.
    Server,
    /// Waiting for a processor.
    ProcessorQueue,
    /// In the sender's adapter, until the first bit leaves.
    Adapter,
    /// Cells that leave later than back to back: rate control, other circuits of the adapter.
    Pacing,
    /// Bits on links.
    Transmission,
    /// The latency of switches.
    Switching,
    /// The links' lengths.
    Propagation,
    /// All else on the way: waiting in switches.
    Queueing,
    /// In the receiver's adapter, from the last bit to the interrupt.
    ReceiveDelay,
}

impl From<Component> for usize {
    fn from(component: Component) -> usize {
        component as usize
    }
}

/// The components by index, as metrics name them.
pub const COMPONENTS: [&str; 10] = [
    "client",
    "server",
    "processor-queue",
    "adapter",
    "pacing",
    "transmission",
    "switching",
    "propagation",
    "queueing",
    "receive-delay",
];

/// The account of one exchange.
pub type Trip = crate::common::latency_budget::Trip<{ COMPONENTS.len() }>;
