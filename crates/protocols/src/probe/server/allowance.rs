//! How often something may happen: the generic cell rate algorithm as virtual scheduling (ITU-T I.371, annex A).

use sojourn_core::{Duration, Time};

/// Units at up to a rate, with bursts of up to a span's worth.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    per_second: u64,
    burst: Duration,
    /// When what was allowed so far would have been sent at the rate.
    paid_until: Time,
}

impl Allowance {
    /// `per_second` units, at least 1, and `burst` of them at once, at least one.
    pub fn new(per_second: u64, burst: Duration) -> Allowance {
        Allowance { per_second: per_second.max(1), burst, paid_until: Time::ZERO }
    }

    /// Whether `units` more may happen now; if so they are paid for.
    pub fn take(&mut self, now: Time, units: u64) -> bool {
        let begin = self.paid_until.max(now);
        if begin.since(now) > self.burst {
            return false;
        }
        self.paid_until = begin + Duration::from_units(units, self.per_second);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_then_the_rate() {
        let mut allowance = Allowance::new(100, Duration::from_millis(50));
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        let at_once = (0..100).filter(|_| allowance.take(at(0), 1)).count();
        assert_eq!(at_once, 6, "the first, and 50 ms of 100 /s");
        let later = (0..1000).filter(|millisecond| allowance.take(at(*millisecond), 1)).count();
        assert_eq!(later, 100 - 1, "100 a second less what the burst took ahead, plus what the end may take");
    }

    #[test]
    fn one_larger_than_the_burst_passes_and_is_paid_for_before_the_next() {
        let mut allowance = Allowance::new(1000, Duration::ZERO);
        assert!(allowance.take(Time::ZERO, 2000));
        assert!(!allowance.take(Time::ZERO + Duration::from_millis(1999), 1));
        assert!(allowance.take(Time::ZERO + Duration::from_millis(2000), 1));
    }
}
