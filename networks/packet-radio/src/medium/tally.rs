//! Counters of a channel.

use sojourn_core::Duration;

/// Totals of a channel since the last reset; frames and transmissions are counted, times are in virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Transmissions (key-ups).
    pub key_ups: u64,
    /// Transmissions that overlapped another, whether or not a station heard both.
    pub overlapped: u64,
    /// Frames transmitted.
    pub frames: u64,
    /// Octets of those, without FCS.
    pub octets: u64,
    /// Frames truncated by a transmitter's watchdog.
    pub cut: u64,
    /// Frames received by the listeners they are for.
    pub good: u64,
    /// Frames of those that had wrong octets, all of which error correction corrected.
    pub repaired: u64,
    /// Wrong octets of those, data and check octets alike.
    pub corrected_octets: u64,
    /// Frames lost to such a listener in a collision.
    pub collided: u64,
    /// Frames lost to bit errors.
    pub corrupted: u64,
    /// Frames lost because the listener transmitted or its receiver recovered from that.
    pub while_transmitting: u64,
    /// Time during which at least one carrier was on.
    pub busy: Duration,
}
