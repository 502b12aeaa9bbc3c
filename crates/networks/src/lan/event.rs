//! Events at the hosts.

use sojourn_engine::Queue;

/// What happens at hosts. Packets and the rest are told by number.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A client makes a request.
    Ask(u32),
    /// A client looks whether its answer is late.
    LookForAnswer(u32),
    /// A transfer begins.
    Begin(u32),
    /// An end of a transfer looks after its timers.
    LookAfterTimers(u32),
    /// A processor has made a packet.
    Made(u32),
    /// An adapter has it.
    Stored(u32),
    /// A packet that came interrupts its host.
    Interrupt(u32),
    /// The processor has taken it in.
    Taken(u32),
}

/// Pending events and the virtual clock.
pub type Events = Queue<Event>;
