//! Open messages of the initiator, and what answers them.

use std::collections::VecDeque;

use sojourn_core::Time;

use crate::{FlowId, Moment, Outcome, Sink, Transaction};

/// Open messages of an association at most; beyond it the oldest is reported as it stands.
const MESSAGES: usize = 1_024;

/// A message of the initiator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub begin: Moment,
    /// Sequence number of its first byte.
    start: u64,
    /// One above its last byte, once EOM shows it.
    end: Option<u64>,
    attempts: u32,
    bytes: u32,
    began_before: bool,
    acknowledged: Option<Moment>,
    answer: Option<Answer>,
}

#[derive(Clone, Copy, Debug)]
struct Answer {
    begin: Moment,
    /// When its last new data were captured.
    last: Time,
    /// Sequence number of its first byte.
    start: u64,
    bytes: u32,
    complete: bool,
}

/// The open messages of an association, oldest first.
#[derive(Debug)]
pub(super) struct Messages {
    flow: FlowId,
    open: VecDeque<Message>,
    /// Whether the responder has sent data: then answers end messages, not acknowledgements.
    answers: bool,
}

impl Messages {
    pub fn new(flow: FlowId) -> Messages {
        Messages { flow, open: VecDeque::new(), answers: false }
    }

    /// Open messages.
    pub fn count(&self) -> usize {
        self.open.len()
    }

    /// Reports the oldest message as it stands, if it is whole.
    pub fn make_room(&mut self, out: &mut Sink) {
        if self.open.front().is_some_and(|message| message.end.is_some()) {
            self.report_front(Outcome::Open, None, out);
        }
    }

    /// The initiator sends new data from `seq` up to `end`.
    pub fn data(
        &mut self,
        now: Time,
        (seq, end): (u64, u64),
        end_of_message: bool,
        began_before: bool,
        out: &mut Sink,
    ) {
        let bytes = (end - seq) as u32;
        match self.open.back_mut().filter(|last| last.end.is_none()) {
            Some(last) => last.bytes = last.bytes.saturating_add(bytes),
            None => {
                self.report_ended(out);
                if self.open.len() >= MESSAGES {
                    self.report_front(Outcome::Open, None, out);
                }
                let message = Message {
                    begin: out.moment(now),
                    start: seq,
                    end: None,
                    attempts: 1,
                    bytes,
                    began_before,
                    acknowledged: None,
                    answer: None,
                };
                self.open.push_back(message);
            }
        }
        if let Some(last) = self.open.back_mut().filter(|_| end_of_message) {
            last.end = Some(end);
        }
    }

    /// A packet of the initiator with data at `seq` is sent again; whether it belongs to an open message.
    pub fn sent_again(&mut self, seq: u64) -> bool {
        let contains = |message: &&mut Message| message.start <= seq && message.end.is_none_or(|end| seq < end);
        let message = self.open.iter_mut().find(contains);
        message.map(|message| message.attempts = message.attempts.saturating_add(1)).is_some()
    }

    /// The responder has received all data below `rseq`.
    pub fn acknowledged(&mut self, now: Moment, rseq: u64) {
        let covers =
            |message: &&mut Message| message.begin.time <= now.time && message.end.is_some_and(|end| end <= rseq);
        for message in self.open.iter_mut().take_while(covers) {
            message.acknowledged.get_or_insert(now);
        }
    }

    /// The responder sends new data from `seq` on.
    pub fn answered(&mut self, now: Moment, seq: u64, bytes: u32, end_of_message: bool) {
        self.answers = true;
        let waits = |message: &&mut Message| !message.answer.is_some_and(|answer| answer.complete);
        let Some(message) = self.open.iter_mut().find(waits) else { return };
        let answer =
            message.answer.get_or_insert(Answer { begin: now, last: now.time, start: seq, bytes: 0, complete: false });
        answer.last = now.time;
        answer.bytes = answer.bytes.saturating_add(bytes);
        answer.complete = end_of_message;
    }

    /// A packet of the responder with data at `seq` is sent again; whether it belongs to the answer of an open message.
    /// The initiator has asked nothing since, so it lacked the answer: that arrives with this copy.
    pub fn answered_again(&mut self, now: Moment, seq: u64) -> bool {
        let answers = |message: &&mut Message| message.answer.is_some_and(|answer| answer.start <= seq);
        let Some(message) = self.open.iter_mut().rev().find(answers) else { return false };
        message.attempts = message.attempts.saturating_add(1);
        if let Some(answer) = message.answer.as_mut().filter(|answer| answer.start == seq) {
            answer.begin = now;
            answer.last = answer.last.max(now.time);
        }
        true
    }

    /// The initiator's stream ends before `end`.
    pub fn close(&mut self, end: u64) {
        if let Some(last) = self.open.back_mut() {
            last.end.get_or_insert(end);
        }
    }

    /// Reports all: those that were neither answered nor acknowledged with this outcome and end.
    pub fn finish(&mut self, otherwise: Outcome, end: Option<Time>, out: &mut Sink) {
        while !self.open.is_empty() {
            self.report_front(otherwise, end, out);
        }
    }

    /// The initiator begins another message: reports those that were answered, or acknowledged by a responder that does not
    /// answer.
    fn report_ended(&mut self, out: &mut Sink) {
        let answers = self.answers;
        let has_ended = |message: &Message| match message.answer {
            Some(answer) => answer.complete,
            None => !answers && message.acknowledged.is_some(),
        };
        while self.open.front().is_some_and(has_ended) {
            self.report_front(Outcome::Open, None, out);
        }
    }

    fn report_front(&mut self, otherwise: Outcome, end: Option<Time>, out: &mut Sink) {
        let Some(message) = self.open.pop_front() else { return };
        let (outcome, end) = match (message.began_before, message.answer, message.acknowledged) {
            (true, ..) => (Outcome::BeganBefore, None),
            (_, Some(answer), _) => (Outcome::Answered, Some(answer.begin)),
            (_, None, Some(acknowledged)) => (Outcome::Answered, Some(acknowledged)),
            (_, None, None) => (otherwise, end.map(|end| out.moment(end))),
        };
        if let Some(answer) = message.answer.filter(|answer| answer.complete && !message.began_before) {
            out.complete(self.flow, message.begin.time, answer.last);
        }
        out.transaction(Transaction {
            attempts: message.attempts,
            request_bytes: message.bytes,
            answer_bytes: message.answer.map_or(0, |answer| answer.bytes),
            ..Transaction::of(self.flow, message.begin, end, outcome)
        });
    }
}
