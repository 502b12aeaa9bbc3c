//! What a measurement sees while it runs: handed to a watcher without ever waiting for one.
//!
//! The thread that paces collects, and hands over only where nobody else holds the lock; whoever looks does the sums.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;

use super::packets::Packet;

/// Seconds that a watcher still sees.
const KEPT: usize = 120;

/// What the thread that paces has not handed over yet.
#[derive(Debug, Default)]
pub struct Beater {
    sent: u64,
    lost: u64,
    answers: Vec<(Time, Duration)>,
}

impl Beater {
    /// A request left.
    pub fn sent(&mut self) {
        self.sent += 1;
    }

    /// A request was not answered in time.
    pub fn lost(&mut self) {
        self.lost += 1;
    }

    /// An answer came.
    pub fn answered(&mut self, packet: &Packet) {
        if let (Some(at), Some(response)) = (packet.received, packet.response()) {
            self.answers.push((at, response));
        }
    }

    /// Hands over what there is, unless a watcher is looking just now.
    pub fn hand_over(&mut self, pulse: &Pulse, now: Time) {
        let Ok(mut shared) = pulse.shared.try_lock() else { return };
        shared.now = now;
        shared.sent += std::mem::take(&mut self.sent);
        shared.lost += std::mem::take(&mut self.lost);
        shared.answers.append(&mut self.answers);
    }
}

/// Shared by the thread that measures and the thread that looks.
#[derive(Debug, Default)]
pub struct Pulse {
    shared: Mutex<Shared>,
    /// Octets that the load has delivered.
    load: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Shared {
    phase: Option<&'static str>,
    now: Time,
    sent: u64,
    lost: u64,
    answers: Vec<(Time, Duration)>,
    /// The second under way, and what was delivered before it.
    second: u64,
    octets_before: u64,
    current: Distribution,
    whole: Distribution,
    seconds: VecDeque<Second>,
}

/// One second of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Second {
    /// Its end, in seconds since the measurement began.
    pub at_s: f64,
    /// The phase it ended in.
    pub phase: &'static str,
    /// Answers that came in it.
    pub answers: u64,
    /// The least response time, in seconds; null without answers, as those below.
    pub min_s: Option<f64>,
    /// The median.
    pub p50_s: Option<f64>,
    /// What one in ten exceeds.
    pub p90_s: Option<f64>,
    /// What one in a hundred exceeds.
    pub p99_s: Option<f64>,
    /// The longest.
    pub max_s: Option<f64>,
    /// Bits of load delivered per second.
    pub load_bit_rate: f64,
}

/// A moment's look.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Look {
    /// The phase under way.
    pub phase: &'static str,
    /// Seconds since the measurement began.
    pub elapsed_s: f64,
    /// Requests that left.
    pub sent: u64,
    /// Of those, not answered in time.
    pub lost: u64,
    /// Over the whole measurement so far: median, 90 %, 99 % and maximum of the response time, in seconds.
    pub quantiles_s: Option<[f64; 4]>,
    /// The latest seconds that are over.
    pub seconds: Vec<Second>,
}

impl Pulse {
    /// A phase begins.
    pub fn begin(&self, phase: &'static str) {
        self.lock().phase = Some(phase);
    }

    /// Where a load counts the octets that it has delivered.
    pub fn load(&self) -> Arc<AtomicU64> {
        self.load.clone()
    }

    /// How things stand; `None` before the first phase.
    pub fn look(&self) -> Option<Look> {
        let octets = self.load.load(Ordering::Relaxed);
        let mut shared = self.lock();
        let phase = shared.phase?;
        shared.digest(phase, octets);
        let quantiles = shared.whole.quantiles(&[0.5, 0.9, 0.99, 1.0]);
        Some(Look {
            phase,
            elapsed_s: shared.now.seconds(),
            sent: shared.sent,
            lost: shared.lost,
            quantiles_s: quantiles.map(|found| [0, 1, 2, 3].map(|index| found[index].seconds())),
            seconds: shared.seconds.iter().cloned().collect(),
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().expect("no thread panics while it holds the pulse")
    }
}

impl Shared {
    /// Sorts new answers into seconds.
    fn digest(&mut self, phase: &'static str, octets: u64) {
        for (at, response) in std::mem::take(&mut self.answers) {
            self.close_until(whole_seconds(at), phase, octets);
            self.current.record(response);
            self.whole.record(response);
        }
        self.close_until(whole_seconds(self.now), phase, octets);
    }

    /// Ends the second under way if `second` is a later one. Seconds that nobody looked in are one.
    fn close_until(&mut self, second: u64, phase: &'static str, octets: u64) {
        if second <= self.second {
            return;
        }
        let over = std::mem::take(&mut self.current);
        let found = over.quantiles(&[0.5, 0.9, 0.99]);
        let quantile = |index: usize| found.as_ref().map(|found| found[index].seconds());
        let lasted = (second - self.second) as f64;
        self.seconds.push_back(Second {
            at_s: second as f64,
            phase,
            answers: over.count(),
            min_s: over.min().map(Duration::seconds),
            p50_s: quantile(0),
            p90_s: quantile(1),
            p99_s: quantile(2),
            max_s: over.max().map(Duration::seconds),
            load_bit_rate: (octets - self.octets_before) as f64 * 8.0 / lasted,
        });
        if self.seconds.len() > KEPT {
            self.seconds.pop_front();
        }
        (self.second, self.octets_before) = (second, octets);
    }
}

fn whole_seconds(at: Time) -> u64 {
    at.since(Time::ZERO).whole(Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(beater: &mut Beater, at_ms: u64, response_us: u64) {
        let received = Time::ZERO + Duration::from_millis(at_ms);
        let sent = Time::ZERO + received.since(Time::ZERO + Duration::from_micros(response_us));
        beater.sent();
        beater.answered(&Packet {
            intended: sent,
            sent,
            departed: None,
            received: Some(received),
            kernel_received: None,
            far_received: None,
            far_sent: None,
        });
    }

    #[test]
    fn answers_are_told_by_the_second_they_came_in() {
        let (pulse, mut beater) = (Pulse::default(), Beater::default());
        assert_eq!(pulse.look(), None);
        pulse.begin("idle");
        answered(&mut beater, 200, 100);
        answered(&mut beater, 700, 300);
        answered(&mut beater, 1100, 900);
        beater.hand_over(&pulse, Time::ZERO + Duration::from_millis(1200));
        let look = pulse.look().unwrap();
        assert_eq!((look.sent, look.seconds.len()), (3, 1));
        let second = &look.seconds[0];
        assert_eq!((second.at_s, second.answers, second.p50_s, second.max_s), (1.0, 2, Some(0.0001), Some(0.0003)));
        assert_eq!(look.quantiles_s.unwrap()[3], 0.0009);
    }

    #[test]
    fn the_thread_that_paces_never_waits_for_a_watcher() {
        let (pulse, mut beater) = (Pulse::default(), Beater::default());
        pulse.begin("idle");
        beater.sent();
        let held = pulse.lock();
        beater.hand_over(&pulse, Time::ZERO);
        drop(held);
        assert_eq!(pulse.look().unwrap().sent, 0);
        beater.hand_over(&pulse, Time::ZERO);
        assert_eq!(pulse.look().unwrap().sent, 1, "what could not be handed over is handed over later");
    }
}
