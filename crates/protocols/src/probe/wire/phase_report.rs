//! Counters of one phase of a measurement at the agent, and the agent's clocks.

use super::ParseError;
use crate::cursor::{Reader, Writer};

/// Error of a wall clock that is not synchronized, on the wire.
const UNSYNCHRONIZED_NS: u64 = u64::MAX;

/// What the agent received of a phase, and its clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseReport {
    /// Number of the phase.
    pub phase: u32,
    /// Probes received, each sequence number once.
    pub received: u64,
    /// Probes with a repeated sequence number, or one below the replay window.
    pub replayed: u64,
    /// Probes received after one with a higher sequence number (RFC 4737).
    pub reordered: u64,
    /// Datagrams that the agent's socket dropped meanwhile because its buffer was full, of all clients.
    pub socket_drops: u64,
    /// The agent's clocks when it reported.
    pub wall: WallClock,
}

/// The clock of an agent's timestamps, and its wall clock at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WallClock {
    /// Clock of the timestamps, ns.
    pub clock_ns: u64,
    /// Wall clock, ns since 1970-01-01 UTC.
    pub wall_ns: u64,
    /// Largest error of the wall clock, ns; `None` if it is not synchronized.
    pub error_ns: Option<u64>,
}

impl WallClock {
    /// A clock of unknown error, at no particular time.
    pub const UNSYNCHRONIZED: WallClock = WallClock { clock_ns: 0, wall_ns: 0, error_ns: None };
}

impl PhaseReport {
    pub(super) fn parse(reader: &mut Reader) -> Result<PhaseReport, ParseError> {
        Ok(PhaseReport {
            phase: reader.u32("phase")?,
            received: reader.u64("received")?,
            replayed: reader.u64("replayed")?,
            reordered: reader.u64("reordered")?,
            socket_drops: reader.u64("socket drops")?,
            wall: WallClock {
                clock_ns: reader.u64("clock")?,
                wall_ns: reader.u64("wall clock")?,
                error_ns: Some(reader.u64("clock error")?).filter(|error| *error != UNSYNCHRONIZED_NS),
            },
        })
    }

    pub(super) fn emit(&self, writer: &mut Writer) {
        writer.u32(self.phase);
        let WallClock { clock_ns, wall_ns, error_ns } = self.wall;
        let counts = [self.received, self.replayed, self.reordered, self.socket_drops];
        let clocks = [clock_ns, wall_ns, error_ns.unwrap_or(UNSYNCHRONIZED_NS)];
        counts.into_iter().chain(clocks).for_each(|number| writer.u64(number));
    }
}
