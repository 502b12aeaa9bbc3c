//! What the tracker of every protocol emits.

use sojourn_core::Time;

use crate::{FlowId, Packet, Sink};

/// A transaction: a request with all of its attempts, and what answered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Its flow.
    pub flow: FlowId,
    /// Stamp of its first packet.
    pub begin: Time,
    /// Stamp of the packet that completed it; `None` unless it was answered or refused.
    pub end: Option<Time>,
    /// Times it was sent, from 1.
    pub attempts: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// User data of the request in bytes.
    pub request_bytes: u32,
    /// User data of the answer in bytes, 0 for an acknowledgement.
    pub answer_bytes: u32,
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It was acknowledged or answered.
    Answered,
    /// Its service expects no answer: it was sent, as often as `attempts`.
    Sent,
    /// Its initiator gave up, as far as the capture shows.
    Unanswered,
    /// The other side refused it: a reset, a DM, a failed authentication.
    Refused,
    /// The capture ended first.
    Open,
    /// It began before the capture did: its response time and attempts are unknown.
    BeganBefore,
}

/// Follows the transactions of one protocol. Its memory is bounded by a stated number of open transactions.
pub trait Tracker {
    /// Takes the next packet of the capture.
    fn packet(&mut self, packet: &Packet<'_>, out: &mut Sink);

    /// Ends the capture at `end`: every open transaction is reported.
    fn finish(&mut self, end: Time, out: &mut Sink);
}
