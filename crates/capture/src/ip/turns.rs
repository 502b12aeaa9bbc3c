//! Requests and answers of unknown applications, matched by the turns of the two sides.
//!
//! A request begins with the client's first data after data from the server, and ends with the server's first data.
//! What the client sends in between belongs to the same request, unless it shows to be another one: then requests overlap, and
//! which answer belongs to which is not known.

use sojourn_core::{Duration, Time};

use crate::{FlowId, Moment, Outcome, Sink, Transaction};

/// The exchange of one conversation.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    flow: FlowId,
    request: Option<Request>,
    /// Whether the server has answered before.
    has_answered: bool,
    /// The slowest answer so far; `None` before the first.
    slowest: Option<Duration>,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    begin: Moment,
    /// When the client sent last.
    last: Time,
    attempts: u32,
    octets: u32,
    /// When the answer began.
    answered: Option<Moment>,
    /// When the server sent last.
    completed: Time,
    answer_octets: u32,
    /// Whether another request was open at the same time.
    overlaps: bool,
}

impl Turns {
    /// A conversation in which nothing was asked yet.
    pub fn new(flow: FlowId) -> Turns {
        Turns { flow, request: None, has_answered: false, slowest: None }
    }

    /// Of a request that waits for its answer when the client sent last, and the slowest answer so far.
    pub fn waiting_since(&self) -> Option<(Time, Option<Duration>)> {
        let request = self.request.filter(|request| request.answered.is_none())?;
        Some((request.last, self.slowest))
    }

    /// The client sends data.
    pub fn asked(&mut self, at: Moment, octets: u32, out: &mut Sink) {
        if let Some(request) = self.request.as_mut().filter(|request| request.answered.is_none()) {
            request.last = at.time;
            request.octets = request.octets.saturating_add(octets);
            return;
        }
        self.close(Outcome::Answered, None, out);
        self.request = Some(Request {
            begin: at,
            last: at.time,
            attempts: 1,
            octets,
            answered: None,
            completed: at.time,
            answer_octets: 0,
            overlaps: false,
        });
    }

    /// The request that waits overlaps with another one.
    pub fn overlaps(&mut self) {
        if let Some(request) = self.request.as_mut().filter(|request| request.answered.is_none()) {
            request.overlaps = true;
        }
    }

    /// The server sends data before it has received all that the client has sent: they answer an earlier request. Before the
    /// first answer they are a greeting.
    pub fn answered_earlier(&mut self, at: Moment, octets: u32) {
        match &self.request {
            Some(request) if request.answered.is_none() && self.has_answered => self.overlaps(),
            Some(request) if request.answered.is_some() => self.answered(at, octets),
            _ => {}
        }
    }

    /// The client sends again what it sent.
    pub fn asked_again(&mut self, now: Time) {
        if let Some(request) = self.request.as_mut().filter(|request| request.answered.is_none()) {
            request.last = now;
            request.attempts = request.attempts.saturating_add(1);
        }
    }

    /// The server sends data.
    pub fn answered(&mut self, at: Moment, octets: u32) {
        if let Some(request) = &mut self.request {
            let first = *request.answered.get_or_insert(at);
            request.completed = at.time;
            self.has_answered = true;
            request.answer_octets = request.answer_octets.saturating_add(octets);
            self.slowest = self.slowest.max(Some(first.time.since(request.begin.time)));
        }
    }

    /// What seemed to be a request was none.
    pub fn discard(&mut self) {
        self.request = None;
    }

    /// The conversation ends, or the request is given up: it is reported as answered if it was, else with this outcome and
    /// end.
    pub fn close(&mut self, otherwise: Outcome, end: Option<Time>, out: &mut Sink) {
        let Some(request) = self.request.take() else { return };
        let (outcome, end) = match request.answered {
            Some(_) if request.overlaps => (Outcome::Overlapped, None),
            Some(answered) => (Outcome::Answered, Some(answered)),
            None => (otherwise, end.map(|end| out.moment(end))),
        };
        let Request { begin, attempts, octets: request_bytes, answer_octets: answer_bytes, completed, .. } = request;
        if outcome == Outcome::Answered {
            out.complete(self.flow, begin.time, completed);
        }
        let of = Transaction::of(self.flow, begin, end, outcome);
        out.transaction(Transaction { attempts, request_bytes, answer_bytes, ..of });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Event;

    fn time(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn at(milliseconds: u64) -> Moment {
        Moment { time: time(milliseconds), frame: Some(100 + milliseconds) }
    }

    #[test]
    fn a_request_ends_with_the_first_data_of_the_server_and_collects_the_rest() {
        let (mut turns, mut out) = (Turns::new(FlowId(3)), Sink::with_log());
        turns.answered(at(0), 80);
        turns.asked(at(1), 100, &mut out);
        turns.asked(at(2), 50, &mut out);
        turns.asked_again(time(3));
        turns.answered(at(9), 1000);
        turns.answered(at(10), 500);
        turns.asked(at(11), 1, &mut out);
        turns.close(Outcome::Refused, Some(time(12)), &mut out);
        let first = Transaction {
            flow: FlowId(3),
            begin: time(1),
            end: Some(time(9)),
            frames: [Some(101), Some(109)],
            attempts: 2,
            outcome: Outcome::Answered,
            request_bytes: 150,
            answer_bytes: 1500,
        };
        let second = Transaction {
            begin: time(11),
            end: Some(time(12)),
            frames: [Some(111), None],
            attempts: 1,
            outcome: Outcome::Refused,
            request_bytes: 1,
            answer_bytes: 0,
            ..first
        };
        let complete = Event::Complete(FlowId(3), time(10), Duration::from_millis(9));
        assert_eq!(out.log(), [complete, Event::Transaction(first), Event::Transaction(second)]);
    }

    #[test]
    fn data_that_the_server_sent_before_it_had_the_request_are_of_an_earlier_answer() {
        let (mut turns, mut out) = (Turns::new(FlowId(3)), Sink::with_log());
        turns.answered_earlier(at(0), 20);
        turns.asked(at(1), 100, &mut out);
        turns.answered_earlier(at(2), 20);
        turns.answered(at(3), 1000);
        turns.asked(at(4), 100, &mut out);
        turns.answered_earlier(at(5), 1000);
        turns.answered(at(6), 1000);
        turns.asked(at(7), 100, &mut out);
        turns.answered(at(8), 10);
        turns.close(Outcome::Open, None, &mut out);
        let outcomes = out.log().iter().filter_map(|event| match event {
            Event::Transaction(of) => Some((of.outcome, of.end)),
            _ => None,
        });
        let expected =
            [(Outcome::Answered, Some(time(3))), (Outcome::Overlapped, None), (Outcome::Answered, Some(time(8)))];
        assert_eq!(outcomes.collect::<Vec<_>>(), expected, "greetings are not answers");
    }
}
