//! One request and its answer, in frames: of UDS over ISO-TP, and an upload of CANopen.

use std::fmt::Debug;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::Bytes;
use sojourn_protocols::can::canopen::{Client, ClientInput, ClientOutput, Failure, Object, Sdo};
use sojourn_protocols::can::frame::{Content, Id};
use sojourn_protocols::can::isotp::{Input, Output, Parameters, Pdu, Receiver, Sender};
use sojourn_protocols::can::log::Logged;

use super::uds::{self, Answer};
use super::url::{Question, Service};
use crate::io::can::Frame;
use crate::io::network_error::ServiceError;

/// What a dialogue asks of its client.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Send a frame.
    Send(Frame),
    /// The last frame of the request has left.
    RequestLeft,
    /// The first frame of an answer has come.
    AnswerBegins,
    /// The answer that has begun was to something else, or says that another follows.
    AnotherAnswer,
    /// The request has ended.
    Ended(Result<(), ServiceError>),
}

/// One end of requests of a kind, one after the other.
pub trait Dialogue: Debug + Send {
    /// Begins a request; the one before has ended.
    fn begin(&mut self, now: Time);

    /// A frame of the node.
    fn received(&mut self, now: Time, frame: &Frame);

    /// Takes note of timers that are due by `now`.
    fn wake(&mut self, now: Time);

    /// When [`wake`](Dialogue::wake) is due.
    fn next_wakeup(&self) -> Option<Time>;

    /// Forgets the open request.
    fn reset(&mut self);

    /// What is to be done next.
    fn poll(&mut self) -> Option<Act>;
}

/// The dialogue of a question.
pub fn of(question: &Question, timeout: Duration) -> Box<dyn Dialogue> {
    match &question.service {
        Service::Uds(data, padding) => Box::new(UdsDialogue {
            request: Bytes::from(data.clone()),
            ends: Ends::new(question.request, *padding),
            is_open: false,
            answer: Vec::new(),
            acts: Acts::new(),
        }),
        Service::Sdo(object) => {
            let (id, object) = (question.request, *object);
            let client = Client::new(timeout);
            Box::new(SdoDialogue { id, object, timeout, client, has_begun: false, acts: Acts::new() })
        }
    }
}

type Acts = std::collections::VecDeque<Act>;

/// Both ends of ISO-TP at one node.
#[derive(Debug)]
pub struct Ends {
    id: Id,
    padding: Option<u8>,
    sender: Sender<Bytes>,
    receiver: Receiver<Bytes>,
}

/// What comes of the ends of ISO-TP.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Send a frame.
    Send(Frame),
    /// The message has left.
    Sent,
    /// A part of a message has come.
    Data(Bytes),
    /// The message that has come has this many bytes.
    Received(usize),
    /// A message that is sent or received is given up.
    Failed(sojourn_protocols::can::isotp::Failure),
}

impl Ends {
    /// Both ends, which send frames with this identifier, filled with `padding`.
    pub fn new(id: Id, padding: Option<u8>) -> Ends {
        let parameters = Parameters::default();
        Ends { id, padding, sender: Sender::new(parameters), receiver: Receiver::new(parameters) }
    }

    /// Sends a message; one that is still being sent is given up.
    pub fn send(&mut self, now: Time, message: Bytes) {
        if self.sender.is_busy() {
            self.sender = Sender::new(Parameters::default());
        }
        self.sender.handle(now, Input::Send(message));
    }

    /// Takes a frame; what is none of ISO-TP is passed.
    pub fn received(&mut self, now: Time, frame: &Frame) {
        let (Content::Data(data) | Content::Fd { data, .. }) = &frame.content else { return };
        let owned = |data: &[u8]| Bytes::copy_from_slice(data);
        let pdu = match Pdu::parse(data) {
            Ok(Pdu::Single(data)) => Pdu::Single(owned(data)),
            Ok(Pdu::First(total, data)) => Pdu::First(total, owned(data)),
            Ok(Pdu::Consecutive(index, data)) => Pdu::Consecutive(index, owned(data)),
            Ok(Pdu::FlowControl(status, block, separation)) => {
                return self.sender.handle(now, Input::Received(Pdu::FlowControl(status, block, separation)));
            }
            Err(_) => return,
        };
        self.receiver.handle(now, Input::Received(pdu));
    }

    /// Takes note of timers.
    pub fn wake(&mut self, now: Time) {
        self.sender.wake(now);
        self.receiver.wake(now);
    }

    /// When [`wake`](Ends::wake) is due.
    pub fn next_wakeup(&self) -> Option<Time> {
        [self.sender.next_wakeup(), self.receiver.next_wakeup()].into_iter().flatten().min()
    }

    /// What comes next; a frame that is to be sent counts as sent at `now`.
    pub fn poll(&mut self, now: Time) -> Option<Event> {
        if let Some(output) = self.sender.poll_output() {
            return Some(match output {
                Output::Transmit(pdu) => {
                    self.sender.handle(now, Input::Transmitted);
                    Event::Send(self.frame(&pdu))
                }
                Output::Failed(failure) => Event::Failed(failure),
                Output::Complete(_) | Output::Data(_) => Event::Sent,
            });
        }
        Some(match self.receiver.poll_output()? {
            Output::Transmit(pdu) => Event::Send(self.frame(&pdu)),
            Output::Data(data) => Event::Data(data),
            Output::Complete(total) => Event::Received(total.into()),
            Output::Failed(failure) => Event::Failed(failure),
        })
    }

    fn frame(&self, pdu: &Pdu<Bytes>) -> Frame {
        let mut buffer = [0; 64];
        let length = pdu.emit(&mut buffer);
        let mut data = buffer[..length].to_vec();
        if let Some(octet) = self.padding
            && length < 8
        {
            data.resize(8, octet);
        }
        Logged { id: self.id, content: Content::Data(data) }
    }
}

/// A request of UDS.
#[derive(Debug)]
struct UdsDialogue {
    request: Bytes,
    ends: Ends,
    is_open: bool,
    /// What has come of an answer.
    answer: Vec<u8>,
    acts: Acts,
}

impl UdsDialogue {
    fn turn(&mut self, now: Time) {
        while let Some(event) = self.ends.poll(now) {
            match event {
                Event::Send(frame) => self.acts.push_back(Act::Send(frame)),
                Event::Sent => self.acts.push_back(Act::RequestLeft),
                Event::Data(data) => self.answer.extend_from_slice(&data),
                Event::Received(total) => self.whole(total),
                Event::Failed(failure) => self.end(Err(ServiceError::IsoTp(failure))),
            }
        }
    }

    fn whole(&mut self, total: usize) {
        let answer = std::mem::take(&mut self.answer);
        match uds::answer(&self.request, &answer[..total.min(answer.len())]) {
            Answer::Ended(outcome) => self.end(outcome),
            Answer::Pending | Answer::Another => self.acts.push_back(Act::AnotherAnswer),
        }
    }

    fn end(&mut self, outcome: Result<(), ServiceError>) {
        if std::mem::replace(&mut self.is_open, false) {
            self.acts.push_back(Act::Ended(outcome));
        }
    }
}

impl Dialogue for UdsDialogue {
    fn begin(&mut self, now: Time) {
        self.reset();
        self.is_open = true;
        self.ends.send(now, self.request.clone());
        self.turn(now);
    }

    fn received(&mut self, now: Time, frame: &Frame) {
        let (Content::Data(data) | Content::Fd { data, .. }) = &frame.content else { return };
        match Pdu::parse(data) {
            Ok(Pdu::Single(_) | Pdu::First(..)) if self.is_open => {
                self.answer.clear();
                self.acts.push_back(Act::AnswerBegins);
            }
            // a late part of an answer that was given up, or the beginning of one
            _ if !self.is_open => return,
            _ => {}
        }
        self.ends.received(now, frame);
        self.turn(now);
    }

    fn wake(&mut self, now: Time) {
        self.ends.wake(now);
        self.turn(now);
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.ends.next_wakeup()
    }

    fn reset(&mut self) {
        self.ends = Ends::new(self.ends.id, self.ends.padding);
        self.answer.clear();
        self.acts.clear();
        self.is_open = false;
    }

    fn poll(&mut self) -> Option<Act> {
        self.acts.pop_front()
    }
}

/// An upload of CANopen.
#[derive(Debug)]
struct SdoDialogue {
    id: Id,
    object: Object,
    timeout: Duration,
    client: Client,
    /// Whether a frame of the answer has come.
    has_begun: bool,
    acts: Acts,
}

impl SdoDialogue {
    fn turn(&mut self) {
        while let Some(output) = self.client.poll_output() {
            self.acts.push_back(match output {
                ClientOutput::Transmit(sdo) => {
                    let content = Content::Data(sdo.to_bytes().to_vec());
                    Act::Send(Logged { id: self.id, content })
                }
                ClientOutput::Complete(_) => Act::Ended(Ok(())),
                ClientOutput::Failed(failure) => Act::Ended(Err(match failure {
                    Failure::Timeout => ServiceError::Timeout,
                    Failure::Aborted(code) => ServiceError::SdoAbort(code),
                    Failure::Unexpected => ServiceError::Protocol,
                    Failure::Busy => ServiceError::NotSent,
                })),
            });
        }
    }

    /// Whether an answer is about another object, as to another client.
    fn is_of_another(&self, sdo: Sdo) -> bool {
        matches!(sdo, Sdo::Uploaded(of, ..) | Sdo::BeginUpload(of, _) | Sdo::Abort(of, _) | Sdo::Downloaded(of) if of != self.object)
    }
}

impl Dialogue for SdoDialogue {
    fn begin(&mut self, now: Time) {
        self.has_begun = false;
        self.client.handle(now, ClientInput::Upload(self.object));
        self.turn();
        self.acts.push_back(Act::RequestLeft);
    }

    fn received(&mut self, now: Time, frame: &Frame) {
        let Content::Data(data) = &frame.content else { return };
        let Ok(sdo) = Sdo::of_server(data) else { return };
        if !self.client.is_busy() || self.is_of_another(sdo) {
            return;
        }
        if !std::mem::replace(&mut self.has_begun, true) {
            self.acts.push_back(Act::AnswerBegins);
        }
        self.client.handle(now, ClientInput::Received(sdo));
        self.turn();
    }

    fn wake(&mut self, now: Time) {
        self.client.wake(now);
        self.turn();
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.client.next_wakeup()
    }

    fn reset(&mut self) {
        self.client = Client::new(self.timeout);
        self.acts.clear();
    }

    fn poll(&mut self) -> Option<Act> {
        self.acts.pop_front()
    }
}
