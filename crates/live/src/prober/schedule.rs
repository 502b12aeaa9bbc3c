//! When requests are to leave: an absolute schedule, which neither answers nor a late sender change.

use sojourn_core::random::Stream;
use sojourn_core::{Duration, Time};

/// How requests follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// One every interval.
    Periodic {
        /// From one request to the next.
        interval: Duration,
    },
    /// At random, memoryless (RFC 7312 asks it of samples that no periodic load may hide from).
    Poisson {
        /// From one request to the next, on average.
        mean: Duration,
    },
    /// Several at once, every interval.
    Burst {
        /// How many.
        size: u32,
        /// From the first of one burst to the first of the next.
        interval: Duration,
    },
    /// Each when the answer to the one before has come and a think time is over: the loop is closed.
    PingPong {
        /// From an answer to the next request, at least.
        think: Duration,
        /// It is longer by a uniform random time up to this.
        spread: Duration,
    },
}

impl Schedule {
    /// Requests per second; `None` for a closed loop, which follows the answers.
    pub fn rate(&self) -> Option<f64> {
        match *self {
            Schedule::Periodic { interval } | Schedule::Poisson { mean: interval } => Some(1.0 / interval.seconds()),
            Schedule::Burst { size, interval } => Some(f64::from(size) / interval.seconds()),
            Schedule::PingPong { .. } => None,
        }
    }

    /// The shortest span between two departures that a pacer is to meet; zero for none.
    pub fn spacing(&self) -> Duration {
        match *self {
            Schedule::Periodic { interval } | Schedule::Burst { interval, .. } => interval,
            Schedule::Poisson { mean } => mean.divided(4),
            Schedule::PingPong { think, .. } => think,
        }
    }
}

/// The instants of an open loop, one after the other.
#[derive(Debug)]
pub struct Departures {
    schedule: Schedule,
    next: Time,
    left_of_burst: u32,
    /// Of a random schedule: from the next departure to the one after it.
    gap: Duration,
    stream: Stream,
}

impl Departures {
    /// Those of a schedule that begins at `start`; a closed loop has but this first one.
    pub fn new(schedule: Schedule, start: Time, stream: Stream) -> Departures {
        let left_of_burst = if let Schedule::Burst { size, .. } = schedule { size } else { 0 };
        let mut departures = Departures { schedule, next: start, left_of_burst, gap: Duration::ZERO, stream };
        departures.draw();
        departures
    }

    /// When the next request is to leave.
    pub fn next(&self) -> Time {
        self.next
    }

    /// When the one after the next is; [`Time::NEVER`] where an answer decides that.
    pub fn after_next(&self) -> Time {
        match self.schedule {
            Schedule::Periodic { interval } => self.next + interval,
            Schedule::Poisson { .. } => self.next + self.gap,
            Schedule::Burst { interval, .. } if self.left_of_burst == 1 => self.next + interval,
            Schedule::Burst { .. } => self.next,
            Schedule::PingPong { .. } => Time::NEVER,
        }
    }

    /// The next has left.
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

    /// An answer came at `now`, or is not waited for any more: a closed loop goes on.
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
    fn a_period_and_a_burst_are_met_to_the_microsecond() {
        let interval = Duration::from_micros(10);
        assert_eq!(instants(Schedule::Periodic { interval }, 4), [0, 10, 20, 30]);
        assert_eq!(instants(Schedule::Burst { size: 3, interval }, 7), [0, 0, 0, 10, 10, 10, 20]);
    }

    #[test]
    fn the_one_after_the_next_is_known_wherever_no_answer_decides_it() {
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
    fn random_departures_have_the_mean_asked_for_and_its_square_as_their_variance() {
        let at = instants(Schedule::Poisson { mean: Duration::from_millis(10) }, 40_001);
        let gaps: Vec<f64> = at.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 10_000.0).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / gaps.len() as f64;
        assert!((mean - 1.0).abs() < 0.02 && (variance - 1.0).abs() < 0.06, "{mean} {variance}");
    }

    #[test]
    fn a_closed_loop_waits_for_the_answer_and_thinks() {
        let closed = Schedule::PingPong { think: Duration::from_millis(2), spread: Duration::ZERO };
        let mut departures = Departures::new(closed, Time::ZERO, Streams::new(1, 0).stream("departures"));
        departures.step();
        assert_eq!(departures.next(), Time::NEVER);
        departures.answered(Time::ZERO + Duration::from_millis(7));
        assert_eq!(departures.next(), Time::ZERO + Duration::from_millis(9));
    }

    #[test]
    fn a_closed_loop_s_pauses_are_spread_evenly_over_what_is_asked_for() {
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
