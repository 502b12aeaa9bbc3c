//! The sending end.

use std::collections::VecDeque;

use sojourn_core::{Machine, Time};

use super::{AbortReason, Control, Input, LIMIT, Output, PACKET, Parameters};

/// Sends one message at a time.
#[derive(Clone, Debug)]
pub struct Sender {
    parameters: Parameters,
    size: u16,
    packets: u8,
    pgn: u32,
    /// The last packet of the window.
    window: u8,
    /// The packet that was sent last.
    sent: u8,
    state: State,
    outputs: VecDeque<Output>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// A frame is to be transmitted, to all or to one.
    Transmitting {
        to_all: bool,
    },
    /// The last packet of a window is to be transmitted, or the request to send.
    Asking,
    /// For the time between packets to all.
    Spacing(Time),
    /// For an answer.
    Waiting(Time),
}

impl Sender {
    /// A sender without a message.
    pub fn new(parameters: Parameters) -> Self {
        Sender {
            parameters,
            size: 0,
            packets: 0,
            pgn: 0,
            window: 0,
            sent: 0,
            state: State::Idle,
            outputs: VecDeque::new(),
        }
    }

    /// Whether a message is being sent.
    pub fn is_busy(&self) -> bool {
        self.state != State::Idle
    }

    fn begin(&mut self, size: u16, pgn: u32, to_all: bool) {
        if usize::from(size) > LIMIT || size <= 8 {
            return self.outputs.push_back(Output::Failed(AbortReason::Resources));
        }
        let packets = usize::from(size).div_ceil(PACKET) as u8;
        (self.size, self.packets, self.pgn, self.sent, self.window) = (size, packets, pgn, 0, packets);
        let control = match to_all {
            true => Control::Bam { size, packets, pgn },
            false => Control::Rts { size, packets, most: packets, pgn },
        };
        self.state = if to_all { State::Transmitting { to_all } } else { State::Asking };
        self.outputs.push_back(Output::Control(control));
    }

    fn transmitted(&mut self, now: Time) {
        match self.state {
            State::Transmitting { to_all: true } if self.sent == self.packets => {
                self.end(Output::Complete(self.size));
            }
            State::Transmitting { to_all: true } => self.state = State::Spacing(now + self.parameters.spacing),
            State::Transmitting { to_all: false } => self.packet(),
            State::Asking => self.state = State::Waiting(now + self.parameters.t3),
            State::Idle | State::Spacing(_) | State::Waiting(_) => {}
        }
    }

    fn packet(&mut self) {
        self.sent += 1;
        let to_all = matches!(self.state, State::Spacing(_));
        self.state = if !to_all && self.sent == self.window { State::Asking } else { State::Transmitting { to_all } };
        self.outputs.push_back(Output::Packet(self.sent));
    }

    fn answered(&mut self, now: Time, control: Control) {
        let State::Waiting(_) = self.state else { return };
        match control {
            Control::Cts { packets: 0, .. } => self.state = State::Waiting(now + self.parameters.t4),
            Control::Cts { packets, next, .. } if next > 0 && next <= self.packets => {
                self.sent = next - 1;
                self.window = self.packets.min(self.sent.saturating_add(packets));
                self.packet();
            }
            Control::EndOfMessage { .. } => self.end(Output::Complete(self.size)),
            Control::Abort { reason, .. } => self.end(Output::Failed(reason)),
            _ => {}
        }
    }

    fn end(&mut self, output: Output) {
        self.state = State::Idle;
        self.outputs.push_back(output);
    }
}

impl Machine for Sender {
    type Input = Input;
    type Output = Output;

    /// A message while another [is being sent](Sender::is_busy) fails.
    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Send { .. } if self.is_busy() => self.outputs.push_back(Output::Failed(AbortReason::Busy)),
            Input::Send { size, pgn, to_all } => self.begin(size, pgn, to_all),
            Input::Transmitted => self.transmitted(now),
            Input::Control(control) => self.answered(now, control),
            Input::Packet(_) => {}
        }
    }

    fn wake(&mut self, now: Time) {
        match self.state {
            State::Spacing(until) if until <= now => self.packet(),
            State::Waiting(until) if until <= now => {
                self.outputs.push_back(Output::Control(Control::Abort { reason: AbortReason::Timeout, pgn: self.pgn }));
                self.end(Output::Failed(AbortReason::Timeout));
            }
            _ => {}
        }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        match self.state {
            State::Spacing(until) | State::Waiting(until) => Some(until),
            State::Idle | State::Transmitting { .. } | State::Asking => None,
        }
    }
}
