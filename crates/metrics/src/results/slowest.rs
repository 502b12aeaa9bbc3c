//! Transactions of a capture that are worth a look.

use serde::{Deserialize, Serialize};

/// A transaction that was slow, lost or sent again. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NotableTransaction {
    /// Its flow as a member of metrics' names.
    pub flow: String,
    /// Who asked.
    pub from: String,
    /// Who was asked.
    pub to: String,
    /// What it was.
    pub service: String,
    /// From the first packet of the request to the first of the answer; none without one.
    pub time: Option<f64>,
    /// When its first packet was captured, from the first of the capture.
    pub begin: f64,
    /// Numbers of its first packet and of the first of its answer, from 1 over all files; none of what was forgotten.
    pub frames: [Option<u64>; 2],
    /// Times it was sent.
    pub attempts: u32,
    /// How it ended: answered, unanswered, refused or open.
    pub outcome: String,
    /// Packets of its flow that were sent again in between.
    pub retransmissions: u64,
    /// How long windows of zero held its flow up.
    pub zero_window: f64,
    /// Requests to the same service that were asked before and answered in the meantime.
    pub queued_behind: u64,
    /// When the other side was first heard, if before the answer.
    pub heard: Option<f64>,
    /// What happened between, in words.
    pub why: String,
}
