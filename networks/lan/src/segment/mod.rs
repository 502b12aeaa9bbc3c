//! A wire that several stations share, half duplex: CSMA/CD (IEEE 802.3, clause 4) and PLCA (clause 148).
//!
//! | file | concern |
//! |---|---|
//! | `settings.rs`, `scenario.rs` | what a wire and its nodes are set to, and how a scenario says so |
//! | `bus.rs`, `node.rs` | the wire as signals between nodes, each with its protocol machines: CSMA/CD, and PLCA whatever its settings |
//! | `turns.rs` | PLCA that is set up right, in one step for each opportunity that is used |
//! | `tally.rs` | what is counted |
//!
//! A signal reaches each other node after the propagation between the two, so that carrier, collisions and silence are each node's own. The
//! outputs of the packet network hold the queues: a node asks for its next frame when its MAC is done with the one before.

mod bus;
mod node;
pub mod scenario;
pub mod settings;
mod tally;
mod turns;

use sojourn_core::{CopyKey, Duration, Rekey, Streams, Time};

use bus::Bus;
pub use settings::SegmentSettings;
pub use tally::{ATTEMPTS, NodeTally, SegmentTally};
use turns::Turns;

/// A wire and the MACs of its nodes.
#[derive(Clone, Debug)]
pub enum Segment {
    /// By signals between machines.
    Bus(Box<Bus>),
    /// Turn after turn.
    Turns(Box<Turns>),
}

/// A frame for a node's MAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Under which number the caller knows it.
    pub packet: u32,
    /// Bits from preamble to end delimiter.
    pub bits: u32,
    /// The node that it is for.
    pub to: u32,
    /// When it joined the queue before the wire.
    pub queued: Time,
}

/// What happens on a wire that concerns the outputs before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentEvent {
    /// A node's MAC takes another frame.
    Free(u32),
    /// A frame's last bit is at the node that it is for.
    Arrived(Passage),
    /// A frame is lost: given up by the node's MAC, or destroyed on the wire.
    Lost {
        /// The node that sent it.
        node: u32,
        /// The frame.
        packet: u32,
    },
}

/// A frame that has crossed a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The frame.
    pub packet: u32,
    /// The node that sent it.
    pub node: u32,
    /// When it joined the queue before the wire, when the MAC took it, and when that started its first attempt.
    pub queued: Time,
    /// See `queued`.
    pub taken: Time,
    /// See `queued`.
    pub first: Time,
    /// From then until the first bit of the transmission that succeeded, without `collided`.
    pub access: Duration,
    /// Of attempts that collided, with their backoff.
    pub collided: Duration,
}

impl Segment {
    /// A silent wire.
    pub fn new(settings: &SegmentSettings, streams: &Streams) -> Segment {
        match settings.takes_turns() {
            true => Segment::Turns(Box::new(Turns::new(settings, streams))),
            false => Segment::Bus(Box::new(Bus::new(settings, streams))),
        }
    }

    /// The same by signals, whatever its settings.
    #[cfg(test)]
    pub fn of_signals(settings: &SegmentSettings, streams: &Streams) -> Segment {
        Segment::Bus(Box::new(Bus::new(settings, streams)))
    }

    /// A node's MAC takes a frame; only after [`SegmentEvent::Free`], and once at first.
    pub fn offer(&mut self, now: Time, node: u32, frame: Offered, events: &mut Vec<SegmentEvent>) {
        match self {
            Segment::Bus(bus) => bus.offer(now, node, frame, events),
            Segment::Turns(turns) => turns.offer(now, node, frame),
        }
    }

    /// When something happens on it next; [`Time::NEVER`] while nothing will.
    pub fn next_time(&self) -> Time {
        match self {
            Segment::Bus(bus) => bus.next_time(),
            Segment::Turns(turns) => turns.next_time(),
        }
    }

    /// Runs what is due first, at or before `limit`; returns when that was.
    pub fn advance(&mut self, limit: Time, events: &mut Vec<SegmentEvent>) -> Option<Time> {
        match self {
            Segment::Bus(bus) => bus.advance(limit, events),
            Segment::Turns(turns) => turns.advance(limit, events),
        }
    }

    /// A node gets or loses power, or the wire; what its MAC held is lost.
    pub fn power(&mut self, now: Time, node: u32, on: bool, events: &mut Vec<SegmentEvent>) {
        match self {
            Segment::Bus(bus) => bus.power(now, node, on, events),
            Segment::Turns(_) => assert!(on, "wires whose nodes lose power are simulated by signals"),
        }
    }

    /// Counts begin again.
    pub fn reset_tally(&mut self, now: Time) {
        if let Segment::Turns(turns) = self {
            turns.count_idle(now);
        }
        self.tally_mut().reset(now);
    }

    /// What was counted.
    pub fn tally(&mut self, now: Time) -> SegmentTally {
        if let Segment::Turns(turns) = self {
            turns.count_idle(now);
        }
        self.tally_mut().clone()
    }

    fn tally_mut(&mut self) -> &mut SegmentTally {
        match self {
            Segment::Bus(bus) => &mut bus.tally,
            Segment::Turns(turns) => &mut turns.tally,
        }
    }
}

impl Rekey for Segment {
    fn rekey(&mut self, copy: CopyKey) {
        match self {
            Segment::Bus(bus) => bus.rekey(copy),
            Segment::Turns(turns) => turns.rekey(copy),
        }
    }
}

#[cfg(test)]
mod tests;
