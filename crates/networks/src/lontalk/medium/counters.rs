//! What a medium counts.

use sojourn_core::Duration;

/// Totals since the last reset.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Packets received correctly.
    pub correct: u64,
    /// LPDU bytes of those.
    pub bytes: u64,
    /// Groups of overlapping packets, each one CRC error at an analyser.
    pub collisions: u64,
    /// Lone packets spoilt by bit errors.
    pub corrupted: u64,
    /// Time the channel carried signals.
    pub busy: Duration,
    /// Integral of all stations' backlogs over time, in picoseconds.
    pub backlog: u128,
    /// Largest backlog any station held.
    pub backlog_max: u8,
    /// Rises of a backlog that its cap cut.
    pub backlog_overflows: u64,
    /// Packets dropped after too many collisions.
    pub dropped: u64,
}
