//! The session-sender (RFC 8762 section 4.2): makes probes and knows their replies.

use thiserror::Error;

use super::error_estimate::ErrorEstimate;
use super::packet::{Probe, Reply};
use super::timestamp::Timestamp;

/// One session's sender. What it measures is the business of whoever keeps the times.
#[derive(Debug)]
pub struct Sender {
    session: u16,
    error: ErrorEstimate,
    /// One above the highest number that a probe had.
    sent: u32,
    received: u32,
    /// One above the highest number that a reply had.
    replies: u32,
    /// Whether a reply had another number than its probe: a stateful reflector.
    own_numbers: bool,
}

/// Where packets of a session were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Losses {
    /// Probes that the reflector never saw.
    pub there: u32,
    /// Replies that never came.
    pub back: u32,
}

/// Why a reply is not for this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unexpected {
    /// Another session's.
    #[error("the reply is of session {0}")]
    Session(u16),
    /// No such probe was sent.
    #[error("the reply is to probe {0}, which was not sent")]
    Sequence(u32),
}

impl Sender {
    /// A sender of one session, whose clock may be off by `error`.
    pub fn new(session: u16, error: ErrorEstimate) -> Sender {
        Sender { session, error, sent: 0, received: 0, replies: 0, own_numbers: false }
    }

    /// A probe of this number, sent at this instant; numbers rise.
    pub fn probe(&mut self, sequence: u32, unix_ns: u64) -> Probe {
        self.sent = sequence.saturating_add(1);
        let timestamp = Timestamp::of(unix_ns, self.error.format);
        Probe { sequence, timestamp, error: self.error, session: self.session }
    }

    /// Takes a reply that answers a probe of this session.
    ///
    /// A reflector that knows RFC 8762 alone leaves zeros where the session stands.
    pub fn take(&mut self, reply: &Reply) -> Result<(), Unexpected> {
        if reply.session != self.session && reply.session != 0 {
            return Err(Unexpected::Session(reply.session));
        }
        if reply.probe_sequence >= self.sent {
            return Err(Unexpected::Sequence(reply.probe_sequence));
        }
        self.received = self.received.saturating_add(1);
        self.replies = self.replies.max(reply.sequence.saturating_add(1));
        self.own_numbers |= reply.sequence != reply.probe_sequence;
        Ok(())
    }

    /// Where packets were lost, once a reflector has shown that it counts its replies itself. What was lost behind the
    /// last reply counts as lost on the way there; a copy that came twice hides one loss on the way back.
    pub fn losses(&self) -> Option<Losses> {
        self.own_numbers.then(|| Losses {
            there: self.sent.saturating_sub(self.replies),
            back: self.replies.saturating_sub(self.received),
        })
    }
}
