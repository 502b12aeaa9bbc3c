//! One question within a session, asked until it is answered.

use sojourn_core::{Machine, Time};
use thiserror::Error;

use super::patience::{Next, Patience};
use crate::probe::wire::{Packet, Pdu, Reason, Report};

/// Asks the agent to start or stop its load, to tell what it counted, or to close. It begins when it is first woken.
#[derive(Clone, Debug)]
pub struct Request {
    packet: Packet,
    patience: Patience,
    pending: bool,
    outcome: Option<Result<Report, RequestFailure>>,
}

/// Why there is no report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RequestFailure {
    /// The agent has gone, or the way to it.
    #[error("the agent no longer answers")]
    NoAnswer,
    /// The agent told why not.
    #[error("the agent refuses: {0}")]
    Refused(Reason),
    /// The session is over.
    #[error("the session ended: {reason}")]
    Ended {
        /// Why.
        reason: Reason,
        /// What the agent had counted.
        report: Report,
    },
}

impl Request {
    pub(super) fn new(packet: Packet, now: Time) -> Request {
        Request { packet, patience: Patience::from(now), pending: false, outcome: None }
    }

    /// The report or why there is none, once that is known.
    pub fn outcome(&self) -> Option<Result<Report, RequestFailure>> {
        self.outcome
    }

    fn answer(&self, packet: Packet) -> Option<Result<Report, RequestFailure>> {
        let answers = packet.token == self.packet.token && packet.sequence == self.packet.sequence;
        match packet.pdu {
            Pdu::Report(report) if answers => Some(Ok(report)),
            Pdu::Refused { reason, .. } if answers => Some(Err(RequestFailure::Refused(reason))),
            Pdu::Closed { report, .. } if answers && self.packet.pdu == Pdu::Close => Some(Ok(report)),
            Pdu::Closed { reason, report } if packet.token == self.packet.token => {
                Some(Err(RequestFailure::Ended { reason, report }))
            }
            _ => None,
        }
    }
}

impl Machine for Request {
    /// What came from the agent, as [`Session::decode`](super::Session::decode) gives it.
    type Input = Packet;
    /// To the agent.
    type Output = Packet;

    fn handle(&mut self, _now: Time, packet: Packet) {
        self.outcome = self.outcome.or_else(|| self.answer(packet));
    }

    fn wake(&mut self, now: Time) {
        if self.outcome.is_some() {
            return;
        }
        match self.patience.next(now) {
            Next::Wait => {}
            Next::Ask => self.pending = true,
            Next::GiveUp => self.outcome = Some(Err(RequestFailure::NoAnswer)),
        }
    }

    fn poll_output(&mut self) -> Option<Packet> {
        std::mem::take(&mut self.pending).then_some(self.packet)
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.outcome.is_none().then(|| self.patience.due())
    }
}
