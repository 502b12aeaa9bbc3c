//! The latency budget of a packet, and of an exchange from those of its two directions.

use sojourn_core::Duration;

/// Component to which a step of a packet's path is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Component {
    /// The sender's processor works on the packet.
    SenderProcessor,
    /// Adapters copy it between their memory and the host's.
    Adapters,
    /// At the head of the medium access queue, until its first bit is on the ring.
    WaitingForToken,
    /// From its first to its last bit.
    Transmission,
    /// Fibre and the stations that repeat it.
    Propagation,
    /// Stored and forwarded by routers.
    Routers,
    /// All that lost packets cost.
    Retransmission,
    /// Waiting for a processor or an adapter.
    Queues,
    /// The receiver's processor works on the packet.
    ReceiverProcessor,
}

impl From<Component> for usize {
    fn from(component: Component) -> usize {
        component as usize
    }
}

/// The components by index, as metrics name them.
pub const COMPONENTS: [&str; 9] = [
    "sender-processor",
    "adapters",
    "waiting-for-token",
    "transmission",
    "propagation",
    "routers",
    "retransmission",
    "queues",
    "receiver-processor",
];

/// The account of one packet.
pub type Trip = crate::common::latency_budget::Trip<{ COMPONENTS.len() }>;

/// Time by component.
pub type Spent = [Duration; COMPONENTS.len()];

/// Two one-way accounts as one half of both, to the picosecond: the parts add up to half of the whole, rounded down.
pub fn half(there: &Spent, back: &Spent) -> Spent {
    let (mut whole, mut given) = (Duration::ZERO, Duration::ZERO);
    std::array::from_fn(|component| {
        whole += there[component] + back[component];
        let part = Duration::from_picoseconds(whole.picoseconds() / 2) - given;
        given += part;
        part
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_two_accounts_adds_up_to_half_of_their_sum() {
        let odd = |n: u64| std::array::from_fn(|component| Duration::from_picoseconds(n + 2 * component as u64));
        let (there, back) = (odd(1), odd(4));
        let whole: Duration = there.iter().chain(&back).copied().sum();
        let parts: Duration = half(&there, &back).into_iter().sum();
        assert_eq!(parts.picoseconds(), whole.picoseconds() / 2);
    }
}
