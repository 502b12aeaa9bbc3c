//! The latency budget of a frame in the adapter, from the timestamps of its stages.

use sojourn_model::latency_components;

latency_components! {
    /// Component to which a part of a frame's time is accounted.
    enum Component {
        /// From the last bit to packet memory.
        Storing = "storing",
        /// What the parser took after that.
        Parsing = "parsing",
        /// For the control stage, or for a host buffer.
        WaitingForControl = "waiting_for_control",
        /// In the control stage, the bus apart.
        Control = "control",
        /// For the bus: behind other nodes, other transactions of the adapter, and for its clock.
        WaitingForBus = "waiting_for_bus",
        /// On the bus and in memory, as if both were idle.
        BusAndMemory = "bus_and_memory",
        /// From packet memory through ring memory controller and chip set.
        RingMemory = "ring_memory",
        /// For the frame before on the fibre, for the ring's time or its token.
        WaitingForRing = "waiting_for_ring",
    }
}
