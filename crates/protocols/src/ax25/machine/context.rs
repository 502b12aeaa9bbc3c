//! The context that a station passes to its links with every input.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use super::counters::{Counter, Counters};
use super::output::Output;
use super::settings::{Settings, TimerStart};
use super::timer::Timer;

/// The station's settings, channel state and outputs, as its links use them.
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

    /// A timer of `span` that awaits the response to a frame handed over now.
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
