//! The session-sender (RFC 8762, section 4.2): creates probes and matches their replies.

use thiserror::Error;

use super::error_estimate::ErrorEstimate;
use super::packet::{Probe, Reply};
use super::timestamp::Timestamp;

/// The sender of a session. It counts losses; its driver computes delays.
#[derive(Debug)]
pub struct Sender {
    session: u16,
    error: ErrorEstimate,
    /// One above the highest sequence number of a probe.
    sent: u32,
    received: u32,
    /// One above the highest sequence number of a reply.
    replies: u32,
    /// Whether a reply had another sequence number than its probe: the reflector is stateful.
    stateful: bool,
}

/// Packets of a session lost in each direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Losses {
    /// Probes that did not reach the reflector.
    pub forward: u32,
    /// Replies that did not reach the sender.
    pub backward: u32,
}

/// Why a reply is not for this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unexpected {
    /// The reply belongs to another session.
    #[error("reply of session {0}")]
    Session(u16),
    /// The probe was not sent.
    #[error("reply to probe {0}, which was not sent")]
    Sequence(u32),
}

impl Sender {
    /// A sender of a session, with the error estimate of its clock.
    pub fn new(session: u16, error: ErrorEstimate) -> Sender {
        Sender { session, error, sent: 0, received: 0, replies: 0, stateful: false }
    }

    /// Creates a probe with a sequence number above all before it.
    pub fn probe(&mut self, sequence: u32, unix_ns: u64) -> Probe {
        self.sent = sequence.saturating_add(1);
        let timestamp = Timestamp::of(unix_ns, self.error.format);
        Probe { sequence, timestamp, error: self.error, session: self.session }
    }

    /// Processes a reply to a probe of this session. A reflector without RFC 8972 sends SSID 0.
    pub fn take(&mut self, reply: &Reply) -> Result<(), Unexpected> {
        if reply.session != self.session && reply.session != 0 {
            return Err(Unexpected::Session(reply.session));
        }
        if reply.probe_sequence >= self.sent {
            return Err(Unexpected::Sequence(reply.probe_sequence));
        }
        self.received = self.received.saturating_add(1);
        self.replies = self.replies.max(reply.sequence.saturating_add(1));
        self.stateful |= reply.sequence != reply.probe_sequence;
        Ok(())
    }

    /// Losses in each direction, once the reflector is known to be stateful. Losses after the last reply count as forward
    /// losses; a duplicated reply hides one backward loss.
    pub fn losses(&self) -> Option<Losses> {
        self.stateful.then(|| Losses {
            forward: self.sent.saturating_sub(self.replies),
            backward: self.replies.saturating_sub(self.received),
        })
    }
}
