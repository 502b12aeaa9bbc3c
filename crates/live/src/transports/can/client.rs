//! The client that asks a node again and again, one request at a time, as a peer of the prober.

use std::collections::VecDeque;
use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};
use sojourn_protocols::can::log::Logged;

use super::dialogue::{Act, Dialogue};
use super::url::Question;
use crate::io::can::{Frame, owned};
use crate::io::network_error::ServiceError;
use crate::prober::line_peer::{LineClient, Step};

/// Requests that may wait for the one before them: a probe leaves room on the bus.
const MOST_WAITING: usize = 2;

/// A client of one node.
#[derive(Debug)]
pub struct CanClient {
    question: Question,
    timeout: Duration,
    dialogue: Box<dyn Dialogue>,
    open: Option<Open>,
    waiting: VecDeque<(u64, Time)>,
    steps: VecDeque<Step>,
    answered: Vec<Answered>,
}

/// The request that is open.
#[derive(Clone, Copy, Debug)]
struct Open {
    sequence: u64,
    /// When the prober sent it.
    asked: Time,
    until: Time,
    /// When its last frame had left.
    left: Option<Time>,
    /// When the first frame of the answer was read.
    first: Option<Time>,
}

/// The phases of a request that was answered.
#[derive(Clone, Copy, Debug)]
struct Answered {
    sequence: u64,
    request: Duration,
    first_frame: Duration,
    whole: Duration,
}

impl CanClient {
    /// A client that asks the same again and again.
    pub fn new(question: Question, timeout: Duration) -> CanClient {
        let dialogue = super::dialogue::of(&question, timeout);
        let (waiting, steps) = (VecDeque::new(), VecDeque::new());
        CanClient { question, timeout, dialogue, open: None, waiting, steps, answered: Vec::new() }
    }

    /// Begins the next request, where none is open, and carries out what the dialogue says.
    fn go_on(&mut self, now: Time) {
        loop {
            while let Some(act) = self.dialogue.poll() {
                self.act(now, act);
            }
            if self.open.is_some() {
                return;
            }
            let Some((sequence, asked)) = self.waiting.pop_front() else { return };
            self.open = Some(Open { sequence, asked, until: now + self.timeout, left: None, first: None });
            self.dialogue.begin(now);
        }
    }

    fn act(&mut self, now: Time, act: Act) {
        match act {
            Act::Send(frame) => {
                let record = record(&frame);
                self.steps.push_back(Step::Frame(now, record.clone()));
                self.steps.push_back(Step::Send(record));
            }
            Act::RequestLeft => {
                if let Some(open) = &mut self.open {
                    open.left = Some(now);
                }
            }
            Act::AnswerBegins => {
                if let Some(open) = &mut self.open {
                    open.first.get_or_insert(now);
                }
            }
            // another frame shows that the answer that began was to something else
            Act::AnotherAnswer => {
                if let Some(open) = &mut self.open {
                    open.first = None;
                }
            }
            Act::Ended(outcome) => self.end(now, outcome),
        }
    }

    fn end(&mut self, at: Time, outcome: Result<(), ServiceError>) {
        let Some(Open { sequence, asked, left, first, .. }) = self.open.take() else { return };
        self.steps.push_back(match outcome {
            Ok(()) => {
                let left = left.unwrap_or(at);
                let first = first.unwrap_or(at).max(left);
                let [request, first_frame, whole] = [left.since(asked), first.since(left), at.since(first)];
                self.answered.push(Answered { sequence, request, first_frame, whole });
                Step::Answered { sequence, at }
            }
            Err(error) => Step::Failed { sequence, at, error },
        });
    }
}

/// A frame as a record of SocketCAN.
fn record(frame: &Frame) -> Vec<u8> {
    let mut record = Vec::new();
    frame.emit(&mut record);
    record
}

impl LineClient for CanClient {
    fn ask(&mut self, now: Time, sequence: u64) -> bool {
        if self.waiting.len() >= MOST_WAITING {
            return false;
        }
        self.waiting.push_back((sequence, now));
        self.go_on(now);
        true
    }

    fn received(&mut self, now: Time, octets: &[u8]) -> Result<(), ServiceError> {
        let Ok(frame) = Logged::parse(octets) else { return Ok(()) };
        if frame.id == self.question.response {
            self.steps.push_back(Step::Frame(now, octets.to_vec()));
            self.dialogue.received(now, &owned(frame));
            self.go_on(now);
        }
        Ok(())
    }

    fn lost(&mut self, now: Time) {
        self.dialogue.reset();
        self.end(now, Err(ServiceError::ConnectionLost));
        while let Some((sequence, _)) = self.waiting.pop_front() {
            self.steps.push_back(Step::Failed { sequence, at: now, error: ServiceError::ConnectionLost });
        }
    }

    fn wake(&mut self, now: Time) {
        if self.dialogue.next_wakeup().is_some_and(|due| due <= now) {
            self.dialogue.wake(now);
            self.go_on(now);
        }
        if self.open.is_some_and(|open| open.until <= now) {
            self.dialogue.reset();
            self.end(now, Err(ServiceError::Timeout));
        }
        self.go_on(now);
    }

    fn next_wakeup(&self) -> Option<Time> {
        let until = self.open.map(|open| open.until);
        [until, self.dialogue.next_wakeup()].into_iter().flatten().min()
    }

    fn poll(&mut self) -> Option<Step> {
        self.steps.pop_front()
    }

    fn forget(&mut self, before: u64) {
        self.answered.retain(|answered| answered.sequence >= before);
    }

    fn record_metrics(&self, requests: Range<u64>, record: &mut Record) {
        let mut add = |name: &str, span: fn(&Answered) -> Duration| {
            let mut distribution = Distribution::new();
            let answered = self.answered.iter().filter(|answered| requests.contains(&answered.sequence));
            answered.for_each(|answered| distribution.record(span(answered)));
            if distribution.count() > 0 {
                record.observe(name, Observation::Distribution(distribution));
            }
        };
        add("phase/request", |answered| answered.request);
        add("phase/first_frame", |answered| answered.first_frame);
        add("phase/whole", |answered| answered.whole);
    }
}

/// Takes octets as frames of the node, each behind one with the milliseconds since the one before and one with its length:
/// whatever comes, every request that a client takes ends once.
pub fn fuzz(question: Question, octets: &[u8]) {
    use sojourn_protocols::can::frame::Content;
    let (mut now, mut asked, mut ended, mut rest) = (Time::ZERO, 0, 0, octets);
    let id = question.response;
    let mut client = CanClient::new(question, Duration::from_millis(300));
    let ends = |client: &mut CanClient| {
        let is_end = |step: &Step| matches!(step, Step::Answered { .. } | Step::Failed { .. });
        std::iter::from_fn(|| client.poll()).filter(is_end).count() as u64
    };
    while let Some((&[ms, length], behind)) = rest.split_first_chunk() {
        let (data, behind) = behind.split_at(behind.len().min(usize::from(length % 65)));
        rest = behind;
        now += Duration::from_millis(ms.into());
        asked += u64::from(client.ask(now, asked));
        let content = match data.len() {
            0..=8 => Content::Data(data.to_vec()),
            _ => Content::Fd { data: data.to_vec(), brs: false, esi: false },
        };
        client.received(now, &record(&Logged { id, content })).expect("a bus is not closed by what it carries");
        client.wake(now);
        ended += ends(&mut client);
    }
    client.lost(now);
    assert_eq!(asked, ended + ends(&mut client));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sojourn_protocols::can::canopen::{Abort, Object};
    use sojourn_protocols::can::frame::{Content, Id};
    use sojourn_protocols::can::isotp;

    use super::super::url::Service;
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(2000);

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn vin(padding: Option<u8>) -> Question {
        let service = Service::Uds(vec![0x22, 0xf1, 0x90], padding);
        Question { request: Id::Base(0x7e0), response: Id::Base(0x7e8), service }
    }

    fn object() -> Question {
        let service = Service::Sdo(Object { index: 0x1018, subindex: 1 });
        Question { request: Id::Base(0x605), response: Id::Base(0x585), service }
    }

    fn frame(id: u16, data: &[u8]) -> Vec<u8> {
        record(&Logged { id: Id::Base(id), content: Content::Data(data.to_vec()) })
    }

    /// What a client sends and how its requests end, without the copies for captures.
    fn steps(client: &mut CanClient) -> Vec<Step> {
        std::iter::from_fn(|| client.poll()).filter(|step| !matches!(step, Step::Frame(..))).collect()
    }

    fn sent(id: u16, data: &[u8]) -> Step {
        Step::Send(frame(id, data))
    }

    fn failed(sequence: u64, ms: u64, error: ServiceError) -> Step {
        Step::Failed { sequence, at: at(ms), error }
    }

    #[test]
    fn a_request_of_uds_is_a_padded_frame_and_a_long_answer_gets_flow_control() {
        let mut client = CanClient::new(vin(Some(0xcc)), TIMEOUT);
        assert!(client.ask(at(0), 7));
        assert_eq!(steps(&mut client), [sent(0x7e0, &[3, 0x22, 0xf1, 0x90, 0xcc, 0xcc, 0xcc, 0xcc])]);
        client.received(at(10), &frame(0x7e8, &[0x10, 20, 0x62, 0xf1, 0x90, b'W', b'A', b'U'])).unwrap();
        assert_eq!(steps(&mut client), [sent(0x7e0, &[0x30, 0, 0, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc])]);
        client.received(at(11), &frame(0x7e8, &[0x21, 1, 2, 3, 4, 5, 6, 7])).unwrap();
        client.received(at(13), &frame(0x7e8, &[0x22, 8, 9, 10, 11, 12, 13, 14])).unwrap();
        assert_eq!(steps(&mut client), [Step::Answered { sequence: 7, at: at(13) }]);
        let mut record = Record::default();
        client.record_metrics(0..10, &mut record);
        let mean = |phase: &str| record.distribution(&format!("phase/{phase}")).mean().unwrap();
        assert_eq!([mean("request"), mean("first_frame"), mean("whole")], [0.0, 0.010, 0.003]);
    }

    #[test]
    fn without_padding_a_frame_is_as_long_as_its_content() {
        let mut client = CanClient::new(vin(None), TIMEOUT);
        client.ask(at(0), 0);
        assert_eq!(steps(&mut client), [sent(0x7e0, &[3, 0x22, 0xf1, 0x90])]);
    }

    #[test]
    fn one_request_is_open_at_a_time_and_two_wait() {
        let mut client = CanClient::new(vin(None), TIMEOUT);
        let taken: Vec<bool> = (0..5).map(|sequence| client.ask(at(sequence), sequence)).collect();
        assert_eq!(taken, [true, true, true, false, false]);
        assert_eq!(steps(&mut client).len(), 1);
        client.received(at(10), &frame(0x7e8, &[4, 0x62, 0xf1, 0x90, 1])).unwrap();
        let next = sent(0x7e0, &[3, 0x22, 0xf1, 0x90]);
        assert_eq!(steps(&mut client), [Step::Answered { sequence: 0, at: at(10) }, next]);
        client.lost(at(11));
        let lost = |sequence| failed(sequence, 11, ServiceError::ConnectionLost);
        assert_eq!(steps(&mut client), [lost(1), lost(2)]);
    }

    #[test]
    fn a_request_of_uds_fails_by_its_code_by_silence_and_by_a_gap() {
        let mut client = CanClient::new(vin(None), TIMEOUT);
        client.ask(at(0), 0);
        client.received(at(5), &frame(0x7e8, &[3, 0x7f, 0x22, 0x78])).unwrap();
        assert_eq!(steps(&mut client).len(), 1, "the answer is pending");
        client.received(at(9), &frame(0x7e8, &[3, 0x7f, 0x22, 0x31])).unwrap();
        assert_eq!(steps(&mut client), [failed(0, 9, ServiceError::NegativeResponse(0x31))]);
        client.ask(at(100), 1);
        client.wake(at(2100));
        assert_eq!(steps(&mut client)[1..], [failed(1, 2100, ServiceError::Timeout)]);
        client.ask(at(3000), 2);
        client.received(at(3005), &frame(0x7e8, &[0x10, 20, 0x62, 0xf1, 0x90, 1, 2, 3])).unwrap();
        assert_eq!(client.next_wakeup(), Some(at(4005)), "N_Cr is a second");
        client.wake(at(4005));
        let gap = ServiceError::IsoTp(isotp::Failure::ConsecutiveTimeout);
        assert_eq!(steps(&mut client)[2..], [failed(2, 4005, gap)]);
        assert_eq!((gap.kind().as_ref(), gap.is_answer()), ("isotp_n_cr", true));
    }

    #[test]
    fn a_long_request_waits_for_flow_control_and_fails_without_it() {
        let data: Vec<u8> = [0x22].into_iter().chain(0..10).collect();
        let question = Question { service: Service::Uds(data, None), ..vin(None) };
        let mut client = CanClient::new(question, TIMEOUT);
        client.ask(at(0), 0);
        assert_eq!(steps(&mut client), [sent(0x7e0, &[0x10, 11, 0x22, 0, 1, 2, 3, 4])]);
        client.received(at(20), &frame(0x7e8, &[0x30, 0, 5])).unwrap();
        assert_eq!(steps(&mut client), [sent(0x7e0, &[0x21, 5, 6, 7, 8, 9])]);
        client.received(at(30), &frame(0x7e8, &[4, 0x62, 0, 1, 9])).unwrap();
        assert_eq!(steps(&mut client), [Step::Answered { sequence: 0, at: at(30) }]);
        let mut record = Record::default();
        client.record_metrics(0..1, &mut record);
        assert_eq!(record.distribution("phase/request").mean(), Some(0.020));
        client.ask(at(100), 1);
        client.wake(at(1100));
        let silent = ServiceError::IsoTp(isotp::Failure::FlowControlTimeout);
        assert_eq!(steps(&mut client)[1..], [failed(1, 1100, silent)]);
        assert!(silent.is_silence() && !silent.is_answer());
    }

    #[test]
    fn an_object_of_canopen_is_read_in_one_frame_or_in_segments() {
        let mut client = CanClient::new(object(), TIMEOUT);
        client.ask(at(0), 0);
        assert_eq!(steps(&mut client), [sent(0x605, &[0x40, 0x18, 0x10, 1, 0, 0, 0, 0])]);
        // an answer about another object is of another client's request
        client.received(at(3), &frame(0x585, &[0x43, 0, 0x10, 0, 1, 2, 3, 4])).unwrap();
        client.received(at(5), &frame(0x585, &[0x43, 0x18, 0x10, 1, 0x9a, 2, 0, 0])).unwrap();
        assert_eq!(steps(&mut client), [Step::Answered { sequence: 0, at: at(5) }]);
        client.ask(at(10), 1);
        client.received(at(12), &frame(0x585, &[0x41, 0x18, 0x10, 1, 9, 0, 0, 0])).unwrap();
        client.received(at(14), &frame(0x585, &[0x00, 1, 2, 3, 4, 5, 6, 7])).unwrap();
        client.received(at(16), &frame(0x585, &[0x1b, 8, 9, 0, 0, 0, 0, 0])).unwrap();
        let asked = |command| sent(0x605, &[command, 0, 0, 0, 0, 0, 0, 0]);
        let ended = Step::Answered { sequence: 1, at: at(16) };
        assert_eq!(steps(&mut client)[1..], [asked(0x60), asked(0x70), ended]);
    }

    #[test]
    fn a_transfer_fails_by_its_abort_code_and_is_aborted_after_the_timeout() {
        let mut client = CanClient::new(object(), TIMEOUT);
        client.ask(at(0), 0);
        client.received(at(5), &frame(0x585, &[0x80, 0x18, 0x10, 1, 0, 0, 2, 6])).unwrap();
        let aborted = ServiceError::SdoAbort(Abort(0x0602_0000));
        assert_eq!(steps(&mut client)[1..], [failed(0, 5, aborted)]);
        assert_eq!(aborted.kind(), "sdo_abort_06020000");
        client.ask(at(10), 1);
        client.wake(at(2010));
        let abort = sent(0x605, &[0x80, 0x18, 0x10, 1, 0, 0, 4, 5]);
        assert_eq!(steps(&mut client)[1..], [abort, failed(1, 2010, ServiceError::Timeout)]);
    }

    #[test]
    fn frames_of_other_identifiers_change_nothing() {
        let mut client = CanClient::new(vin(None), TIMEOUT);
        client.ask(at(0), 0);
        client.received(at(5), &frame(0x7e9, &[4, 0x62, 0xf1, 0x90, 1])).unwrap();
        client.received(at(6), &[0; 5]).unwrap();
        assert_eq!(steps(&mut client).len(), 1);
    }

    proptest! {
        #[test]
        fn whatever_comes_every_request_ends_once(octets in proptest::collection::vec(any::<u8>(), 0..400)) {
            fuzz(vin(None), &octets);
            fuzz(object(), &octets);
        }
    }
}
