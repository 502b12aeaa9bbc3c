//! Events of the simulation.

use sojourn_engine::Queue;

use sojourn_model::timed::Step;

/// An event, with the index of the medium, station or source it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The next event of a medium is due.
    Medium(u32),
    /// A timer or the CPU of a station is due.
    Wake(u32),
    /// A source sends its next message.
    Arrival(u32),
    /// A source requests its link.
    Connect(u32),
    /// A user wants a session.
    SessionArrival(u32),
    /// A timer of a session is due.
    Session(u32),
    /// An event of the scenario begins or ends.
    Step(Step),
}

/// The event queue.
pub type Events = Queue<Event>;
