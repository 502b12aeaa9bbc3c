//! Downsampling of a level for drawing: few points, and no peak is lost.

use sojourn_core::{Duration, Time};

/// Resolution of the first two seconds.
const FINE: Duration = Duration::from_micros(100);
/// End of the fine resolution.
const FINE_UNTIL: Time = Time::from_picoseconds(2_000_000_000_000);
/// Resolution after that.
const COARSE: Duration = Duration::from_millis(10);

/// A level from time 0: the minimum and maximum of every 100 µs, and of every 10 ms after 2 s.
#[derive(Clone, Debug)]
pub struct LevelTrace {
    points: Vec<(u64, f64)>,
    value: f64,
    least: (Time, f64),
    largest: (Time, f64),
    span_ends: Time,
}

impl LevelTrace {
    /// Starts at time 0 with `value`.
    pub fn new(value: f64) -> Self {
        let first = (Time::ZERO, value);
        LevelTrace { points: Vec::new(), value, least: first, largest: first, span_ends: Time::ZERO + FINE }
    }

    /// Sets the level to `value` from `now`.
    #[inline]
    pub fn set(&mut self, now: Time, value: f64) {
        if now >= self.span_ends {
            self.begin_span(now);
        }
        self.value = value;
        if value < self.least.1 {
            self.least = (now, value);
        }
        if value > self.largest.1 {
            self.largest = (now, value);
        }
    }

    /// The points up to `now`: (picoseconds, value), in order of time.
    pub fn finish(mut self, now: Time) -> Vec<(u64, f64)> {
        self.begin_span(now.max(self.span_ends));
        self.points.push((now.picoseconds(), self.value));
        self.points
    }

    /// Stores the extremes of the past span and starts the one that contains `now`.
    fn begin_span(&mut self, now: Time) {
        let (mut first, mut second) = (self.least, self.largest);
        if second.0 < first.0 {
            (first, second) = (second, first);
        }
        self.points.push((first.0.picoseconds(), first.1));
        if second != first {
            self.points.push((second.0.picoseconds(), second.1));
        }
        let width = if now < FINE_UNTIL { FINE } else { COARSE };
        let begins = Time::ZERO + width.times(now.since(Time::ZERO).whole(width));
        self.span_ends = begins + width;
        let held = (begins, self.value);
        (self.least, self.largest) = (held, held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(microseconds: u64) -> Time {
        Time::ZERO + Duration::from_micros(microseconds)
    }

    fn points(trace: LevelTrace, end: Time) -> Vec<(u64, f64)> {
        trace.finish(end).into_iter().map(|(at, value)| (at / 1_000_000, value)).collect()
    }

    #[test]
    fn a_span_keeps_only_its_extremes() {
        let mut trace = LevelTrace::new(0.0);
        for (time, value) in [(110, 1.0), (120, 9.0), (130, 2.0), (140, 3.0), (210, 4.0)] {
            trace.set(at(time), value);
        }
        assert_eq!(points(trace, at(250)), [(0, 0.0), (100, 0.0), (120, 9.0), (200, 3.0), (210, 4.0), (250, 4.0)]);
    }

    #[test]
    fn a_constant_level_takes_no_points() {
        let mut trace = LevelTrace::new(0.0);
        trace.set(at(150), 5.0);
        trace.set(at(1_000_050), 0.0);
        // it stood at 5 up to the span in which it fell
        assert_eq!(
            points(trace, at(1_000_060)),
            [(0, 0.0), (100, 0.0), (150, 5.0), (1_000_000, 5.0), (1_000_050, 0.0), (1_000_060, 0.0)]
        );
    }

    #[test]
    fn the_number_of_points_of_a_minute_is_bounded() {
        let mut trace = LevelTrace::new(0.0);
        (0..600_000).for_each(|step| trace.set(at(100 * step), (step % 7) as f64));
        let count = trace.finish(at(60_000_000)).len();
        assert!(count <= 2 * (20_000 + 5_800) + 2, "{count}");
    }
}
