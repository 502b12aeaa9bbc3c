//! The session-sender (RFC 8762, section 4.2): creates probes and matches their replies.

use thiserror::Error;

use super::error_estimate::ErrorEstimate;
use super::packet::{Probe, Reply};
use super::timestamp::Timestamp;

/// The sender of a session. Its driver computes delays; [`Directions`](super::Directions) counts losses.
#[derive(Debug)]
pub struct Sender {
    session: u16,
    /// One above the highest sequence number of a probe.
    sent: u32,
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
    /// A sender of a session.
    pub fn new(session: u16) -> Sender {
        Sender { session, sent: 0 }
    }

    /// Creates a probe with a sequence number above all before it, or a copy of one of them; with the error estimate of the
    /// sender's clock, and timestamps of its format.
    pub fn probe(&mut self, sequence: u32, unix_ns: u64, error: ErrorEstimate) -> Probe {
        self.sent = self.sent.max(sequence.saturating_add(1));
        let timestamp = Timestamp::of(unix_ns, error.format);
        Probe { sequence, timestamp, error, session: self.session }
    }

    /// Checks that a reply is to a probe of this session. A reflector without RFC 8972 sends SSID 0.
    pub fn check(&self, reply: &Reply) -> Result<(), Unexpected> {
        if reply.session != self.session && reply.session != 0 {
            return Err(Unexpected::Session(reply.session));
        }
        if reply.probe_sequence >= self.sent {
            return Err(Unexpected::Sequence(reply.probe_sequence));
        }
        Ok(())
    }
}
