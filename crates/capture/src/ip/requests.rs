//! Open requests that are matched to answers by an identifier: applications with request identifiers, and ICMP echo.

use sojourn_core::{Duration, Time};

use super::application::Application;
use super::endpoints::Roles;
use crate::open_table::OpenTable;
use crate::{FlowId, Outcome, Sink, Transaction};

/// Requests open at the same time; beyond it the oldest is reported as open and counted.
pub const OPEN_REQUESTS: usize = 65_536;

/// After this time without an answer or another attempt a request counts as unanswered.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// What names a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestKey {
    /// The client and the server; of ICMP echo the port is the identifier.
    pub roles: Roles,
    /// The application; `None` of ICMP echo.
    pub application: Option<Application>,
    /// The request's name within the application.
    pub name: u64,
}

/// Requests by what names them.
#[derive(Debug)]
pub struct Requests {
    open: OpenTable<RequestKey, Request>,
    /// The request that was answered last, so that a copy of its answer is recognized.
    answered: Option<RequestKey>,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    flow: FlowId,
    begin: Time,
    last: Time,
    attempts: u32,
    octets: u32,
}

impl Request {
    fn ended(&self, end: Option<Time>, outcome: Outcome, answer_bytes: u32) -> Transaction {
        let Request { flow, begin, attempts, octets: request_bytes, .. } = *self;
        Transaction { flow, begin, end, attempts, outcome, request_bytes, answer_bytes }
    }

    /// How a request ends to which no answer came until `now`.
    fn silence(&self, now: Time) -> Outcome {
        if now.since(self.last) >= RESPONSE_TIMEOUT { Outcome::Unanswered } else { Outcome::Open }
    }
}

impl Default for Requests {
    fn default() -> Self {
        Requests { open: OpenTable::new(OPEN_REQUESTS), answered: None }
    }
}

impl Requests {
    /// A request is sent; whether it was sent before.
    pub fn request(&mut self, key: RequestKey, flow: FlowId, now: Time, octets: u32, out: &mut Sink) -> bool {
        self.expire(now, out);
        if let Some(request) = self.open.use_entry(&key) {
            request.attempts = request.attempts.saturating_add(1);
            request.last = now;
            return true;
        }
        if self.answered == Some(key) {
            self.answered = None;
        }
        let request = Request { flow, begin: now, last: now, attempts: 1, octets };
        if let Some((_, evicted)) = self.open.insert(key, request) {
            out.count(evicted.flow, "evicted", 1);
            out.transaction(evicted.ended(None, Outcome::Open, 0));
        }
        false
    }

    /// An answer or a refusal arrives. One to a request that was not captured began before the capture if it comes within
    /// [`RESPONSE_TIMEOUT`] of its begin.
    pub fn answer(&mut self, key: RequestKey, flow: FlowId, now: Time, octets: u32, outcome: Outcome, out: &mut Sink) {
        self.expire(now, out);
        if let Some(request) = self.open.remove(&key) {
            self.answered = Some(key);
            out.transaction(request.ended(Some(now), outcome, octets));
        } else if now.since(Time::ZERO) < RESPONSE_TIMEOUT && self.answered != Some(key) {
            self.answered = Some(key);
            let request = Request { flow, begin: now, last: now, attempts: 1, octets: 0 };
            out.transaction(request.ended(None, Outcome::BeganBefore, octets));
        }
    }

    /// A router or host refuses a request, which may have been answered before.
    pub fn refuse(&mut self, key: &RequestKey, now: Time, out: &mut Sink) {
        if let Some(request) = self.open.remove(key) {
            out.transaction(request.ended(Some(now), Outcome::Refused, 0));
        }
    }

    /// The capture ends.
    pub fn finish(&mut self, end: Time, out: &mut Sink) {
        while let Some((_, request)) = self.open.remove_oldest() {
            out.transaction(request.ended(None, request.silence(end), 0));
        }
    }

    /// Reports requests that waited longer than [`RESPONSE_TIMEOUT`].
    fn expire(&mut self, now: Time, out: &mut Sink) {
        while self.open.oldest().is_some_and(|(_, request)| request.silence(now) == Outcome::Unanswered) {
            if let Some((_, request)) = self.open.remove_oldest() {
                out.transaction(request.ended(None, Outcome::Unanswered, 0));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::super::endpoints::Endpoint;
    use super::*;
    use crate::Event;

    fn key(name: u64) -> RequestKey {
        let end = |port| Endpoint { address: IpAddr::V4(Ipv4Addr::LOCALHOST), port };
        RequestKey { roles: Roles { client: end(40_000), server: end(53) }, application: Some(Application::Dns), name }
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn transactions(out: &Sink) -> Vec<(Outcome, u32, Option<Duration>)> {
        let transaction = |event: &Event| match event {
            Event::Transaction(of) => Some((of.outcome, of.attempts, of.end.map(|end| end - of.begin))),
            _ => None,
        };
        out.log().iter().filter_map(transaction).collect()
    }

    const FLOW: FlowId = FlowId(0);

    #[test]
    fn a_repeated_request_is_one_transaction_from_its_first_attempt() {
        let (mut requests, mut out) = (Requests::default(), Sink::with_log());
        assert!(!requests.request(key(7), FLOW, at(20_000), 30, &mut out));
        assert!(requests.request(key(7), FLOW, at(21_000), 30, &mut out));
        requests.answer(key(7), FLOW, at(21_040), 90, Outcome::Answered, &mut out);
        requests.answer(key(7), FLOW, at(21_050), 90, Outcome::Answered, &mut out);
        assert_eq!(transactions(&out), [(Outcome::Answered, 2, Some(Duration::from_millis(1_040)))]);
    }

    #[test]
    fn silence_is_unanswered_after_the_timeout_and_open_before_it() {
        let (mut requests, mut out) = (Requests::default(), Sink::with_log());
        requests.request(key(1), FLOW, at(0), 30, &mut out);
        requests.request(key(2), FLOW, at(10_000), 30, &mut out);
        assert_eq!(transactions(&out), [(Outcome::Unanswered, 1, None)]);
        requests.finish(at(11_000), &mut out);
        assert_eq!(transactions(&out)[1], (Outcome::Open, 1, None));
    }

    #[test]
    fn an_answer_at_the_begin_of_the_capture_began_before_it_and_a_later_one_is_ignored() {
        let (mut requests, mut out) = (Requests::default(), Sink::with_log());
        requests.answer(key(1), FLOW, at(30), 90, Outcome::Answered, &mut out);
        requests.answer(key(2), FLOW, at(10_000), 90, Outcome::Answered, &mut out);
        assert_eq!(transactions(&out), [(Outcome::BeganBefore, 1, None)]);
    }

    #[test]
    fn a_refused_request_ends_with_its_refusal() {
        let (mut requests, mut out) = (Requests::default(), Sink::with_log());
        requests.request(key(1), FLOW, at(5), 30, &mut out);
        requests.refuse(&key(1), at(7), &mut out);
        requests.finish(at(8), &mut out);
        assert_eq!(transactions(&out), [(Outcome::Refused, 1, Some(Duration::from_millis(2)))]);
    }
}
