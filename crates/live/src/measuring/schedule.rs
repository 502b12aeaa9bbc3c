//! When requests are to leave: an absolute schedule, which neither answers nor a late sender change.

use std::str::FromStr;

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

/// The word for a schedule, whatever its rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pattern {
    /// `periodic`.
    #[default]
    Periodic,
    /// `poisson`.
    Poisson,
    /// `burst:N`.
    Burst(u32),
    /// `ping-pong`.
    PingPong,
}

/// What no pattern is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is no schedule: periodic, poisson, ping-pong, or burst:N with N from 2 to 1000")]
pub struct NoPattern;

impl FromStr for Pattern {
    type Err = NoPattern;

    fn from_str(word: &str) -> Result<Pattern, NoPattern> {
        match word {
            "periodic" => Ok(Pattern::Periodic),
            "poisson" => Ok(Pattern::Poisson),
            "ping-pong" => Ok(Pattern::PingPong),
            _ => {
                let size = word.strip_prefix("burst:").and_then(|size| size.parse().ok());
                size.filter(|size| (2..=1000).contains(size)).map(Pattern::Burst).ok_or(NoPattern)
            }
        }
    }
}

impl Pattern {
    /// The schedule with `interval` between requests on average; a closed loop thinks so long, if it is to.
    pub fn with(self, interval: Option<Duration>, default: Duration) -> Schedule {
        let given = interval.unwrap_or(default);
        match self {
            Pattern::Periodic => Schedule::Periodic { interval: given },
            Pattern::Poisson => Schedule::Poisson { mean: given },
            Pattern::Burst(size) => Schedule::Burst { size, interval: given.times(size.into()) },
            Pattern::PingPong => {
                Schedule::PingPong { think: interval.unwrap_or(Duration::ZERO), spread: Duration::ZERO }
            }
        }
    }
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
    stream: Stream,
}

impl Departures {
    /// Those of a schedule that begins at `start`; a closed loop has but this first one.
    pub fn new(schedule: Schedule, start: Time, stream: Stream) -> Departures {
        let left_of_burst = if let Schedule::Burst { size, .. } = schedule { size } else { 0 };
        Departures { schedule, next: start, left_of_burst, stream }
    }

    /// When the next request is to leave.
    pub fn next(&self) -> Time {
        self.next
    }

    /// The next has left.
    pub fn step(&mut self) {
        match self.schedule {
            Schedule::Periodic { interval } => self.next += interval,
            Schedule::Poisson { mean } => {
                let gap = -libm::log(self.stream.unit()) * mean.picoseconds() as f64;
                self.next += Duration::from_picoseconds(gap as u64);
            }
            Schedule::Burst { size, interval } => {
                self.left_of_burst -= 1;
                if self.left_of_burst == 0 {
                    self.next += interval;
                    self.left_of_burst = size;
                }
            }
            Schedule::PingPong { .. } => self.next = Time::NEVER,
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
    fn a_word_is_a_pattern_or_a_mistake() {
        assert_eq!("burst:5".parse(), Ok(Pattern::Burst(5)));
        assert_eq!("burst:1".parse::<Pattern>(), Err(NoPattern));
        assert_eq!("often".parse::<Pattern>(), Err(NoPattern));
        let millisecond = Duration::from_millis(1);
        assert_eq!(Pattern::Burst(5).with(Some(millisecond), millisecond).rate(), Some(1000.0));
    }
}
