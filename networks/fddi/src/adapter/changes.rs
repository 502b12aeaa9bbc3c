//! State changed by a scenario's events in a replication. A replication without events has none of this.

use sojourn_core::{Streams, Time};

use super::effect::{Effect, Timeline};
use sojourn_model::Replication;
use sojourn_model::timed::Timed;

/// What events have changed.
#[derive(Clone, Debug)]
pub struct Changes<'a> {
    /// The events.
    pub timed: Timed<'a, Effect>,
    /// Whether the adapter is off.
    pub off: bool,
    /// Whether the fibre is interrupted.
    pub down: bool,
    /// Bypasses of the adapter that are switching.
    pub switching: u32,
    /// Random streams of what begins anew.
    pub streams: Streams,
    /// How often the interference has changed.
    pub interferences: u32,
}

impl<'a> Changes<'a> {
    /// Nothing has happened yet.
    pub fn new(timeline: &'a Timeline, replication: &Replication<'_>) -> Self {
        let streams = Streams::new(replication.seed, replication.index);
        let from = Time::ZERO + replication.warm_up;
        let timed = Timed::new(&timeline.plan, &streams, from, from + replication.duration);
        Changes { timed, off: false, down: false, switching: 0, streams, interferences: 0 }
    }

    /// A stream for the interference of other nodes that begins anew.
    pub fn interference(&mut self) -> sojourn_core::Stream {
        self.interferences += 1;
        self.streams.stream(&format!("bus/interference/{}", self.interferences))
    }
}
