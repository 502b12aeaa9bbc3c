//! What a link is handed by its station with every input.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use super::counters::{Counter, Counters};
use super::output::Output;
use super::settings::{Settings, TimerStart};
use super::timer::Timer;

/// What a link needs of its station.
pub(super) struct Context<'a, D> {
    pub now: Time,
    pub settings: &'a Settings,
    pub channel_busy: bool,
    pub outputs: &'a mut VecDeque<Output<D>>,
    pub counters: &'a mut Counters,
}

impl<D> Context<'_, D> {
    pub fn emit(&mut self, output: Output<D>) {
        self.outputs.push_back(output);
    }

    pub fn count(&mut self, counter: Counter) {
        self.counters.count(counter);
    }

    /// A timer of `span` that awaits the answer to a frame handed over now.
    pub fn started(&self, span: Duration) -> Timer {
        match self.settings.t1_start {
            TimerStart::TransmitEnd => Timer::AwaitsEnd { span },
            TimerStart::HandOver | TimerStart::PausedWhileBusy => self.running(span),
        }
    }

    /// A timer of `span` from now.
    pub fn running(&self, span: Duration) -> Timer {
        let mut timer = Timer::Stopped;
        timer.start(self.now, span);
        if self.channel_busy && self.settings.t1_start == TimerStart::PausedWhileBusy {
            timer.pause(self.now);
        }
        timer
    }
}

/// What a frame's role and P/F bit come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sense {
    /// It must be answered with F.
    pub polls: bool,
    /// It answers a poll.
    pub finals: bool,
    /// It is a response.
    pub response: bool,
    /// It is of a station older than v2.0.
    pub old: bool,
}
