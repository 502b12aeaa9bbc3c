//! Open requests that are matched to answers by an identifier: applications with request identifiers, ICMP echo, and BACnet over
//! MS/TP.

use std::hash::Hash;

use sojourn_core::{Duration, Time};

use super::application::{Application, Message};
use super::endpoints::Roles;
use crate::open_table::OpenTable;
use crate::{FlowId, Moment, Outcome, Sink, Transaction};

/// Requests open at the same time; beyond it the oldest is reported as open and counted.
pub const OPEN_REQUESTS: usize = 65_536;

/// After this time without an answer or another attempt a request counts as unanswered.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// What names a request over IP.
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
pub struct Requests<K = RequestKey> {
    open: OpenTable<K, Request>,
    /// The request that was answered last, so that a copy of its answer is recognized.
    answered: Option<K>,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    flow: FlowId,
    begin: Moment,
    last: Time,
    attempts: u32,
    octets: u32,
    /// Whether the server has said that the answer will take its time.
    is_pending: bool,
    /// When the first part of the answer came, and the octets of all so far.
    answered: Option<(Moment, u32)>,
}

impl Request {
    fn new(flow: FlowId, begin: Moment, octets: u32) -> Request {
        Request { flow, begin, last: begin.time, attempts: 1, octets, is_pending: false, answered: None }
    }

    /// Ends with this outcome and end, or as answered if a part of the answer has come.
    fn ended(&self, end: Option<Moment>, outcome: Outcome, answer_bytes: u32) -> Transaction {
        let Request { flow, begin, attempts, octets: request_bytes, .. } = *self;
        let (end, outcome, answer_bytes) = match self.answered {
            Some((first, octets)) => (Some(first), Outcome::Answered, octets.saturating_add(answer_bytes)),
            None => (end, outcome, answer_bytes),
        };
        Transaction { attempts, request_bytes, answer_bytes, ..Transaction::of(flow, begin, end, outcome) }
    }

    /// How a request ends to which no answer came until `now`.
    fn silence(&self, now: Time) -> Outcome {
        if !self.is_pending && now.since(self.last) >= RESPONSE_TIMEOUT { Outcome::Unanswered } else { Outcome::Open }
    }
}

/// An answer that begins with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The flow of the request.
    pub flow: FlowId,
    /// When the request was sent first.
    pub begin: Time,
}

impl<K: Copy + Eq + Hash> Default for Requests<K> {
    fn default() -> Self {
        Requests { open: OpenTable::new(OPEN_REQUESTS), answered: None }
    }
}

impl<K: Copy + Eq + Hash> Requests<K> {
    /// A request is sent, from this packet on; whether it was sent before.
    pub fn request(&mut self, key: K, flow: FlowId, begin: Moment, octets: u32, out: &mut Sink) -> bool {
        self.expire(begin.time, out);
        if let Some(request) = self.open.use_entry(&key) {
            request.attempts = request.attempts.saturating_add(1);
            request.last = begin.time;
            return true;
        }
        if self.answered == Some(key) {
            self.answered = None;
        }
        if let Some((_, evicted)) = self.open.insert(key, Request::new(flow, begin, octets)) {
            out.count(evicted.flow, "evicted", 1);
            out.transaction(evicted.ended(None, Outcome::Open, 0));
        }
        false
    }

    /// Whether the open request of this name was sent later than `time`.
    pub fn begins_after(&mut self, key: &K, time: Time) -> bool {
        self.open.get_mut(key).is_some_and(|request| request.begin.time > time)
    }

    /// An answer, a part of one or a refusal arrives with this packet: which request it completes, its last octets aside. One to a request that
    /// was not captured began before the capture if it comes within [`RESPONSE_TIMEOUT`] of its begin.
    pub fn answer(
        &mut self,
        key: K,
        message: Message,
        (flow, octets): (FlowId, u32),
        first: Moment,
        out: &mut Sink,
    ) -> Option<Answered> {
        self.expire(first.time, out);
        let outcome = match message {
            Message::Refusal(_) => Outcome::Refused,
            Message::Part(_) | Message::Pending(_) => {
                self.interim(&key, message, first, octets);
                return None;
            }
            _ => Outcome::Answered,
        };
        if let Some(request) = self.open.remove(&key) {
            self.answered = Some(key);
            out.transaction(request.ended(Some(first), outcome, octets));
            let is_answer = outcome == Outcome::Answered || request.answered.is_some();
            return is_answer.then_some(Answered { flow: request.flow, begin: request.begin.time });
        }
        if first.time.since(Time::ZERO) < RESPONSE_TIMEOUT && self.answered != Some(key) {
            self.answered = Some(key);
            out.transaction(Request::new(flow, first, 0).ended(None, Outcome::BeganBefore, octets));
        }
        None
    }

    /// A part of an answer, or that it will take its time.
    fn interim(&mut self, key: &K, message: Message, part: Moment, octets: u32) {
        let Some(request) = self.open.use_entry(key) else { return };
        request.last = part.time;
        if matches!(message, Message::Pending(_)) {
            request.is_pending = true;
            return;
        }
        let (first, before) = request.answered.unwrap_or((part, 0));
        request.answered = Some((first, before.saturating_add(octets)));
    }

    /// A router or host refuses a request, which may have been answered before.
    pub fn refuse(&mut self, key: &K, now: Time, out: &mut Sink) {
        if let Some(request) = self.open.remove(key) {
            out.transaction(request.ended(Some(out.moment(now)), Outcome::Refused, 0));
        }
    }

    /// A request was answered, and the begin of its answer is not in the capture.
    pub fn lost(&mut self, key: &K, out: &mut Sink) {
        if let Some(request) = self.open.remove(key) {
            out.transaction(request.ended(None, Outcome::Open, 0));
        }
    }

    /// The capture ends.
    pub fn finish(&mut self, end: Time, out: &mut Sink) {
        while let Some((_, request)) = self.open.remove_oldest() {
            out.transaction(request.ended(None, request.silence(end), 0));
        }
    }

    /// Reports requests that waited longer than [`RESPONSE_TIMEOUT`]; those that the server has announced as slow wait on.
    fn expire(&mut self, now: Time, out: &mut Sink) {
        while let Some((key, request)) = self.open.oldest().filter(|(_, request)| is_due(request, now)) {
            if request.is_pending {
                let key = *key;
                if let Some(request) = self.open.use_entry(&key) {
                    request.last = now;
                }
            } else if let Some((_, request)) = self.open.remove_oldest() {
                out.transaction(request.ended(None, Outcome::Unanswered, 0));
            }
        }
    }
}

fn is_due(request: &Request, now: Time) -> bool {
    now.since(request.last) >= RESPONSE_TIMEOUT
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

    fn time(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn at(milliseconds: u64) -> Moment {
        Moment { time: time(milliseconds), frame: Some(milliseconds) }
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
        let (mut requests, mut out) = (Requests::<RequestKey>::default(), Sink::with_log());
        assert!(!requests.request(key(7), FLOW, at(20_000), 30, &mut out));
        assert!(requests.request(key(7), FLOW, at(21_000), 30, &mut out));
        let answered = requests.answer(key(7), Message::Answer(7), (FLOW, 90), at(21_040), &mut out);
        assert_eq!(answered, Some(Answered { flow: FLOW, begin: time(20_000) }));
        assert_eq!(requests.answer(key(7), Message::Answer(7), (FLOW, 90), at(21_050), &mut out), None, "a copy");
        assert_eq!(transactions(&out), [(Outcome::Answered, 2, Some(Duration::from_millis(1_040)))]);
    }

    #[test]
    fn silence_is_unanswered_after_the_timeout_and_open_before_it() {
        let (mut requests, mut out) = (Requests::<RequestKey>::default(), Sink::with_log());
        requests.request(key(1), FLOW, at(0), 30, &mut out);
        requests.request(key(2), FLOW, at(10_000), 30, &mut out);
        assert_eq!(transactions(&out), [(Outcome::Unanswered, 1, None)]);
        requests.finish(time(11_000), &mut out);
        assert_eq!(transactions(&out)[1], (Outcome::Open, 1, None));
    }

    #[test]
    fn an_answer_at_the_begin_of_the_capture_began_before_it_and_a_later_one_is_ignored() {
        let (mut requests, mut out) = (Requests::<RequestKey>::default(), Sink::with_log());
        requests.answer(key(1), Message::Answer(1), (FLOW, 90), at(30), &mut out);
        requests.answer(key(2), Message::Answer(2), (FLOW, 90), at(10_000), &mut out);
        assert_eq!(transactions(&out), [(Outcome::BeganBefore, 1, None)]);
    }

    #[test]
    fn a_refused_request_ends_with_its_refusal() {
        let (mut requests, mut out) = (Requests::<RequestKey>::default(), Sink::with_log());
        requests.request(key(1), FLOW, at(5), 30, &mut out);
        requests.refuse(&key(1), time(7), &mut out);
        requests.finish(time(8), &mut out);
        assert_eq!(transactions(&out), [(Outcome::Refused, 1, Some(Duration::from_millis(2)))]);
    }
    #[test]
    fn an_answer_of_parts_begins_with_the_first_and_is_complete_with_the_last() {
        let (mut requests, mut out) = (Requests::<RequestKey>::default(), Sink::with_log());
        requests.request(key(1), FLOW, at(0), 30, &mut out);
        assert_eq!(requests.answer(key(1), Message::Part(1), (FLOW, 10), at(5), &mut out), None);
        assert_eq!(requests.answer(key(1), Message::Part(1), (FLOW, 10), at(6), &mut out), None);
        let answered = requests.answer(key(1), Message::Answer(1), (FLOW, 3), at(9), &mut out);
        assert_eq!(answered, Some(Answered { flow: FLOW, begin: time(0) }));
        let Some(Event::Transaction(of)) = out.log().first() else { panic!() };
        assert_eq!((of.outcome, of.end, of.answer_bytes), (Outcome::Answered, Some(time(5)), 23));
        assert_eq!(of.frames, [Some(0), Some(5)]);
    }

    #[test]
    fn a_request_that_is_announced_as_slow_has_no_timeout() {
        let (mut requests, mut out) = (Requests::<RequestKey>::default(), Sink::with_log());
        requests.request(key(1), FLOW, at(0), 30, &mut out);
        requests.request(key(2), FLOW, at(0), 30, &mut out);
        requests.answer(key(1), Message::Pending(1), (FLOW, 10), at(5), &mut out);
        requests.request(key(3), FLOW, at(11_000), 30, &mut out);
        assert_eq!(transactions(&out), [(Outcome::Unanswered, 1, None)], "that of the other");
        requests.answer(key(1), Message::Answer(1), (FLOW, 10), at(33_000), &mut out);
        let last = (Outcome::Answered, 1, Some(Duration::from_millis(33_000)));
        assert_eq!(transactions(&out).last(), Some(&last));
    }
}
