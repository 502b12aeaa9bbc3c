//! A diagnostic request over ISO-TP and its answer (ISO 14229-1), both of any length: the machines of both ends.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::StreamRange;
use sojourn_protocols::can::isotp::{Input, Output, Parameters, Pdu, Receiver, Sender};

use crate::in_flight::{Act, Carried};

/// The first bytes of requests and answers: ReadDataByIdentifier of the vehicle's identification number.
pub const REQUEST: [u8; 3] = [0x22, 0xf1, 0x90];
pub const ANSWER: [u8; 3] = [0x62, 0xf1, 0x90];

/// A request and its answer, each with a sender and a receiver.
#[derive(Clone, Debug)]
pub struct Exchange {
    request: (Sender<StreamRange>, Receiver<StreamRange>),
    answer: (Sender<StreamRange>, Receiver<StreamRange>),
    /// Bytes of the answer.
    data: u16,
    timeout: Duration,
    /// Until when the answer must have begun.
    until: Time,
    now: Time,
}

impl Exchange {
    /// One that has not begun, whose answer has this many bytes.
    pub fn new(parameters: Parameters, data: u16) -> Self {
        let ends = || (Sender::new(parameters), Receiver::new(parameters));
        let (until, now) = (Time::NEVER, Time::ZERO);
        Exchange { request: ends(), answer: ends(), data, timeout: parameters.n_bs, until, now }
    }

    /// The client sends its request.
    pub fn begin(&mut self, now: Time, message: StreamRange) {
        (self.now, self.until) = (now, now + self.timeout);
        self.request.0.handle(now, Input::Send(message));
    }

    /// A frame has come: to the client, or to the server.
    pub fn received(&mut self, now: Time, pdu: Pdu<StreamRange>, by_client: bool) {
        self.now = now;
        let input = Input::Received(pdu);
        match (by_client, pdu) {
            (true, Pdu::FlowControl(..)) => self.request.0.handle(now, input),
            (true, _) => {
                self.until = Time::NEVER;
                self.answer.1.handle(now, input);
            }
            (false, Pdu::FlowControl(..)) => self.answer.0.handle(now, input),
            (false, _) => self.request.1.handle(now, input),
        }
    }

    /// A frame has been sent, of the server or of the client.
    pub fn transmitted(&mut self, now: Time, is_back: bool) {
        self.now = now;
        let sender = if is_back { &mut self.answer.0 } else { &mut self.request.0 };
        sender.handle(now, Input::Transmitted);
    }

    /// The next thing that an end does.
    pub fn next(&mut self) -> Option<Act> {
        loop {
            if let Some(output) = self.request.0.poll_output() {
                match output {
                    Output::Transmit(pdu) => return Some(Act::Forth(Carried::IsoTp(pdu))),
                    Output::Failed(_) => return Some(Act::Failed),
                    Output::Complete(_) | Output::Data(_) => {}
                }
            } else if let Some(output) = self.request.1.poll_output() {
                match output {
                    Output::Transmit(pdu) => return Some(Act::Back(0, Carried::IsoTp(pdu))),
                    Output::Complete(_) => {
                        let message = StreamRange { stream: 0, offset: 0, length: self.data };
                        self.answer.0.handle(self.now, Input::Send(message));
                    }
                    Output::Failed(_) | Output::Data(_) => {}
                }
            } else if let Some(output) = self.answer.0.poll_output() {
                match output {
                    Output::Transmit(pdu) => return Some(Act::Back(0, Carried::IsoTp(pdu))),
                    Output::Failed(_) => return Some(Act::Failed),
                    Output::Complete(_) | Output::Data(_) => {}
                }
            } else {
                match self.answer.1.poll_output()? {
                    Output::Transmit(pdu) => return Some(Act::Forth(Carried::IsoTp(pdu))),
                    Output::Complete(_) => return Some(Act::Complete),
                    Output::Failed(_) => return Some(Act::Failed),
                    Output::Data(_) => {}
                }
            }
        }
    }

    /// When an end wants to be woken.
    pub fn next_wakeup(&self) -> Option<Time> {
        let until = Some(self.until).filter(|until| *until != Time::NEVER);
        let senders = [&self.request.0, &self.answer.0].map(Machine::next_wakeup);
        let receivers = [&self.request.1, &self.answer.1].map(Machine::next_wakeup);
        senders.into_iter().chain(receivers).chain([until]).flatten().min()
    }

    /// Wakes both ends; whether the answer has been waited for long enough.
    pub fn wake(&mut self, now: Time) -> bool {
        self.now = now;
        [&mut self.request.0, &mut self.answer.0].into_iter().for_each(|sender| sender.wake(now));
        [&mut self.request.1, &mut self.answer.1].into_iter().for_each(|receiver| receiver.wake(now));
        self.until <= now
    }
}
