//! Departure times of requests: an absolute schedule, independent of responses and of late transmissions.

use sojourn_core::random::Stream;
use sojourn_core::{Duration, Time};

/// When requests leave: open loop by the clock, or closed loop after responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// One request per interval (open loop).
    Periodic {
        /// Interval between requests.
        interval: Duration,
    },
    /// Poisson: exponential intervals, which periodic cross traffic cannot hide from (RFC 7312).
    Poisson {
        /// Mean interval between requests.
        mean: Duration,
    },
    /// Bursts of back-to-back requests (open loop).
    Burst {
        /// Requests per burst.
        size: u32,
        /// Interval between the starts of bursts.
        interval: Duration,
    },
    /// Closed loop: each request follows the previous response after a think time.
    PingPong {
        /// Minimum think time, from a response to the next request.
        think: Duration,
        /// Uniform random time added to it, up to this.
        spread: Duration,
    },
}

impl Schedule {
    /// Requests per second; `None` for a closed loop.
    pub fn rate(&self) -> Option<f64> {
        match *self {
            Schedule::Periodic { interval } | Schedule::Poisson { mean: interval } => Some(1.0 / interval.seconds()),
            Schedule::Burst { size, interval } => Some(f64::from(size) / interval.seconds()),
            Schedule::PingPong { .. } => None,
        }
    }

    /// The shortest interval between departures that pacing is designed for; zero for none.
    pub fn spacing(&self) -> Duration {
        match *self {
            Schedule::Periodic { interval } | Schedule::Burst { interval, .. } => interval,
            Schedule::Poisson { mean } => mean.divided(4),
            Schedule::PingPong { think, .. } => think,
        }
    }
}

/// The departures of a schedule, one after the other.
#[derive(Debug)]
pub struct Departures {
    schedule: Schedule,
    next: Time,
    left_of_burst: u32,
    /// In a random schedule, the interval after the next departure.
    gap: Duration,
    stream: Stream,
}

impl Departures {
    /// Departures from `start` on; a closed loop has only the first.
    pub fn new(schedule: Schedule, start: Time, stream: Stream) -> Departures {
        let left_of_burst = if let Schedule::Burst { size, .. } = schedule { size } else { 0 };
        let mut departures = Departures { schedule, next: start, left_of_burst, gap: Duration::ZERO, stream };
        departures.draw();
        departures
    }

    /// The mean interval between departures; none of a closed loop, which is never behind.
    pub fn interval(&self) -> Option<Duration> {
        match self.schedule {
            Schedule::Periodic { interval } | Schedule::Poisson { mean: interval } => Some(interval),
            Schedule::Burst { size, interval } => Some(interval.divided(u64::from(size.max(1)))),
            Schedule::PingPong { .. } => None,
        }
    }

    /// Departure time of the next request; never while a closed loop waits.
    pub fn next(&self) -> Time {
        self.next
    }

    /// The departure after the next; [`Time::NEVER`] where it depends on a response.
    pub fn after_next(&self) -> Time {
        match self.schedule {
            Schedule::Periodic { interval } => self.next + interval,
            Schedule::Poisson { .. } => self.next + self.gap,
            Schedule::Burst { interval, .. } if self.left_of_burst == 1 => self.next + interval,
            Schedule::Burst { .. } => self.next,
            Schedule::PingPong { .. } => Time::NEVER,
        }
    }

    /// Advances to the departure after the next.
    pub fn step(&mut self) {
        self.next = self.after_next();
        if let Schedule::Burst { size, .. } = self.schedule {
            self.left_of_burst = if self.left_of_burst == 1 { size } else { self.left_of_burst - 1 };
        }
        self.draw();
    }

    fn draw(&mut self) {
        if let Schedule::Poisson { mean } = self.schedule {
            let gap = -libm::log(self.stream.unit()) * mean.picoseconds() as f64;
            self.gap = Duration::from_picoseconds(gap as u64);
        }
    }

    /// A response arrived, or timed out, at `now`: a closed loop schedules the next request.
    pub fn answered(&mut self, now: Time) {
        if let Schedule::PingPong { think, spread } = self.schedule {
            let longer = self.stream.unit() * spread.picoseconds() as f64;
            self.next = now + think + Duration::from_picoseconds(longer as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::random::Streams;

    fn instants(schedule: Schedule, count: usize) -> Vec<u64> {
        let mut departures = Departures::new(schedule, Time::ZERO, Streams::new(1, 0).stream("departures"));
        let mut next = || {
            let at = departures.next().picoseconds() / 1_000_000;
            departures.step();
            at
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn periods_and_bursts_are_exact_to_the_microsecond() {
        let interval = Duration::from_micros(10);
        assert_eq!(instants(Schedule::Periodic { interval }, 4), [0, 10, 20, 30]);
        assert_eq!(instants(Schedule::Burst { size: 3, interval }, 7), [0, 0, 0, 10, 10, 10, 20]);
    }

    #[test]
    fn the_departure_after_the_next_is_known_in_an_open_loop() {
        let interval = Duration::from_micros(10);
        let closed = Schedule::PingPong { think: interval, spread: Duration::ZERO };
        let schedules = [
            Schedule::Periodic { interval },
            Schedule::Poisson { mean: interval },
            Schedule::Burst { size: 2, interval },
            closed,
        ];
        for schedule in schedules {
            let mut departures = Departures::new(schedule, Time::ZERO, Streams::new(1, 0).stream("departures"));
            for _ in 0..5 {
                let after_next = departures.after_next();
                assert_eq!(after_next == Time::NEVER, schedule == closed);
                departures.step();
                assert_eq!(departures.next(), after_next);
            }
        }
    }

    #[test]
    fn poisson_intervals_have_the_mean_and_variance_of_an_exponential() {
        let at = instants(Schedule::Poisson { mean: Duration::from_millis(10) }, 40_001);
        let gaps: Vec<f64> = at.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 10_000.0).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / gaps.len() as f64;
        assert!((mean - 1.0).abs() < 0.02 && (variance - 1.0).abs() < 0.06, "{mean} {variance}");
    }

    #[test]
    fn a_closed_loop_waits_for_the_response_and_the_think_time() {
        let closed = Schedule::PingPong { think: Duration::from_millis(2), spread: Duration::ZERO };
        let mut departures = Departures::new(closed, Time::ZERO, Streams::new(1, 0).stream("departures"));
        departures.step();
        assert_eq!(departures.next(), Time::NEVER);
        departures.answered(Time::ZERO + Duration::from_millis(7));
        assert_eq!(departures.next(), Time::ZERO + Duration::from_millis(9));
    }

    #[test]
    fn think_times_are_uniform_over_the_spread() {
        let [think, spread] = [2, 3].map(Duration::from_millis);
        let stream = Streams::new(1, 0).stream("departures");
        let mut departures = Departures::new(Schedule::PingPong { think, spread }, Time::ZERO, stream);
        let mut pause_ms = || {
            departures.answered(Time::ZERO);
            departures.next().since(Time::ZERO).seconds() * 1e3
        };
        let pauses: Vec<f64> = (0..10_000).map(|_| pause_ms()).collect();
        assert!(pauses.iter().all(|pause| (2.0..5.0).contains(pause)));
        let below = pauses.iter().filter(|pause| **pause < 3.0).count();
        assert!((3100..3570).contains(&below), "a third of them in the first third, and {below} were");
    }
}
