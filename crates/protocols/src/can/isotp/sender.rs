//! The sending end.

use std::collections::VecDeque;

use sojourn_core::{Duration, Machine, Time};

use super::{Failure, FlowStatus, Input, LIMIT, Output, Parameters, Pdu, Separation};
use crate::StreamData;

/// Sends one message at a time.
#[derive(Clone, Debug)]
pub struct Sender<D> {
    parameters: Parameters,
    message: D,
    /// Bytes of it in frames so far.
    sent: usize,
    index: u8,
    /// Frames left of the block; none where the receiver takes all.
    left: Option<u8>,
    separation: Separation,
    state: State,
    outputs: VecDeque<Output<D>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// A frame is to be transmitted: the first, the last of a block or of the message, or another.
    Transmitting(Next),
    /// For flow control, until then.
    Waiting(Time),
    /// For the separation time, until then.
    Separating(Time),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    FlowControl,
    Frame,
    End,
}

impl<D: StreamData> Sender<D> {
    /// A sender without a message.
    pub fn new(parameters: Parameters) -> Self {
        Sender {
            parameters,
            message: D::default(),
            sent: 0,
            index: 0,
            left: None,
            separation: Separation(0),
            state: State::Idle,
            outputs: VecDeque::new(),
        }
    }

    /// Whether a message is being sent.
    pub fn is_busy(&self) -> bool {
        self.state != State::Idle
    }

    fn begin(&mut self, message: D) {
        let (length, frame) = (message.length(), usize::from(self.parameters.frame));
        if length == 0 || length > LIMIT {
            return self.outputs.push_back(Output::Failed(Failure::Length));
        }
        let in_one = if frame > 8 { frame - 2 } else { 7 };
        (self.message, self.index) = (message, 0);
        let next = if length <= in_one { Next::End } else { Next::FlowControl };
        let pdu = match next {
            Next::End => Pdu::Single(self.part(length)),
            _ => Pdu::First(length as u16, self.part(frame - 2)),
        };
        self.transmit(pdu, next);
    }

    fn part(&mut self, bytes: usize) -> D {
        let end = (self.sent + bytes).min(self.message.length());
        let part = self.message.slice(self.sent, end);
        self.sent = end;
        part
    }

    fn transmit(&mut self, pdu: Pdu<D>, next: Next) {
        self.state = State::Transmitting(next);
        self.outputs.push_back(Output::Transmit(pdu));
    }

    fn transmitted(&mut self, now: Time) {
        let State::Transmitting(next) = self.state else { return };
        match next {
            Next::FlowControl => self.state = State::Waiting(now + self.parameters.n_bs),
            Next::End => self.end(Output::Complete(self.message.length() as u16)),
            Next::Frame => {
                let separation = self.separation.span();
                self.state = State::Separating(now + separation);
                if separation == Duration::ZERO {
                    self.consecutive();
                }
            }
        }
    }

    fn consecutive(&mut self) {
        self.index = self.index.wrapping_add(1) & 15;
        let part = self.part(usize::from(self.parameters.frame) - 1);
        let is_last = self.sent == self.message.length();
        self.left = self.left.map(|left| left - 1);
        let next = match self.left {
            _ if is_last => Next::End,
            Some(0) => Next::FlowControl,
            _ => Next::Frame,
        };
        self.transmit(Pdu::Consecutive(self.index, part), next);
    }

    fn flow_control(&mut self, now: Time, status: FlowStatus, block: u8, separation: Separation) {
        let State::Waiting(_) = self.state else { return };
        match status {
            FlowStatus::Continue => {
                self.left = (block > 0).then_some(block);
                self.separation = separation;
                self.consecutive();
            }
            FlowStatus::Wait => self.state = State::Waiting(now + self.parameters.n_bs),
            FlowStatus::Overflow => self.end(Output::Failed(Failure::Overflow)),
        }
    }

    fn end(&mut self, output: Output<D>) {
        (self.state, self.sent) = (State::Idle, 0);
        self.message = D::default();
        self.outputs.push_back(output);
    }
}

impl<D: StreamData> Machine for Sender<D> {
    type Input = Input<D>;
    type Output = Output<D>;

    /// A message while another [is being sent](Sender::is_busy) fails.
    fn handle(&mut self, now: Time, input: Input<D>) {
        match input {
            Input::Send(_) if self.is_busy() => self.outputs.push_back(Output::Failed(Failure::Length)),
            Input::Send(message) => self.begin(message),
            Input::Transmitted => self.transmitted(now),
            Input::Received(Pdu::FlowControl(status, block, separation)) => {
                self.flow_control(now, status, block, separation);
            }
            Input::Received(_) => {}
        }
    }

    fn wake(&mut self, now: Time) {
        match self.state {
            State::Waiting(until) if until <= now => self.end(Output::Failed(Failure::FlowControlTimeout)),
            State::Separating(until) if until <= now => self.consecutive(),
            _ => {}
        }
    }

    fn poll_output(&mut self) -> Option<Output<D>> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        match self.state {
            State::Waiting(until) | State::Separating(until) => Some(until),
            State::Idle | State::Transmitting(_) => None,
        }
    }
}
