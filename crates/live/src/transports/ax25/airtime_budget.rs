//! The airtime budget: how many seconds of any minute this station may transmit.
//!
//! Part of it is reserved for disconnecting, which must be possible at any time.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

/// The period of the budget.
pub const MINUTE: Duration = Duration::from_secs(60);

/// Airtime allowed and used.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: Duration,
    reserve: Duration,
    /// End and duration of each transmission of the last minute.
    spent: VecDeque<(Time, Duration)>,
    total: Duration,
}

impl Budget {
    /// At most `limit` in any minute, of which `reserve` is for shutdown only.
    pub fn new(limit: Duration, reserve: Duration) -> Budget {
        Budget { limit, reserve, spent: VecDeque::new(), total: Duration::ZERO }
    }

    /// Airtime available now; at shutdown including the reserve.
    pub fn left(&self, now: Time, leaving: bool) -> Duration {
        let recent = self.recent(now).fold(Duration::ZERO, |sum, (_, span)| sum + *span);
        self.allowed(leaving).saturating_sub(recent)
    }

    /// Uses `span` from now on; false if it is not available.
    pub fn spend(&mut self, now: Time, span: Duration, leaving: bool) -> bool {
        if span > self.left(now, leaving) {
            return false;
        }
        while self.spent.front().is_some_and(|(end, _)| *end + MINUTE <= now) {
            self.spent.pop_front();
        }
        // transmissions queue up behind each other
        let begin = self.spent.back().map_or(now, |(end, _)| (*end).max(now));
        self.spent.push_back((begin + span, span));
        self.total += span;
        true
    }

    /// When `span` becomes available if nothing else is sent; never if it exceeds the limit.
    pub fn when(&self, now: Time, span: Duration, leaving: bool) -> Time {
        let mut left = self.left(now, leaving);
        if span <= left {
            return now;
        }
        for (end, freed) in self.recent(now) {
            left += *freed;
            if span <= left {
                return *end + MINUTE;
            }
        }
        Time::NEVER
    }

    /// Airtime used since the start.
    pub fn total(&self) -> Duration {
        self.total
    }

    fn allowed(&self, leaving: bool) -> Duration {
        if leaving { self.limit } else { self.limit.saturating_sub(self.reserve) }
    }

    /// Transmissions that ended, or will end, less than a minute ago.
    fn recent(&self, now: Time) -> impl Iterator<Item = &(Time, Duration)> {
        self.spent.iter().filter(move |(end, _)| *end + MINUTE > now)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn what_was_spent_comes_back_a_minute_after_its_end() {
        let mut budget = Budget::new(SECOND.times(10), Duration::ZERO);
        assert!(budget.spend(at(0), SECOND.times(8), false));
        assert!(!budget.spend(at(1), SECOND.times(3), false));
        assert_eq!(budget.when(at(1), SECOND.times(3), false), at(68));
        assert!(budget.spend(at(68), SECOND.times(3), false));
        assert_eq!(budget.total(), SECOND.times(11));
    }

    #[test]
    fn the_reserve_is_for_the_end_alone() {
        let mut budget = Budget::new(SECOND.times(10), SECOND.times(2));
        assert!(budget.spend(at(0), SECOND.times(8), false));
        assert_eq!(budget.left(at(0), false), Duration::ZERO);
        assert_eq!(budget.left(at(0), true), SECOND.times(2));
        assert_eq!(budget.when(at(0), SECOND.times(11), true), Time::NEVER, "no wait makes the budget larger");
    }

    proptest! {
        #[test]
        fn no_minute_holds_more_than_the_limit(wishes in proptest::collection::vec((0_u64..9000, 1_u64..4000, any::<bool>()), 1..200)) {
            let limit = SECOND.times(10);
            let mut budget = Budget::new(limit, SECOND.times(2));
            let (mut now, mut air_is_free, mut sent) = (Time::ZERO, Time::ZERO, Vec::new());
            for (pause, length, leaving) in wishes {
                now += Duration::from_millis(pause);
                let span = Duration::from_millis(length);
                if budget.spend(now, span, leaving) {
                    let begin = air_is_free.max(now);
                    air_is_free = begin + span;
                    sent.push((begin, air_is_free));
                }
            }
            for (_, window_end) in &sent {
                let window_begin = Time::from_picoseconds(window_end.picoseconds().saturating_sub(MINUTE.picoseconds()));
                let on_air = sent.iter().fold(Duration::ZERO, |sum, (begin, end)| {
                    sum + (*end).min(*window_end).since((*begin).max(window_begin))
                });
                prop_assert!(on_air <= limit, "{} s in the minute to {}", on_air.seconds(), window_end.seconds());
            }
        }
    }
}
