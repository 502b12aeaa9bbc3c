//! The receiving end.

use std::collections::VecDeque;

use sojourn_core::{Machine, Time};

use super::{AbortReason, Control, Input, Output, Parameters};

/// Receives one message at a time.
#[derive(Clone, Debug)]
pub struct Receiver {
    parameters: Parameters,
    message: Option<Message>,
    outputs: VecDeque<Output>,
}

/// A message that has begun.
#[derive(Clone, Copy, Debug)]
struct Message {
    size: u16,
    packets: u8,
    pgn: u32,
    to_all: bool,
    most: u8,
    received: u8,
    /// The last packet that was cleared.
    window: u8,
    until: Time,
}

impl Receiver {
    /// A receiver to which nothing has come.
    pub fn new(parameters: Parameters) -> Self {
        Receiver { parameters, message: None, outputs: VecDeque::new() }
    }

    fn control(&mut self, now: Time, control: Control) {
        let begun = |size, packets, pgn, to_all, most: u8| Message {
            size,
            packets,
            pgn,
            to_all,
            most: most.max(1),
            received: 0,
            window: packets,
            until: now,
        };
        match control {
            Control::Rts { size, packets, most, pgn } => {
                self.message = Some(begun(size, packets, pgn, false, most));
                self.clear_to_send(now);
            }
            Control::Bam { size, packets, pgn } => {
                let until = now + self.parameters.t1;
                self.message = Some(Message { until, ..begun(size, packets, pgn, true, packets) });
            }
            Control::Abort { reason, .. } if self.message.take().is_some() => {
                self.outputs.push_back(Output::Failed(reason));
            }
            _ => {}
        }
    }

    fn packet(&mut self, now: Time, sequence: u8) {
        let Some(message) = &mut self.message else { return };
        if sequence != message.received.wrapping_add(1) {
            return self.abort(AbortReason::Timeout);
        }
        message.received = sequence;
        message.until = now + self.parameters.t1;
        let Message { size, packets, pgn, to_all, received, window, .. } = *message;
        if received == packets {
            self.message = None;
            if !to_all {
                self.outputs.push_back(Output::Control(Control::EndOfMessage { size, packets, pgn }));
            }
            self.outputs.push_back(Output::Complete(size));
        } else if received == window && !to_all {
            self.clear_to_send(now);
        }
    }

    fn clear_to_send(&mut self, now: Time) {
        let Some(message) = &mut self.message else { return };
        let packets = self.parameters.window.max(1).min(message.most).min(message.packets - message.received);
        message.window = message.received + packets;
        message.until = now + self.parameters.t2;
        let cts = Control::Cts { packets, next: message.received + 1, pgn: message.pgn };
        self.outputs.push_back(Output::Control(cts));
    }

    fn abort(&mut self, reason: AbortReason) {
        if let Some(Message { pgn, to_all, .. }) = self.message.take() {
            if !to_all {
                self.outputs.push_back(Output::Control(Control::Abort { reason, pgn }));
            }
            self.outputs.push_back(Output::Failed(reason));
        }
    }
}

impl Machine for Receiver {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Control(control) => self.control(now, control),
            Input::Packet(sequence) => self.packet(now, sequence),
            Input::Send { .. } => self.outputs.push_back(Output::Failed(AbortReason::Busy)),
            Input::Transmitted => {}
        }
    }

    fn wake(&mut self, now: Time) {
        if self.message.is_some_and(|message| message.until <= now) {
            self.abort(AbortReason::Timeout);
        }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.message.map(|message| message.until)
    }
}
