//! Events of the simulation.

use sojourn_engine::Queue;
use sojourn_model::timed::Step;

/// An event, with the index of what it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The frame that a port sends ends.
    LineEnd(u32),
    /// A port may enable its driver.
    Start(u32),
    /// A node has taken notice of the frame it received; void after a loss of power since (the second number).
    Notice(u32, u32),
    /// A timer of a node of the trunk is due.
    Timer(u16),
    /// A source's next message is due.
    Fire(u32),
    /// The reply of a station to a packet is ready.
    Ready(u32),
    /// A station postpones its reply; void after a loss of power since.
    Postpone(u32, u32),
    /// A router has forwarded a packet.
    Forward(u32),
    /// A packet arrives over an IP network.
    Arrive(u32),
    /// The timeout of a request, by its number and serial.
    Expire(u32, u32),
    /// An event of the scenario begins or ends.
    Step(Step),
}

/// The event queue.
pub type Events = Queue<Event>;
