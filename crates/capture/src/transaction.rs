//! The transaction that every tracker emits.

use sojourn_core::Time;

use crate::{FlowId, Moment, Packet, Sink};

/// A transaction: a request with all of its attempts, and what answered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Its flow.
    pub flow: FlowId,
    /// Stamp of its first packet.
    pub begin: Time,
    /// Stamp of the first packet of its answer, or of what acknowledged or refused it; `None` of every other outcome.
    pub end: Option<Time>,
    /// Numbers of the packets with these stamps, as far as they are known.
    pub frames: [Option<u64>; 2],
    /// Times it was sent, from 1.
    pub attempts: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// User data of the request in bytes.
    pub request_bytes: u32,
    /// User data of the answer in bytes, 0 for an acknowledgement.
    pub answer_bytes: u32,
}

impl Transaction {
    /// From one packet to another, sent once, without user data.
    pub fn of(flow: FlowId, begin: Moment, end: Option<Moment>, outcome: Outcome) -> Transaction {
        Transaction {
            flow,
            begin: begin.time,
            end: end.map(|end| end.time),
            frames: [begin.frame, end.and_then(|end| end.frame)],
            attempts: 1,
            outcome,
            request_bytes: 0,
            answer_bytes: 0,
        }
    }

    /// Times it was sent again for want of an answer. A service without answers sends its copies in any case.
    pub const fn retries(&self) -> u32 {
        match self.outcome {
            Outcome::Sent => 0,
            _ => self.attempts.saturating_sub(1),
        }
    }
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
    /// It was answered while another request was open, and which of the answers was its own is not known.
    Overlapped,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_again_for_want_of_an_answer_is_retried_and_copies_of_a_service_without_answers_are_not() {
        let ended = |outcome| {
            let begin = Moment { time: Time::ZERO, frame: None };
            Transaction { attempts: 4, ..Transaction::of(FlowId(0), begin, None, outcome) }.retries()
        };
        assert_eq!([Outcome::Answered, Outcome::Unanswered, Outcome::Open].map(ended), [3; 3]);
        assert_eq!(ended(Outcome::Sent), 0);
    }
}
