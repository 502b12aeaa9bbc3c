//! A request within a session, retransmitted until answered.

use sojourn_core::{Machine, Time};
use thiserror::Error;

use super::retry::{Next, Retry};
use crate::probe::wire::{Packet, Pdu, PhaseReport, Reason, Report};

/// Requests the agent to start or stop load, to report its counters, or to close. It starts when first woken.
#[derive(Clone, Debug)]
pub struct Request {
    packet: Packet,
    retry: Retry,
    pending: bool,
    answer: Option<Result<Answer, RequestError>>,
}

/// What the agent answered.
#[derive(Clone, Copy, Debug)]
enum Answer {
    Session(Report),
    Phase(PhaseReport),
}

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// No response arrived within the timeout.
    #[error("the agent no longer responds")]
    NoResponse,
    /// The agent refused the request.
    #[error("the agent refused: {0}")]
    Refused(Reason),
    /// The session has ended.
    #[error("the session ended: {reason}")]
    Ended {
        /// Reason of the end.
        reason: Reason,
        /// Final counters of the agent.
        report: Report,
    },
}

impl Request {
    pub(super) fn new(packet: Packet, now: Time) -> Request {
        Request { packet, retry: Retry::from(now), pending: false, answer: None }
    }

    /// The session's counters or the error, once known.
    pub fn outcome(&self) -> Option<Result<Report, RequestError>> {
        match self.answer? {
            Ok(Answer::Session(report)) => Some(Ok(report)),
            Ok(Answer::Phase(_)) => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// The counters of the phase asked for, or the error, once known.
    pub fn phase_outcome(&self) -> Option<Result<PhaseReport, RequestError>> {
        match self.answer? {
            Ok(Answer::Phase(report)) => Some(Ok(report)),
            Ok(Answer::Session(_)) => None,
            Err(error) => Some(Err(error)),
        }
    }

    fn response(&self, packet: Packet) -> Option<Result<Answer, RequestError>> {
        let matches = packet.token == self.packet.token && packet.sequence == self.packet.sequence;
        match packet.pdu {
            Pdu::Report { report, .. } if matches => Some(Ok(Answer::Session(report))),
            Pdu::PhaseReport(report) if matches => Some(Ok(Answer::Phase(report))),
            Pdu::Refused { reason, .. } if matches => Some(Err(RequestError::Refused(reason))),
            Pdu::Closed { report, .. } if matches && self.packet.pdu == Pdu::Close => Some(Ok(Answer::Session(report))),
            Pdu::Closed { reason, report } if packet.token == self.packet.token => {
                Some(Err(RequestError::Ended { reason, report }))
            }
            _ => None,
        }
    }
}

impl Machine for Request {
    /// A packet from the agent, decoded by [`Session::decode`](super::Session::decode).
    type Input = Packet;
    /// A packet for the agent.
    type Output = Packet;

    fn handle(&mut self, _now: Time, packet: Packet) {
        self.answer = self.answer.or_else(|| self.response(packet));
    }

    fn wake(&mut self, now: Time) {
        if self.answer.is_some() {
            return;
        }
        match self.retry.next(now) {
            Next::Wait => {}
            Next::Send => self.pending = true,
            Next::GiveUp => self.answer = Some(Err(RequestError::NoResponse)),
        }
    }

    fn poll_output(&mut self) -> Option<Packet> {
        std::mem::take(&mut self.pending).then_some(self.packet)
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.answer.is_none().then(|| self.retry.due())
    }
}
