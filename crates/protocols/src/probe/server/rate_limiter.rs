//! Rate limiting by the generic cell rate algorithm (GCRA) as virtual scheduling (ITU-T I.371, annex A).

use sojourn_core::{Duration, Time};

/// Limits events to a rate, with a burst tolerance given as a duration at that rate.
#[derive(Clone, Copy, Debug)]
pub struct RateLimiter {
    per_second: u64,
    burst: Duration,
    /// Theoretical arrival time (TAT) of the next unit.
    next: Time,
}

impl RateLimiter {
    /// Permits `per_second` units/s, at least 1, and `burst` x `per_second` units at once, at least one.
    pub fn new(per_second: u64, burst: Duration) -> RateLimiter {
        RateLimiter { per_second: per_second.max(1), burst, next: Time::ZERO }
    }

    /// Whether `units` conform at `now`; if so they are counted.
    pub fn take(&mut self, now: Time, units: u64) -> bool {
        let begin = self.next.max(now);
        if begin.since(now) > self.burst {
            return false;
        }
        self.next = begin + Duration::from_units(units, self.per_second);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_conforms_and_then_the_rate_limits() {
        let mut allowance = RateLimiter::new(100, Duration::from_millis(50));
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let at_once = (0..100).filter(|_| allowance.take(at(0), 1)).count();
        assert_eq!(at_once, 6, "the first, and 50 ms of 100 /s");
        let later = (0..1000).filter(|millisecond| allowance.take(at(*millisecond), 1)).count();
        assert_eq!(later, 100 - 1, "100/s less the first burst plus the last one");
    }

    #[test]
    fn units_above_the_burst_conform_and_delay_the_next() {
        let mut allowance = RateLimiter::new(1000, Duration::ZERO);
        assert!(allowance.take(Time::ZERO, 2000));
        assert!(!allowance.take(Time::ZERO + Duration::from_millis(1999), 1));
        assert!(allowance.take(Time::ZERO + Duration::from_millis(2000), 1));
    }
}
