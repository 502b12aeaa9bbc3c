//! Events of the simulation.

use sojourn_engine::Queue;

use sojourn_model::timed::Step;

/// The events of rings, hosts and users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A ring is due: its token arrives, or a frame begins.
    Ring(u16),
    /// A ring loses its token.
    LoseToken(u16),
    /// A processor has finished a job.
    Processor(u32),
    /// An adapter has copied a frame out of its host.
    Offer(u32),
    /// An adapter has copied a frame into its host.
    Received(u32),
    /// A router passes a frame on.
    Forward(u32),
    /// A host's XTP timer is due.
    Wake(u32),
    /// A generator offers frames.
    Load(u16),
    /// Messages arrive at a stream's user.
    Arrival(u32),
    /// A voice FIFO holds a packet.
    Filled(u32),
    /// A pause of a voice channel is over.
    Speak(u32),
    /// An exchange has had its time.
    Overdue(u64),
    /// An event of the scenario begins or ends.
    Step(Step),
    /// A station has entered a ring or left it: the ring, and its MAC.
    Bypassed(u16, u32),
    /// The association of a stream is opened again.
    Reopen(u32),
}

/// Pending events and the virtual clock.
pub type Events = Queue<Event>;
