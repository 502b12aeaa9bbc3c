//! Events of the simulation.

use sojourn_engine::Queue;
use sojourn_model::timed::Step;

/// An event, with the index of what it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A source's next message is due.
    Fire(u32),
    /// A station's processor has done its job.
    Cpu(u32),
    /// A timer of a source's session is due.
    Wake(u32),
    /// An application has the answer to a request: a frame.
    Answer(u32),
    /// A port may take part in arbitration again.
    Release(u32),
    /// A port may have collected frames for a datagram for long enough.
    Collected(u32),
    /// A frame arrives in a datagram.
    Datagram(u32),
    /// A port may have waited long enough after bus-off.
    Recover(u32),
    /// A fault hits a bus.
    Fault(u16),
    /// A bus is due: a frame, an error or the intermission ends, or an idle bus has been offered a frame.
    Bus(u16),
    /// An event of the scenario begins or ends.
    Step(Step),
}

/// The event queue.
pub type Events = Queue<Event>;
