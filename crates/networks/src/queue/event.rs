//! Events of the simulation.

/// What happens: a customer comes from outside, or one on its way reaches the next station.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    Arrival { flow: u32 },
    Visit { traveller: u32 },
}
