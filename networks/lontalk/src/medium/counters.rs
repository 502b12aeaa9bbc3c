//! Counters of a medium.

use sojourn_core::Duration;

/// Counters of a medium since the last reset.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Packets received without collision or bit error.
    pub correct: u64,
    /// Bytes of their LPDUs.
    pub bytes: u64,
    /// Collisions: groups of overlapping packets, each a CRC error at a protocol analyser.
    pub collisions: u64,
    /// Packets sent.
    pub frames: u64,
    /// Those of them that an overlap destroyed.
    pub overlapped: u64,
    /// Packets without collision lost to bit errors.
    pub corrupted: u64,
    /// Time during which the channel was busy.
    pub busy: Duration,
    /// Integral of all stations' backlogs over time, in picoseconds.
    pub backlog: u128,
    /// Largest backlog estimate of any station.
    pub backlog_max: u8,
    /// Increases of a backlog limited by the cap.
    pub backlog_overflows: u64,
    /// Packets dropped at the collision limit.
    pub dropped: u64,
}
