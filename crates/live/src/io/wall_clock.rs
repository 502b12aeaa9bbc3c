//! Conversion of the kernel's wall-clock timestamps to the measurement's clock, and detection of clock steps.

use nix::time::ClockId;
use sojourn_core::{Duration, Time};

use crate::io::clock::{Clock, nanoseconds};

/// Readings of both clocks further apart than this are discarded: the thread was preempted between them.
const WIDEST_BRACKET: Duration = Duration::from_micros(100);
/// Readings this close together need no repetition: timestamps of one packet are microseconds apart.
const NARROW: Duration = Duration::from_micros(2);
/// Attempts for a pair at most.
const MOST_READINGS: u32 = 3;
/// A change of the offset beyond this and what slewing allows is a step, in nanoseconds.
const STEP_NS: i64 = 1_000_000;
/// The fastest slew of the kernel (adjtimex): 500 ppm, one part in this many.
const SLEW_PARTS: i64 = 2_000;
/// The oldest plausible timestamp of a packet in flight.
const OLDEST_STAMP_NS: i64 = 60_000_000_000;

/// Both clocks read at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Time on the measurement's clock.
    pub at: Time,
    /// Wall-clock time in nanoseconds since 1970.
    pub wall_ns: i64,
    /// The interval between the two readings of the measurement's clock around it.
    pub width: Duration,
}

impl Pair {
    /// Reads the wall clock between two readings of the monotonic clock; repeats it if the thread was interrupted.
    pub fn read(clock: &Clock) -> Pair {
        Pair::read_after(clock.now(), clock)
    }

    /// The same with the first reading already taken.
    pub fn read_after(before: Time, clock: &Clock) -> Pair {
        let pair = Pair::between(before, clock);
        if pair.width < NARROW { pair } else { pair.or_narrower(clock) }
    }

    #[cold]
    fn or_narrower(self, clock: &Clock) -> Pair {
        let mut narrowest = self;
        for _ in 1..MOST_READINGS {
            let again = Pair::between(clock.now(), clock);
            narrowest = if again.width < narrowest.width { again } else { narrowest };
            if narrowest.width < NARROW {
                break;
            }
        }
        narrowest
    }

    fn between(before: Time, clock: &Clock) -> Pair {
        let wall_ns = nanoseconds(ClockId::CLOCK_REALTIME) as i64;
        let width = clock.now().since(before);
        Pair { at: before + width.divided(2), wall_ns, width }
    }

    /// Converts a wall-clock timestamp to the measurement's clock; `None` if it lies in the future, or so far back that the
    /// wall clock must have been stepped since.
    pub fn convert(&self, stamp_ns: i64) -> Option<Time> {
        let age = self.wall_ns.checked_sub(stamp_ns).filter(|age| (0..OLDEST_STAMP_NS).contains(age))?;
        self.at.picoseconds().checked_sub(age as u64 * 1000).map(Time::from_picoseconds)
    }

    /// Wall-clock time at a time near this pair, in nanoseconds since 1970.
    pub fn wall_ns_at(&self, instant: Time) -> u64 {
        let after = instant.since(self.at).picoseconds() / 1000;
        let before = self.at.since(instant).picoseconds() / 1000;
        (self.wall_ns.max(0) as u64).saturating_add(after).saturating_sub(before)
    }

    /// Offset of the wall clock to the measurement's clock, in nanoseconds.
    pub fn ahead(&self) -> i64 {
        self.wall_ns - (self.at.picoseconds() / 1000) as i64
    }
}

/// Detects steps of the wall clock.
#[derive(Clone, Debug, Default)]
pub struct ClockStepDetector {
    last: Option<Pair>,
    steps: Vec<Step>,
}

/// A step of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Step {
    /// Seconds since the measurement began.
    pub at_s: f64,
    /// Size of the step in seconds; negative for backwards.
    pub by_s: f64,
}

impl ClockStepDetector {
    /// Compares a new pair of readings with the last.
    pub fn look(&mut self, pair: Pair) {
        if pair.width > WIDEST_BRACKET {
            return;
        }
        if let Some(last) = self.last {
            let slewed = (pair.at.since(last.at).picoseconds() / 1000) as i64 / SLEW_PARTS;
            let change = pair.ahead() - last.ahead();
            if change.abs() > STEP_NS + slewed {
                self.steps.push(Step { at_s: pair.at.seconds(), by_s: change as f64 * 1e-9 });
            }
        }
        self.last = Some(pair);
    }

    /// The steps detected so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(at_ms: u64, wall_ns: i64) -> Pair {
        Pair { at: Time::ZERO + Duration::from_millis(at_ms), wall_ns, width: Duration::from_nanos(40) }
    }

    #[test]
    fn a_timestamp_is_equally_old_on_both_clocks() {
        let now = pair(50, 1_000_000_000);
        assert_eq!(now.convert(999_999_000), Some(Time::ZERO + Duration::from_micros(49_999)));
        assert_eq!(now.convert(1_000_000_001), None, "a future timestamp was taken before the clock was stepped back");
        assert_eq!(now.convert(900_000_000), None, "no packet was in flight before the measurement began");
    }

    #[test]
    fn an_instant_has_its_time_of_day_before_and_after_the_pair() {
        let now = pair(50, 1_000_000_000);
        let at = |microseconds| Time::ZERO + Duration::from_micros(microseconds);
        assert_eq!((now.wall_ns_at(at(49_999)), now.wall_ns_at(at(50_002))), (999_999_000, 1_000_002_000));
    }

    #[test]
    fn a_step_of_the_clock_is_detected_and_slewing_is_not() {
        let mut watch = ClockStepDetector::default();
        watch.look(pair(0, 5_000_000_000));
        // ten seconds, 400 parts in a million fast
        watch.look(pair(10_000, 15_004_000_000));
        assert_eq!(watch.steps(), []);
        watch.look(pair(10_100, 14_604_000_000));
        assert_eq!(watch.steps(), [Step { at_s: 10.1, by_s: -0.5 }]);
    }

    #[test]
    fn an_interrupted_reading_is_ignored() {
        let mut watch = ClockStepDetector::default();
        watch.look(pair(0, 0));
        watch.look(Pair { width: Duration::from_millis(3), ..pair(1000, 1_003_000_000) });
        watch.look(pair(2000, 2_000_000_000));
        assert_eq!(watch.steps(), []);
    }
}
