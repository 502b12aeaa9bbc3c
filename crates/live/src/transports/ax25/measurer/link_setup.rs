//! Probes of link set-up: connect only, or wait for the prompt of a node.

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;

use super::link_session::Application;

/// Disconnects a link as soon as it is up.
#[derive(Debug)]
pub struct ConnectProbe;

impl Application for ConnectProbe {
    fn write(&mut self, _now: Time) -> Option<Vec<u8>> {
        None
    }

    fn take(&mut self, _now: Time, _data: &[u8]) {}

    fn is_done(&self, _now: Time) -> bool {
        true
    }
}

/// Sends an empty line and waits for the prompt.
#[derive(Debug)]
pub struct PromptProbe {
    /// From the request for the link to the prompt.
    pub times: Distribution,
    /// Links without a prompt before the timeout.
    pub failures: u32,
    time_out: Duration,
    asked: Option<Time>,
    greeted: bool,
    answered: bool,
}

impl PromptProbe {
    /// A probe with this timeout of the prompt.
    pub fn new(time_out: Duration) -> PromptProbe {
        let times = Distribution::new();
        PromptProbe { times, failures: 0, time_out, asked: None, greeted: false, answered: false }
    }

    /// The link is down.
    pub fn ended(&mut self) {
        self.failures += u32::from(!self.answered);
        (self.asked, self.greeted, self.answered) = (None, false, false);
    }
}

impl Application for PromptProbe {
    fn up(&mut self, _now: Time, asked: Time) {
        self.asked = Some(asked);
    }

    fn write(&mut self, _now: Time) -> Option<Vec<u8>> {
        (!std::mem::replace(&mut self.greeted, true)).then(|| b"\r".to_vec())
    }

    fn take(&mut self, now: Time, _data: &[u8]) {
        if let Some(asked) = self.asked.filter(|_| !std::mem::replace(&mut self.answered, true)) {
            self.times.record(now.since(asked));
        }
    }

    fn due(&self) -> Time {
        self.asked.map_or(Time::NEVER, |asked| asked + self.time_out)
    }

    fn is_done(&self, now: Time) -> bool {
        self.answered || now >= self.due()
    }
}
