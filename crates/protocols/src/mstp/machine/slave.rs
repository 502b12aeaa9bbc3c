//! The slave node: it answers, and never has the token.

use std::collections::VecDeque;

use sojourn_core::{Machine, Time, clone_fields};

use super::counters::{Counter, Counters};
use super::messages::{Delivery, Input, Output};
use super::settings::Settings;
use crate::UserData;
use crate::limits::ParameterOutOfRange;
use crate::mstp::BROADCAST;
use crate::mstp::wire::{Frame, FrameType};

/// A slave node.
#[derive(Debug)]
pub struct Slave<D> {
    settings: Settings,
    /// When the silence began.
    silent: Time,
    /// The node that waits for a reply (ANSWER_DATA_REQUEST).
    asked_by: Option<u8>,
    is_sending: bool,
    outputs: VecDeque<Output<D>>,
    counters: Counters,
}

clone_fields!([D: Clone] Slave<D> { settings, silent, asked_by, is_sending, outputs, counters });

impl<D: UserData + Default> Slave<D> {
    /// A slave after its start at `now`.
    pub fn new(settings: Settings, now: Time) -> Result<Self, ParameterOutOfRange> {
        settings.check_slave()?;
        let (outputs, counters) = (VecDeque::new(), Counters::default());
        Ok(Slave { settings, silent: now, asked_by: None, is_sending: false, outputs, counters })
    }

    /// Starts again at `now`, as after a loss of power. Counters go on.
    pub fn restart(&mut self, now: Time) {
        (self.silent, self.asked_by, self.is_sending) = (now, None, false);
        self.outputs.clear();
    }

    /// The node's event counters.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Whether a request waits for the application's reply.
    pub fn is_asked(&self) -> bool {
        self.asked_by.is_some()
    }

    /// Whether a frame is being sent.
    pub fn is_sending(&self) -> bool {
        self.is_sending
    }

    /// Swaps the output queue with `outputs`: a driver of many nodes passes each the same queue.
    #[inline]
    pub fn exchange_outputs(&mut self, outputs: &mut VecDeque<Output<D>>) {
        std::mem::swap(&mut self.outputs, outputs);
    }

    fn transmit(&mut self, frame: Frame<D>) {
        self.is_sending = true;
        self.outputs.push_back(Output::Transmit(frame));
    }

    fn receive(&mut self, frame: Frame<D>) {
        let Frame { kind, destination, source, data } = frame;
        let broadcast = destination == BROADCAST;
        match kind {
            FrameType::TestRequest if !broadcast => {
                let answer =
                    Frame { kind: FrameType::TestResponse, destination: source, source: self.settings.address, data };
                self.transmit(answer);
            }
            kind if kind.is_request() && !broadcast => {
                self.asked_by = Some(source);
                self.outputs.push_back(Output::Deliver(Delivery { kind, source, broadcast, is_reply: false, data }));
            }
            kind if kind.is_unsolicited() => {
                self.outputs.push_back(Output::Deliver(Delivery { kind, source, broadcast, is_reply: false, data }));
            }
            _ => {}
        }
    }

    fn reply(&mut self, now: Time, destination: u8, data: D) {
        let is_late = now > self.silent + self.settings.reply_delay;
        if self.asked_by.take() != Some(destination) || is_late {
            return self.counters.count(Counter::LateReplies);
        }
        self.counters.count(Counter::RepliesSent);
        let kind = FrameType::of_data(data.length(), false);
        self.transmit(Frame { kind, destination, source: self.settings.address, data });
    }
}

impl<D: UserData + Default> Machine for Slave<D> {
    type Input = Input<D>;
    type Output = Output<D>;

    fn handle(&mut self, now: Time, input: Input<D>) {
        match input {
            Input::Activity { until, .. } => self.silent = self.silent.max(until),
            Input::Frame(_) if self.is_sending || self.asked_by.is_some() => {}
            Input::Frame(frame) => self.receive(frame),
            Input::Invalid => self.counters.count(Counter::InvalidFrames),
            Input::Sent => {
                self.is_sending = false;
                self.silent = now;
            }
            Input::Reply { destination, data } => self.reply(now, destination, data),
            Input::NotForUs | Input::Send { .. } | Input::Postpone => {}
        }
    }

    fn wake(&mut self, now: Time) {
        if self.next_wakeup().is_some_and(|due| due <= now) {
            self.asked_by = None;
        }
    }

    fn poll_output(&mut self) -> Option<Output<D>> {
        self.outputs.pop_front()
    }

    /// When a request is given up for which the application had no reply.
    fn next_wakeup(&self) -> Option<Time> {
        self.asked_by.map(|_| self.silent + self.settings.reply_delay)
    }
}
