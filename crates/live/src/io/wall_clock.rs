//! The kernel's stamps, which are in wall-clock time, on the clock of the measurement; and whether the wall clock was set.

use nix::time::ClockId;
use sojourn_core::{Duration, Time};

use crate::io::clock::{Clock, nanoseconds};

/// Readings of both clocks that lie further apart than this tell nothing of one instant: the thread was put aside
/// between them.
const WIDEST_BRACKET: Duration = Duration::from_micros(100);
/// Readings so close together are close enough: stamps of one packet lie microseconds apart.
const NARROW: Duration = Duration::from_micros(2);
/// Readings taken for a pair at most.
const MOST_READINGS: u32 = 3;
/// A wall clock that is ahead by so much more than slewing allows was set.
const STEP_NS: i64 = 1_000_000;
/// How fast the kernel lets a wall clock be slewed (adjtimex): 500 parts in a million.
const SLEW_PARTS: i64 = 2_000;
/// No stamp of a packet under way is older.
const OLDEST_STAMP_NS: i64 = 60_000_000_000;

/// Both clocks at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// On the clock of the measurement.
    pub at: Time,
    /// Nanoseconds since 1970.
    pub wall_ns: i64,
    /// How far apart the two readings of the own clock around it lie.
    pub width: Duration,
}

impl Pair {
    /// Reads the wall clock between two readings of the other; again where something came between them.
    pub fn read(clock: &Clock) -> Pair {
        Pair::read_after(clock.now(), clock)
    }

    /// The same where the first reading was just taken.
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

    /// A stamp of the wall clock on the clock of the measurement; `None` when it lies ahead, or so far back that the
    /// wall clock must have been set since.
    pub fn convert(&self, stamp_ns: i64) -> Option<Time> {
        let age = self.wall_ns.checked_sub(stamp_ns).filter(|age| (0..OLDEST_STAMP_NS).contains(age))?;
        self.at.picoseconds().checked_sub(age as u64 * 1000).map(Time::from_picoseconds)
    }

    /// What the wall clock showed at an instant near this one, in nanoseconds since 1970.
    pub fn wall_ns_at(&self, instant: Time) -> u64 {
        let after = instant.since(self.at).picoseconds() / 1000;
        let before = self.at.since(instant).picoseconds() / 1000;
        (self.wall_ns.max(0) as u64).saturating_add(after).saturating_sub(before)
    }

    /// How far the wall clock is ahead of the other, in nanoseconds.
    pub fn ahead(&self) -> i64 {
        self.wall_ns - (self.at.picoseconds() / 1000) as i64
    }
}

/// Sees whether somebody sets the wall clock.
#[derive(Clone, Debug, Default)]
pub struct StepWatch {
    last: Option<Pair>,
    steps: Vec<Step>,
}

/// The wall clock was set.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Step {
    /// Seconds since the measurement began.
    pub at_s: f64,
    /// Seconds forwards; negative for back.
    pub by_s: f64,
}

impl StepWatch {
    /// Takes a look at both clocks.
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

    /// What was seen.
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
    fn a_stamp_lies_as_far_back_on_one_clock_as_on_the_other() {
        let now = pair(50, 1_000_000_000);
        assert_eq!(now.convert(999_999_000), Some(Time::ZERO + Duration::from_micros(49_999)));
        assert_eq!(now.convert(1_000_000_001), None, "what lies ahead was stamped before the clock was set back");
        assert_eq!(now.convert(900_000_000), None, "nothing was under way before the measurement began");
    }

    #[test]
    fn an_instant_has_its_time_of_day_before_and_after_the_pair() {
        let now = pair(50, 1_000_000_000);
        let at = |microseconds| Time::ZERO + Duration::from_micros(microseconds);
        assert_eq!((now.wall_ns_at(at(49_999)), now.wall_ns_at(at(50_002))), (999_999_000, 1_000_002_000));
    }

    #[test]
    fn a_clock_that_is_set_is_told_and_one_that_is_slewed_is_not() {
        let mut watch = StepWatch::default();
        watch.look(pair(0, 5_000_000_000));
        // ten seconds, 400 parts in a million fast
        watch.look(pair(10_000, 15_004_000_000));
        assert_eq!(watch.steps(), []);
        watch.look(pair(10_100, 14_604_000_000));
        assert_eq!(watch.steps(), [Step { at_s: 10.1, by_s: -0.5 }]);
    }

    #[test]
    fn a_reading_that_was_interrupted_is_no_evidence() {
        let mut watch = StepWatch::default();
        watch.look(pair(0, 0));
        watch.look(Pair { width: Duration::from_millis(3), ..pair(1000, 1_003_000_000) });
        watch.look(pair(2000, 2_000_000_000));
        assert_eq!(watch.steps(), []);
    }
}
