//! The latency budget of a packet, and of an exchange as the sum of those of its two directions.

use sojourn_core::Duration;

use sojourn_model::latency_components;

latency_components! {
    /// Component to which a step of a packet's path is accounted.
    enum Component {
        /// The sender's processor works on the packet.
        SenderProcessor = "sender-processor",
        /// Adapters copy it between their memory and the host's.
        Adapters = "adapters",
        /// At the head of the medium access queue, until its first bit is on the ring.
        WaitingForToken = "waiting-for-token",
        /// From its first to its last bit.
        Transmission = "transmission",
        /// Fibre and the stations that repeat it.
        Propagation = "propagation",
        /// Stored and forwarded by routers.
        Routers = "routers",
        /// All that lost packets cost.
        Retransmission = "retransmission",
        /// Waiting for a processor or an adapter.
        Queues = "queues",
        /// The receiver's processor works on the packet.
        ReceiverProcessor = "receiver-processor",
    }
}

/// Time by component, in the order of [`COMPONENTS`].
pub type Components = [Duration; COMPONENTS.len()];

/// Half of two one-way budgets: the components add up to half of the round trip, rounded down to the picosecond.
pub fn half(forward: &Components, back: &Components) -> Components {
    let (mut whole, mut given) = (Duration::ZERO, Duration::ZERO);
    std::array::from_fn(|component| {
        whole += forward[component] + back[component];
        let part = Duration::from_picoseconds(whole.picoseconds() / 2) - given;
        given += part;
        part
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_two_budgets_adds_up_to_half_of_their_sum() {
        let odd = |n: u64| std::array::from_fn(|component| Duration::from_picoseconds(n + 2 * component as u64));
        let (forward, back) = (odd(1), odd(4));
        let whole: Duration = forward.iter().chain(&back).copied().sum();
        let parts: Duration = half(&forward, &back).into_iter().sum();
        assert_eq!(parts.picoseconds(), whole.picoseconds() / 2);
    }
}
