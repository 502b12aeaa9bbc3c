//! Counters of a ring.

use sojourn_core::Duration;

/// Totals of a ring since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Claim processes, the one at the start included.
    pub claims: u64,
    /// Tokens lost by a fault.
    pub tokens_lost: u64,
    /// Frames whose transmission began.
    pub frames: u64,
    /// MAC lengths of those, in bytes.
    pub octets: u64,
    /// Time of those on the ring, preambles included.
    pub busy: Duration,
    /// Frames that a fault lost or spoilt, or a claim cut off.
    pub damaged: u64,
}

/// Totals of one MAC since the last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MacTally {
    /// Tokens that the MAC captured to send frames.
    pub tokens_captured: u64,
    /// Tokens that came after its rotation timer had run out.
    pub late_tokens: u64,
    /// Frames sent in the synchronous class.
    pub synchronous_frames: u64,
    /// Frames sent in the asynchronous class.
    pub asynchronous_frames: u64,
    /// The most synchronous frames it sent for one token.
    pub most_synchronous_per_token: u32,
    /// The most asynchronous frames it sent for one token.
    pub most_asynchronous_per_token: u32,
}
