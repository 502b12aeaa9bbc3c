//! A level over time: for instance a queue length, a backlog or an allowed rate.

use sojourn_core::Time;

use crate::record::Observation;

/// The time average of a level after the warm-up, and its maximum from time 0.
#[derive(Clone, Debug)]
pub struct TimeWeighted {
    value: f64,
    max: f64,
    since: Time,
    mean_from: Time,
    /// Level times picoseconds, from `mean_from` to `since`.
    area: f64,
}

impl TimeWeighted {
    /// Starts at `at` with `value`.
    pub fn new(at: Time, value: f64) -> Self {
        TimeWeighted { value, max: value, since: at, mean_from: at, area: 0.0 }
    }

    /// Starts the mean at the end of the warm-up; to be called before that time.
    pub fn start_mean_at(&mut self, warm_up: Time) {
        debug_assert!(self.area == 0.0, "the mean has begun");
        self.mean_from = warm_up;
    }

    /// Sets the level to `value` from `now`.
    #[inline]
    pub fn set(&mut self, now: Time, value: f64) {
        self.advance(now);
        self.value = value;
        self.max = self.max.max(value);
    }

    /// Adds `change`, which may be negative, to the level at `now`.
    #[inline]
    pub fn add(&mut self, now: Time, change: f64) {
        self.set(now, self.value + change);
    }

    /// The present value of the level.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Mean and maximum up to `now`; over a span of zero the mean is the level.
    pub fn finish(mut self, now: Time) -> Observation {
        self.advance(now);
        let span = now.since(self.mean_from).picoseconds();
        let mean = if span == 0 { self.value } else { self.area / span as f64 };
        Observation::TimeWeighted { mean, max: self.max }
    }

    #[inline]
    fn advance(&mut self, now: Time) {
        let from = self.since.max(self.mean_from);
        self.area += self.value * now.since(from).picoseconds() as f64;
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Duration;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn the_mean_begins_after_the_warm_up_and_the_maximum_at_time_0() {
        let mut level = TimeWeighted::new(Time::ZERO, 0.0);
        level.start_mean_at(at(10));
        level.set(at(2), 9.0);
        level.set(at(4), 1.0);
        level.set(at(20), 3.0);
        // 1 from 10 to 20, 3 from 20 to 40
        let Observation::TimeWeighted { mean, max } = level.finish(at(40)) else { panic!("a level") };
        assert!((mean - 70.0 / 30.0).abs() < 1e-12);
        assert_eq!(max, 9.0);
    }

    #[test]
    fn a_level_that_never_changes_is_its_own_mean() {
        let level = TimeWeighted::new(Time::ZERO, 2.5);
        assert_eq!(level.finish(at(7)), Observation::TimeWeighted { mean: 2.5, max: 2.5 });
    }
}
