//! Events of the simulation.

use sojourn_engine::Queue;

use super::interface::Work;
use sojourn_model::timed::Step;

/// The events of the bus, the ring and the adapter's stages.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// The bus arbitrates.
    Arbitrate,
    /// A transaction of the adapter is over.
    Done(Work),
    /// A node's read is answered.
    NodeAnswered(u32),
    /// A memory bank has data.
    Answer(u32),
    /// A burst of other nodes' requests.
    Interference,
    /// The source has a frame for the adapter.
    FrameDue,
    /// A frame that waited for a token comes in, of this length.
    FrameComes(u32),
    /// A burst of the incoming frame is there.
    Burst,
    /// The head of the control stage's queue is ready.
    Parsed,
    /// The control stage's work on a frame is over.
    Controlled,
    /// A hexaword is staged for the bus.
    Staged,
    /// A staging buffer of the transmit channel is free.
    Unstaged,
    /// The driver has a frame to send.
    Request,
    /// The next frame may leave.
    ReadyToSend,
    /// Its first bit leaves.
    FirstBit,
    /// The fibre takes a burst.
    Leaves,
    /// The token ring.
    Ring,
    /// An event of the scenario begins or ends.
    Step(Step),
    /// A bypass of the adapter has switched.
    Bypassed,
}

impl Event {
    /// Whether it is lost with what the adapter holds.
    pub const fn is_of_adapter(&self) -> bool {
        match self {
            Event::Done(_)
            | Event::Burst
            | Event::Parsed
            | Event::Controlled
            | Event::Staged
            | Event::Unstaged
            | Event::Request
            | Event::ReadyToSend
            | Event::FirstBit
            | Event::Leaves => true,
            Event::Arbitrate
            | Event::NodeAnswered(_)
            | Event::Answer(_)
            | Event::Interference
            | Event::FrameDue
            | Event::FrameComes(_)
            | Event::Ring
            | Event::Step(_)
            | Event::Bypassed => false,
        }
    }
}

/// Pending events and the virtual clock.
pub type Events = Queue<Event>;
