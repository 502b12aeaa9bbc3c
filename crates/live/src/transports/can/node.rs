//! A node for tests: it answers ReadDataByIdentifier and TesterPresent of UDS, and SDO uploads of CANopen.

use std::collections::VecDeque;

use sojourn_core::{Duration, Machine, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::Bytes;
use sojourn_protocols::can::canopen::{Abort, Object, Sdo, Server, ServerOutput, function};
use sojourn_protocols::can::frame::{Content, Id};
use sojourn_protocols::can::log::Logged;

use super::attached::{Attached, Received};
use super::dialogue::{Ends, Event};
use super::uds;
use super::url::Answers;
use crate::io::can::Frame;
use crate::io::clock::Clock;
use crate::progress::report::Report;
use crate::progress::watch::Watch;
use crate::transport::Listening;

/// The longest wait, so that cancellation is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// Answers that wait for their delay, at most.
const MOST_WAITING: usize = 64;
/// Bytes of a record and of an object where the URL says nothing: those of a VIN, and of most objects.
const RECORD: u16 = 17;
const OBJECT: u16 = 4;
/// The first data identifier and the first object that the node has: what is below belongs to the standards.
const FIRST_IDENTIFIER: u16 = 0x0100;
const FIRST_OBJECT: u16 = 0x1000;
/// An attempt to write what can only be read (CiA 301, table 22).
const READ_ONLY: Abort = Abort(0x0601_0002);
/// What fills frames of ISO-TP.
const PADDING: u8 = 0xcc;

/// The node.
#[derive(Debug)]
pub struct Node {
    answers: Answers,
    ends: Ends,
    /// What has come of a request.
    message: Vec<u8>,
    server: Server,
    /// Answers that wait for their delay.
    waiting: VecDeque<(Time, Reply)>,
    frames: VecDeque<Frame>,
    answered: u64,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
enum Reply {
    Uds(Vec<u8>),
    Sdo(Sdo),
}

impl Node {
    /// A node that nothing was asked of.
    pub fn new(answers: Answers) -> Node {
        Node {
            answers,
            ends: Ends::new(answers.response, Some(PADDING)),
            message: Vec::new(),
            server: Server::new(answers.length.unwrap_or(OBJECT).into()),
            waiting: VecDeque::new(),
            frames: VecDeque::new(),
            answered: 0,
        }
    }

    /// Requests answered.
    pub const fn answered(&self) -> u64 {
        self.answered
    }

    /// Takes a frame of another node.
    pub fn received(&mut self, now: Time, frame: &Frame) {
        if frame.id == self.answers.request {
            self.ends.received(now, frame);
        } else if frame.id == Id::Base(function::SDO_REQUEST + u16::from(self.answers.node))
            && let Content::Data(data) = &frame.content
            && let Ok(sdo) = Sdo::of_client(data)
        {
            self.sdo(now, sdo);
        }
        self.turn(now);
    }

    /// Takes note of timers.
    pub fn wake(&mut self, now: Time) {
        self.ends.wake(now);
        self.turn(now);
    }

    /// When [`wake`](Node::wake) is due.
    pub fn next_wakeup(&self) -> Option<Time> {
        let reply = self.waiting.front().map(|(due, _)| *due);
        [reply, self.ends.next_wakeup()].into_iter().flatten().min()
    }

    /// The next frame to send.
    pub fn poll(&mut self) -> Option<Frame> {
        self.frames.pop_front()
    }

    fn sdo(&mut self, now: Time, sdo: Sdo) {
        let refused = match sdo {
            Sdo::Upload(object) if object.index < FIRST_OBJECT => Some((object, Abort::NO_OBJECT)),
            Sdo::Download(object, ..) | Sdo::BeginDownload(object, _) => Some((object, READ_ONLY)),
            _ => None,
        };
        if let Some((object, code)) = refused {
            self.answered += 1;
            return self.reply(now, Reply::Sdo(Sdo::Abort(object, code)));
        }
        self.server.handle(now, sdo);
        while let Some(output) = self.server.poll_output() {
            match output {
                ServerOutput::Transmit(sdo) => self.reply(now, Reply::Sdo(filled(sdo))),
                ServerOutput::Read(_) => self.answered += 1,
                ServerOutput::Written(_) => {}
            }
        }
    }

    fn uds(&mut self, now: Time, request: &[u8]) {
        let answer = match request {
            [uds::READ_DATA_BY_IDENTIFIER, high, low] => {
                let identifier = u16::from_be_bytes([*high, *low]);
                if identifier < FIRST_IDENTIFIER {
                    vec![uds::NEGATIVE, uds::READ_DATA_BY_IDENTIFIER, uds::OUT_OF_RANGE]
                } else {
                    let record = (0..self.answers.length.unwrap_or(RECORD)).map(|at| b'0' + (at % 10) as u8);
                    [uds::READ_DATA_BY_IDENTIFIER + uds::POSITIVE, *high, *low].into_iter().chain(record).collect()
                }
            }
            [uds::READ_DATA_BY_IDENTIFIER, ..] => {
                vec![uds::NEGATIVE, uds::READ_DATA_BY_IDENTIFIER, uds::WRONG_LENGTH]
            }
            [0x3e, 0] => vec![0x7e, 0],
            [0x3e, 0x80] => return,
            [service, ..] => vec![uds::NEGATIVE, *service, uds::NOT_SUPPORTED],
            [] => return,
        };
        self.answered += 1;
        self.reply(now, Reply::Uds(answer));
    }

    fn reply(&mut self, now: Time, reply: Reply) {
        if self.waiting.len() < MOST_WAITING {
            let due = now + Duration::from_millis(self.answers.delay.into());
            self.waiting.push_back((due, reply));
        }
    }

    /// Sends the answers that are due, and what the ends of ISO-TP have to send.
    fn turn(&mut self, now: Time) {
        loop {
            while let Some(event) = self.ends.poll(now) {
                match event {
                    Event::Send(frame) => self.frames.push_back(frame),
                    Event::Data(data) => self.message.extend_from_slice(&data),
                    Event::Received(total) => {
                        let message = std::mem::take(&mut self.message);
                        self.uds(now, &message[..total.min(message.len())]);
                    }
                    // of a request that was not whole, or an answer that its client does not take
                    Event::Failed(_) => self.message.clear(),
                    Event::Sent => {}
                }
            }
            match self.waiting.front() {
                Some((due, _)) if *due <= now => {}
                _ => return,
            }
            match self.waiting.pop_front() {
                Some((_, Reply::Uds(message))) => self.ends.send(now, Bytes::from(message)),
                Some((_, Reply::Sdo(sdo))) => {
                    let id = Id::Base(function::SDO_ANSWER + u16::from(self.answers.node));
                    self.frames.push_back(Logged { id, content: Content::Data(sdo.to_bytes().to_vec()) });
                }
                None => return,
            }
        }
    }
}

/// The answer with data that are not zero: those of each object count up.
fn filled(sdo: Sdo) -> Sdo {
    match sdo {
        Sdo::Uploaded(object @ Object { index, .. }, length, _) => {
            let [low, high] = index.to_le_bytes();
            let mut data = [low, high, object.subindex, 1];
            data[usize::from(length.min(4))..].fill(0);
            Sdo::Uploaded(object, length, data)
        }
        other => other,
    }
}

/// Serves until the limits of `listening`, or until it is cancelled.
pub fn serve(node: &mut Node, bus: &mut Attached, listening: &Listening, watch: &Watch, frames: &mut dyn FrameSink) {
    let (clock, mut record) = (Clock::start(), Vec::new());
    while !listening.is_over(watch, clock.now(), node.answered()) {
        let now = clock.now();
        match bus.receive() {
            Received::Frame(frame) => {
                frame.emit(&mut record);
                frames.frame(now, &record);
                node.received(now, &frame);
            }
            Received::Nothing => {
                let due = node.next_wakeup().map_or(LONGEST_WAIT, |due| due.since(now));
                bus.wait(due.min(LONGEST_WAIT));
            }
            Received::Lost(fault) => watch.report(Report::note(format!("{} is lost: {fault}", bus.name()))),
            Received::Restored => watch.report(Report::note(format!("{} is open again", bus.name()))),
        }
        let now = clock.now();
        if node.next_wakeup().is_some_and(|due| due <= now) {
            node.wake(now);
        }
        while let Some(frame) = node.poll() {
            frame.emit(&mut record);
            frames.frame(now, &record);
            bus.send(&frame);
        }
        watch.set_done(node.answered());
    }
}

/// Takes octets as frames to a node, each behind one that chooses its identifier and one with its length: no input makes it send
/// more than a few frames.
pub fn fuzz(answers: Answers, octets: &[u8]) {
    let (mut node, mut now, mut rest) = (Node::new(answers), Time::ZERO, octets);
    while let Some((&[which, length], behind)) = rest.split_first_chunk() {
        let (data, behind) = behind.split_at(behind.len().min(usize::from(length % 9)));
        rest = behind;
        now += Duration::from_millis(u64::from(which));
        let sdo = Id::Base(function::SDO_REQUEST + u16::from(answers.node));
        let id = if which.is_multiple_of(2) { answers.request } else { sdo };
        node.received(now, &Logged { id, content: Content::Data(data.to_vec()) });
        node.wake(now);
        let sent = std::iter::from_fn(|| node.poll()).count();
        assert!(sent <= 4100 / 7 + MOST_WAITING, "{sent} frames for one");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ANSWERS: Answers =
        Answers { request: Id::Base(0x7e0), response: Id::Base(0x7e8), node: 5, length: None, delay: 20 };

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn ask(node: &mut Node, ms: u64, id: u16, data: &[u8]) {
        node.received(at(ms), &Logged { id: Id::Base(id), content: Content::Data(data.to_vec()) });
    }

    fn sent(node: &mut Node) -> Vec<(u32, Vec<u8>)> {
        let frames = std::iter::from_fn(|| node.poll());
        frames
            .map(|frame| (frame.id.value(), if let Content::Data(data) = frame.content { data } else { vec![] }))
            .collect()
    }

    #[test]
    fn a_record_of_17_bytes_comes_in_three_frames_after_the_delay() {
        let mut node = Node::new(ANSWERS);
        ask(&mut node, 0, 0x7e0, &[3, 0x22, 0xf1, 0x90, 0xcc, 0xcc, 0xcc, 0xcc]);
        assert_eq!((sent(&mut node), node.next_wakeup()), (vec![], Some(at(20))));
        node.wake(at(20));
        assert_eq!(sent(&mut node), [(0x7e8, vec![0x10, 20, 0x62, 0xf1, 0x90, b'0', b'1', b'2'])]);
        ask(&mut node, 25, 0x7e0, &[0x30, 0, 0]);
        let rest = [(0x7e8, b"\x213456789".to_vec()), (0x7e8, b"\x220123456".to_vec())];
        assert_eq!((sent(&mut node), node.answered()), (rest.to_vec(), 1));
    }

    #[test]
    fn a_client_that_left_an_answer_half_taken_is_answered_again() {
        let mut node = Node::new(Answers { delay: 0, ..ANSWERS });
        for ms in [0, 10] {
            ask(&mut node, ms, 0x7e0, &[3, 0x22, 0xf1, 0x90]);
            assert_eq!(sent(&mut node), [(0x7e8, vec![0x10, 20, 0x62, 0xf1, 0x90, b'0', b'1', b'2'])]);
        }
    }

    #[test]
    fn what_the_node_does_not_have_is_answered_negatively() {
        let of = |data: &[u8]| {
            let mut node = Node::new(Answers { delay: 0, ..ANSWERS });
            ask(&mut node, 0, 0x7e0, data);
            sent(&mut node)
        };
        let negative = |service, code| vec![(0x7e8, vec![3, 0x7f, service, code, 0xcc, 0xcc, 0xcc, 0xcc])];
        assert_eq!(of(&[3, 0x22, 0, 1]), negative(0x22, 0x31));
        assert_eq!(of(&[2, 0x22, 0]), negative(0x22, 0x13));
        assert_eq!(of(&[2, 0x10, 3]), negative(0x10, 0x11));
        assert_eq!(of(&[2, 0x3e, 0x80]), []);
        assert_eq!(of(&[2, 0x3e, 0]), [(0x7e8, vec![2, 0x7e, 0, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc])]);
    }

    #[test]
    fn objects_are_read_and_neither_written_nor_found_below_1000() {
        let of = |data: [u8; 8]| {
            let mut node = Node::new(Answers { delay: 0, ..ANSWERS });
            ask(&mut node, 0, 0x605, &data);
            sent(&mut node)
        };
        assert_eq!(of([0x40, 0x18, 0x10, 1, 0, 0, 0, 0]), [(0x585, vec![0x43, 0x18, 0x10, 1, 0x18, 0x10, 1, 1])]);
        assert_eq!(of([0x40, 5, 0, 0, 0, 0, 0, 0]), [(0x585, vec![0x80, 5, 0, 0, 0, 0, 2, 6])]);
        assert_eq!(of([0x23, 0x18, 0x10, 1, 1, 2, 3, 4]), [(0x585, vec![0x80, 0x18, 0x10, 1, 2, 0, 1, 6])]);
    }

    proptest! {
        #[test]
        fn whatever_comes_few_frames_leave(octets in proptest::collection::vec(any::<u8>(), 0..400)) {
            fuzz(ANSWERS, &octets);
            fuzz(Answers { length: Some(4000), delay: 0, ..ANSWERS }, &octets);
        }
    }
}
