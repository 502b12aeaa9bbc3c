//! Events of the simulation.

/// An event of the queueing network.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// A customer of a flow arrives from outside.
    Arrival { flow: u32 },
    /// A customer reaches the next station of its path.
    Visit { customer: u32 },
}
