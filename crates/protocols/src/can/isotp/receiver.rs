//! The receiving end.

use std::collections::VecDeque;

use sojourn_core::{Machine, Time};

use super::{Failure, FlowStatus, Input, Output, Parameters, Pdu};
use crate::UserData;

/// Receives one message at a time.
#[derive(Clone, Debug)]
pub struct Receiver<D> {
    parameters: Parameters,
    message: Option<Message>,
    outputs: VecDeque<Output<D>>,
}

/// A message that has begun.
#[derive(Clone, Copy, Debug)]
struct Message {
    total: u16,
    received: u16,
    index: u8,
    /// Frames left of the block; none where all are taken.
    left: Option<u8>,
    /// Until when the next frame must come.
    until: Time,
}

impl<D: UserData> Receiver<D> {
    /// A receiver to which nothing has come.
    pub fn new(parameters: Parameters) -> Self {
        Receiver { parameters, message: None, outputs: VecDeque::new() }
    }

    fn received(&mut self, now: Time, pdu: Pdu<D>) {
        match pdu {
            // a new message ends one that was not complete (ISO 15765-2, 9.8.3)
            Pdu::Single(data) => {
                self.message = None;
                let length = data.length() as u16;
                self.outputs.extend([Output::Data(data), Output::Complete(length)]);
            }
            Pdu::First(total, data) => {
                let received = data.length() as u16;
                self.outputs.push_back(Output::Data(data));
                self.message = Some(Message { total, received, index: 0, left: None, until: now });
                self.go_on(now);
            }
            Pdu::Consecutive(index, data) => self.consecutive(now, index, data),
            Pdu::FlowControl(..) => {}
        }
    }

    fn consecutive(&mut self, now: Time, index: u8, data: D) {
        let Some(message) = &mut self.message else { return };
        message.index = (message.index + 1) & 15;
        if message.index != index {
            return self.fail(Failure::WrongSequence);
        }
        let bytes = (message.total - message.received).min(data.length() as u16);
        message.received += bytes;
        message.left = message.left.map(|left| left.saturating_sub(1));
        message.until = now + self.parameters.n_cr;
        let (is_complete, block_is_over, total) =
            (message.received == message.total, message.left == Some(0), message.total);
        self.outputs.push_back(Output::Data(data));
        if is_complete {
            self.message = None;
            self.outputs.push_back(Output::Complete(total));
        } else if block_is_over {
            self.go_on(now);
        }
    }

    /// Lets the sender go on with another block.
    fn go_on(&mut self, now: Time) {
        let Parameters { block_size, separation, n_cr, .. } = self.parameters;
        if let Some(message) = &mut self.message {
            message.left = (block_size > 0).then_some(block_size);
            message.until = now + n_cr;
        }
        self.outputs.push_back(Output::Transmit(Pdu::FlowControl(FlowStatus::Continue, block_size, separation)));
    }

    fn fail(&mut self, failure: Failure) {
        self.message = None;
        self.outputs.push_back(Output::Failed(failure));
    }
}

impl<D: UserData> Machine for Receiver<D> {
    type Input = Input<D>;
    type Output = Output<D>;

    fn handle(&mut self, now: Time, input: Input<D>) {
        match input {
            Input::Received(pdu) => self.received(now, pdu),
            Input::Send(_) => self.outputs.push_back(Output::Failed(Failure::Length)),
            Input::Transmitted => {}
        }
    }

    fn wake(&mut self, now: Time) {
        if self.message.is_some_and(|message| message.until <= now) {
            self.fail(Failure::ConsecutiveTimeout);
        }
    }

    fn poll_output(&mut self) -> Option<Output<D>> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.message.map(|message| message.until)
    }
}
