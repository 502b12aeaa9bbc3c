//! Events of the simulation.

use sojourn_model::timed::Step;

/// An event of the queueing network.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// A customer of a flow arrives from outside, unless the flow has stopped since.
    Arrival { flow: u32 },
    /// A customer reaches the next station of its path.
    Visit { customer: u32 },
    /// A customer has been served, unless an outage has interrupted the service.
    Departure { customer: u32 },
    /// An event of the scenario begins or ends.
    Step(Step),
}
