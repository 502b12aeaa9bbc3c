//! Events of the simulation.

use sojourn_engine::Queue;

use sojourn_model::timed::Step;

/// An event, with the index of what it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A medium is due: a transmission begins, or the busy period ends.
    Medium(u16),
    /// A member of a channel over an IP network begins to send a packet, or has sent it.
    Interface(u32),
    /// A datagram arrives.
    Datagram(u32),
    /// A member has waited long enough for a packet of a session.
    Escrow(u32),
    /// A source's next message is due.
    Fire(u32),
    /// The application has built a message.
    Built(u32),
    /// The network processor has formed a packet.
    Formed(u32),
    /// The network processor has processed a received packet.
    Processed(u32),
    /// The application has handled a message.
    Handled(u32),
    /// A timer of a protocol machine is due.
    Wake(u32),
    /// An event of the scenario begins or ends.
    Step(Step),
}

/// The event queue.
pub type Events = Queue<Event>;
