//! The airtime budget: the seconds of any minute for which this station may transmit.
//!
//! The budget paces whole exchanges: an exchange begins only when its airtime is available. Frames are never held
//! back: after a late response to a poll, or a late acknowledgement, the far station would retransmit. Part of the
//! budget is reserved for disconnecting, which must be possible at any time.
//!
//! Retransmissions after losses may exceed the limit of one minute. The excess is charged to the time at which the
//! limit would have allowed it, so that the next exchange waits until the excess is made up for: on average the limit
//! is kept in any case.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

/// The period of the budget.
pub const MINUTE: Duration = Duration::from_secs(60);

/// Airtime allowed and used.
#[derive(Clone, Debug)]
pub struct Budget {
    /// What may be transmitted in a minute, above zero.
    limit: Duration,
    /// What exchanges may use of it.
    allowed: Duration,
    /// End and duration of each frame, or key-up, of the last minute, as accounted.
    spent: VecDeque<(Time, Duration)>,
    total: Duration,
}

impl Budget {
    /// At most `limit` in any minute, of which `reserve` is not for exchanges.
    pub fn new(limit: Duration, reserve: Duration) -> Budget {
        let limit = limit.max(Duration::from_picoseconds(1));
        Budget { limit, allowed: limit.saturating_sub(reserve), spent: VecDeque::new(), total: Duration::ZERO }
    }

    /// Transmits for `span` from now on, or after what is being transmitted.
    pub fn spend(&mut self, now: Time, span: Duration) {
        while self.spent.front().is_some_and(|(end, _)| *end + MINUTE <= now) {
            self.spent.pop_front();
        }
        self.total += span;
        let mut left = span;
        while left > Duration::ZERO {
            let part = left.min(self.limit);
            let begin = self.spent.back().map_or(now, |(end, _)| (*end).max(now));
            let begin = begin.max(self.room(begin, part, self.limit));
            self.spent.push_back((begin + part, part));
            left = left.saturating_sub(part);
        }
    }

    /// Whether a minute has room for an exchange that transmits for `span`.
    pub fn holds(&self, span: Duration) -> bool {
        span <= self.allowed
    }

    /// When an exchange that transmits for `span` may begin if nothing else is sent; one that no minute has room for, when
    /// nothing is left to account for.
    pub fn when(&self, now: Time, span: Duration) -> Time {
        self.room(now, span.min(self.allowed), self.allowed)
    }

    /// When a minute with `span` more, which is at most `limit`, has no more than that.
    fn room(&self, now: Time, span: Duration, limit: Duration) -> Time {
        let recent = || self.spent.iter().filter(|(end, _)| *end + MINUTE > now);
        let mut used: Duration = recent().map(|(_, span)| *span).sum();
        if used + span <= limit {
            return now;
        }
        for (end, freed) in recent() {
            used = used.saturating_sub(*freed);
            if used + span <= limit {
                return *end + MINUTE;
            }
        }
        now
    }

    /// Airtime used since the start.
    pub fn total(&self) -> Duration {
        self.total
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
        budget.spend(at(0), SECOND.times(8));
        assert_eq!(budget.when(at(1), SECOND.times(2)), at(1));
        assert_eq!(budget.when(at(1), SECOND.times(3)), at(68));
        assert_eq!(budget.when(at(68), SECOND.times(3)), at(68));
        assert_eq!(budget.total(), SECOND.times(8));
    }

    #[test]
    fn what_was_spent_beyond_the_budget_is_made_up_for_before_the_next_exchange() {
        let mut budget = Budget::new(SECOND.times(10), Duration::ZERO);
        budget.spend(at(0), SECOND.times(9));
        budget.spend(at(20), SECOND.times(9));
        assert_eq!(budget.when(at(30), SECOND), at(69), "the second 9 s are those of the minute from 69 s on");
        assert_eq!(budget.when(at(30), SECOND.times(2)), at(138));
        budget.spend(at(40), SECOND.times(25));
        assert_eq!(budget.when(at(65), SECOND.times(10)), at(343), "43 s were sent: at 10 s a minute for five minutes");
    }

    #[test]
    fn the_reserve_is_not_for_exchanges() {
        let budget = Budget::new(SECOND.times(10), SECOND.times(2));
        assert_eq!(budget.when(at(0), SECOND.times(8)), at(0));
        assert!(budget.holds(SECOND.times(8)) && !budget.holds(SECOND.times(9)), "no wait makes the budget larger");
    }

    proptest! {
        #[test]
        fn on_average_the_limit_holds_whatever_was_sent(
            bursts in proptest::collection::vec((0_u64..9000, 1_u64..30_000), 1..60)
        ) {
            let (limit, span) = (SECOND.times(10), SECOND);
            let mut budget = Budget::new(limit, Duration::ZERO);
            let mut now = Time::ZERO;
            for (pause, length) in bursts {
                now += Duration::from_millis(pause);
                budget.spend(now, Duration::from_millis(length));
                now += Duration::from_millis(length);
                let next = budget.when(now, span);
                let minutes = 1.0 + (next + span).since(Time::ZERO).seconds() / 60.0;
                let sent = (budget.total() + span).seconds();
                prop_assert!(sent <= limit.seconds() * minutes + 1e-6, "{sent} s in {minutes} minutes");
            }
        }

        #[test]
        fn exchanges_that_wait_for_it_keep_every_minute_within_the_limit(
            wishes in proptest::collection::vec((0_u64..9000, 1_u64..4000), 1..200)
        ) {
            let limit = SECOND.times(10);
            let mut budget = Budget::new(limit, SECOND.times(2));
            let (mut now, mut sent) = (Time::ZERO, Vec::new());
            for (pause, length) in wishes {
                let span = Duration::from_millis(length);
                now = budget.when(now + Duration::from_millis(pause), span);
                budget.spend(now, span);
                sent.push((now, now + span));
                now += span;
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
