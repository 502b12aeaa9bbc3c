//! Interference from other nodes on the bus: bursts of transactions that several of them request at the same instant.

use sojourn_core::{Duration, Stream, Time, rekey_fields};
use sojourn_engine::arrivals::{Arrivals, Process};

use super::CYCLE;

/// Nodes that interfere: all of a full bus but the adapter.
pub const NODES: u32 = 13;

/// How other nodes load the bus.
#[derive(Clone, Copy, Debug)]
pub struct InterferenceSettings {
    /// Share of all cycles, below 1.
    pub share: f64,
    /// Mean cycles of a transaction, 1 to 5.
    pub length: f64,
    /// Nodes in a burst, 1 to 13.
    pub burst: u32,
    /// Whether bursts come at even intervals, not at random.
    pub periodic: bool,
}

/// The generator of one replication.
#[derive(Clone, Debug)]
pub struct Interference {
    settings: InterferenceSettings,
    process: Process,
    stream: Stream,
    /// The node whose turn it is to be first in a burst.
    first: u32,
}

impl Interference {
    /// The generator; none when others ask for nothing.
    pub fn new(settings: InterferenceSettings, stream: Stream) -> Option<Self> {
        let seconds = f64::from(settings.burst) * settings.length * CYCLE.seconds() / settings.share;
        let spacing = Duration::from_seconds(seconds).filter(|_| settings.share > 0.0)?;
        let arrivals = match settings.periodic {
            true => Arrivals::Periodic { period: spacing, jitter: Duration::ZERO },
            false => Arrivals::Poisson { mean_gap: spacing },
        };
        Some(Interference { settings, process: arrivals.start(), stream, first: 0 })
    }

    /// When the next burst begins after the one at `last`.
    #[inline]
    pub fn next(&mut self, last: Time) -> Time {
        self.process.next(last, &mut self.stream).expect("bursts go on")
    }

    /// The nodes of a burst; they take turns.
    #[inline]
    pub fn nodes(&mut self) -> impl Iterator<Item = u32> + use<> {
        let first = self.first;
        self.first = (first + self.settings.burst) % NODES;
        (first..first + self.settings.burst).map(|node| node % NODES)
    }

    /// The cycles of one transaction.
    #[inline]
    pub fn length(&mut self) -> u64 {
        let shorter = self.settings.length as u64;
        let rest = self.settings.length - shorter as f64;
        if rest > 0.0 && self.stream.unit() < rest { shorter + 1 } else { shorter }
    }
}

rekey_fields!(Interference { stream });
