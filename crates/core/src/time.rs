//! Integer time: instants and durations are 64-bit counts of picoseconds (213 days).
//!
//! Sums do not drift and do not depend on the order of addition. A link whose bit time is not an integral
//! number of picoseconds carries its remainder in a [`UnitTime`].

use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// Picoseconds in a second.
pub const PICOSECONDS_PER_SECOND: u64 = 1_000_000_000_000;

/// An instant: picoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

/// A duration in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);
    /// Later than any instant of a run: the expiry of a timer that is not running.
    pub const NEVER: Time = Time(u64::MAX);

    /// The instant `picoseconds` after the start.
    pub const fn from_picoseconds(picoseconds: u64) -> Self {
        Time(picoseconds)
    }

    /// Picoseconds since the start.
    pub const fn picoseconds(self) -> u64 {
        self.0
    }

    /// Seconds since the start, to the nearest `f64`.
    pub fn seconds(self) -> f64 {
        Duration(self.0).seconds()
    }

    /// The duration from `earlier` to `self`, zero if `earlier` is later.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// A duration of zero.
    pub const ZERO: Duration = Duration(0);
    /// The maximum duration, 213 days.
    pub const MAX: Duration = Duration(u64::MAX);

    /// A duration of `n` picoseconds.
    pub const fn from_picoseconds(n: u64) -> Self {
        Duration(n)
    }

    /// A duration of `n` nanoseconds. Panics above 213 days, as the constructors below do.
    pub const fn from_nanos(n: u64) -> Self {
        Duration(n * 1_000)
    }

    /// A duration of `n` microseconds.
    pub const fn from_micros(n: u64) -> Self {
        Duration(n * 1_000_000)
    }

    /// A duration of `n` milliseconds.
    pub const fn from_millis(n: u64) -> Self {
        Duration(n * 1_000_000_000)
    }

    /// A duration of `n` seconds.
    pub const fn from_secs(n: u64) -> Self {
        Duration(n * PICOSECONDS_PER_SECOND)
    }

    /// The duration nearest to `seconds`; `None` if negative, not finite or above 213 days.
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        let picoseconds = libm::round(seconds * PICOSECONDS_PER_SECOND as f64);
        (picoseconds >= 0.0 && picoseconds < u64::MAX as f64).then_some(Duration(picoseconds as u64))
    }

    /// The duration of `count` units (bits, cells) at `per_second` units/s, rounded down.
    ///
    /// Panics if `per_second` is zero or the duration is above 213 days.
    pub fn from_units(count: u64, per_second: u64) -> Self {
        // the units of one packet always fit the faster 64-bit division
        if let Some(picoseconds) = count.checked_mul(PICOSECONDS_PER_SECOND) {
            return Duration(picoseconds / per_second);
        }
        let picoseconds = u128::from(count) * u128::from(PICOSECONDS_PER_SECOND) / u128::from(per_second);
        Duration(u64::try_from(picoseconds).expect("a duration within 213 days"))
    }

    /// The duration in picoseconds.
    pub const fn picoseconds(self) -> u64 {
        self.0
    }

    /// The duration in seconds, to the nearest `f64`.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PICOSECONDS_PER_SECOND as f64
    }

    /// `count` times this duration. Panics above 213 days.
    pub const fn times(self, count: u64) -> Self {
        Duration(self.0 * count)
    }

    /// This duration minus `other`, zero if `other` is longer.
    pub const fn saturating_sub(self, other: Duration) -> Self {
        Duration(self.0.saturating_sub(other.0))
    }

    /// One of `parts` equal parts, rounded down. Panics if `parts` is zero.
    pub const fn divided(self, parts: u64) -> Self {
        Duration(self.0 / parts)
    }

    /// The number of whole `other` in this duration. Panics if `other` is zero.
    pub const fn whole(self, other: Duration) -> u64 {
        self.0 / other.0
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    #[inline]
    fn add(self, span: Duration) -> Time {
        Time(self.0.checked_add(span.0).expect("an instant within 213 days"))
    }
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, span: Duration) {
        *self = *self + span;
    }
}

impl Sub for Time {
    type Output = Duration;
    #[inline]
    fn sub(self, earlier: Time) -> Duration {
        Duration(self.0.checked_sub(earlier.0).expect("the earlier instant on the right"))
    }
}

impl Add for Duration {
    type Output = Duration;
    #[inline]
    fn add(self, other: Duration) -> Duration {
        Duration(self.0.checked_add(other.0).expect("a duration within 213 days"))
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, other: Duration) {
        *self = *self + other;
    }
}

impl Sub for Duration {
    type Output = Duration;
    #[inline]
    fn sub(self, other: Duration) -> Duration {
        Duration(self.0.checked_sub(other.0).expect("the shorter span on the right"))
    }
}

impl SubAssign for Duration {
    #[inline]
    fn sub_assign(&mut self, other: Duration) {
        *self = *self - other;
    }
}

impl std::iter::Sum for Duration {
    fn sum<I: Iterator<Item = Duration>>(spans: I) -> Duration {
        spans.fold(Duration::ZERO, Add::add)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Duration(self.0).fmt(f)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => write!(f, "0 s"),
            ps if ps < 1_000_000 => write!(f, "{} ns", ps as f64 / 1e3),
            ps if ps < 1_000_000_000 => write!(f, "{} µs", ps as f64 / 1e6),
            ps if ps < PICOSECONDS_PER_SECOND => write!(f, "{} ms", ps as f64 / 1e9),
            ps => write!(f, "{} s", ps as f64 / 1e12),
        }
    }
}

/// The end times of back-to-back units (bits, cells) whose duration is a rational number of picoseconds.
///
/// The k-th unit of a burst ends at `start + floor(k * 10^12 / per_second)` ps exactly: the remainder is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitTime {
    whole: u64,
    remainder: u64,
    per_second: u64,
    carried: u64,
}

impl UnitTime {
    /// Units of `1 / per_second` seconds. Panics if `per_second` is zero.
    pub const fn new(per_second: u64) -> Self {
        UnitTime::of_bits(1, per_second)
    }

    /// Units of `bits` bits at `per_second` bit/s. Panics if `per_second` is zero or `bits` above 18 million.
    pub const fn of_bits(bits: u64, per_second: u64) -> Self {
        let picoseconds = bits * PICOSECONDS_PER_SECOND;
        UnitTime { whole: picoseconds / per_second, remainder: picoseconds % per_second, per_second, carried: 0 }
    }

    /// Starts a new burst: drops the remainder of the previous one, as after a gap.
    #[inline]
    pub fn restart(&mut self) {
        self.carried = 0;
    }

    /// The first unit boundary at or after `from` of a continuous sequence of units since the start of the run, or
    /// the start itself; the next unit starts there.
    pub fn boundary(&mut self, from: Time) -> Time {
        let per_second = u128::from(self.per_second);
        let unit = u128::from(self.whole) * per_second + u128::from(self.remainder);
        let units = (u128::from(from.0) * per_second).div_ceil(unit);
        self.carried = (units * unit % per_second) as u64;
        Time((units * unit / per_second) as u64)
    }

    /// The minimum duration of a unit: the exact one rounded down.
    #[inline]
    pub const fn shortest(&self) -> Duration {
        Duration(self.whole)
    }

    /// The duration of the next unit of the burst.
    #[inline]
    pub fn next_unit(&mut self) -> Duration {
        self.carried += self.remainder;
        if self.carried >= self.per_second {
            self.carried -= self.per_second;
            return Duration(self.whole + 1);
        }
        Duration(self.whole)
    }

    /// The duration of the next `count` units of the burst, such as the bits of a packet or cell. Up to 2^32 units at up to
    /// 1 Tbit/s.
    #[inline]
    pub fn next_units(&mut self, count: u32) -> Duration {
        let carried = self.carried + self.remainder * u64::from(count);
        self.carried = carried % self.per_second;
        Duration(self.whole * u64::from(count) + carried / self.per_second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_ends_at_the_exact_product_of_units_and_unit_time() {
        // 1325/468 µs a cell: 468e6/1325 cells/s is not an integer, so test with bits of 1.25 and 3 Mbit/s
        let mut bits = UnitTime::new(3_000_000);
        let mut end = Time::ZERO;
        for k in 1..=100_000u64 {
            end += bits.next_unit();
            assert_eq!(end - Time::ZERO, Duration::from_units(k, 3_000_000));
        }
    }

    #[test]
    fn units_advanced_together_end_where_they_end_one_by_one() {
        let (mut single, mut at_once) = (UnitTime::new(149_760_000), UnitTime::new(149_760_000));
        for bits in [424, 1, 12_304, 424, 524_288] {
            let one_by_one: Duration = (0..bits).map(|_| single.next_unit()).sum();
            assert_eq!(at_once.next_units(bits), one_by_one);
        }
    }

    #[test]
    fn a_sequence_of_units_continues_from_any_boundary() {
        let rate = 149_760_000;
        let end = |cells: u64| Time::ZERO + Duration::from_units(cells * 424, rate);
        let mut cells = UnitTime::of_bits(424, rate);
        assert_eq!(cells.boundary(Time::ZERO), Time::ZERO);
        for k in [1, 2, 467, 468, 100_003] {
            assert_eq!(cells.boundary(Time(end(k).0 - 1)), end(k));
            assert_eq!(cells.boundary(end(k)), end(k));
            assert_eq!(end(k) + cells.next_unit(), end(k + 1));
        }
    }

    #[test]
    fn seconds_round_to_the_nearest_picosecond_and_reject_what_does_not_fit() {
        assert_eq!(Duration::from_seconds(0.128), Some(Duration::from_millis(128)));
        assert_eq!(Duration::from_seconds(-1.0), None);
        assert_eq!(Duration::from_seconds(f64::NAN), None);
        assert_eq!(Duration::from_seconds(1e9), None);
    }

    #[test]
    fn durations_print_in_the_customary_unit() {
        assert_eq!(Duration::from_micros(802).to_string(), "802 µs");
        assert_eq!(Duration::from_millis(128).to_string(), "128 ms");
    }
}
