//! T1, the acknowledgement timer, with the retry count RC and the RTT estimator that sets its length.

use sojourn_core::{Duration, Time};

use super::context::Context;
use super::rtt_estimator::RttEstimator;
use super::timer::Timer;

/// The acknowledgement timer of a link (AX.25 v2.2 section 6.7.1.1).
#[derive(Clone, Debug)]
pub(super) struct T1 {
    pub timer: Timer,
    /// RC: how often what is awaited has been tried.
    pub rc: u8,
    rtt: RttEstimator,
}

impl T1 {
    pub const fn new(rtt: RttEstimator) -> Self {
        T1 { timer: Timer::Stopped, rc: 0, rtt }
    }

    pub const fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// Stops the timer and clears RC; the RTT estimate stays.
    pub fn restart(&mut self) {
        self.timer.stop();
        self.rc = 0;
    }

    /// Starts for a frame that is handed over now. While the link is up, RC counts failures; before, tries.
    pub fn start<D>(&mut self, context: &Context<'_, D>, up: bool) {
        let failures = if up { self.rc } else { self.rc.saturating_sub(1) };
        self.timer = context.started(self.rtt.t1v(failures));
    }

    /// Runs from now, without a frame that is handed over.
    pub fn run<D>(&mut self, context: &Context<'_, D>) {
        self.timer = context.running(self.rtt.t1v(self.rc));
    }

    /// A frame that was sent once has been acknowledged: what T1 has run is an RTT sample.
    pub fn sample(&mut self, now: Time) {
        if let Some(sample) = self.timer.elapsed(now) {
            self.rtt.sample(sample);
        }
    }

    /// Adopts the peer's FRACK if it is longer.
    pub fn lengthen(&mut self, frack: Duration) {
        self.rtt.lengthen(frack);
    }
}
