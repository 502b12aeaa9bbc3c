//! What a channel counts.

use sojourn_core::Duration;

/// Totals of a channel since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Transmitters keyed.
    pub key_ups: u64,
    /// Those whose carrier was on together with another, heard by the same stations or not.
    pub overlapped: u64,
    /// Frames that ended.
    pub frames: u64,
    /// Their octets, without FCS.
    pub octets: u64,
    /// Frames that a transmitter's watchdog cut off.
    pub cut: u64,
    /// Frames received by listeners they concern.
    pub good: u64,
    /// Those that another carrier spoilt for such a listener.
    pub collided: u64,
    /// Those that bit errors spoilt.
    pub corrupted: u64,
    /// Those that came while the listener transmitted or its receiver recovered from that.
    pub while_transmitting: u64,
    /// Time in which at least one carrier was on.
    pub busy: Duration,
}
