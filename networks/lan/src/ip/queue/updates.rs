//! The clock of controllers that update a probability at fixed intervals: what is due is caught up with when a packet
//! comes or goes, since between such instants nothing changes that an update reads.

use sojourn_core::{Duration, Time};

/// Updates at multiples of an interval.
#[derive(Clone, Copy, Debug)]
pub struct Updates {
    interval: Duration,
    next: Time,
}

impl Updates {
    /// The first update comes after one interval.
    pub fn new(interval: Duration) -> Self {
        Updates { interval, next: Time::ZERO + interval }
    }

    /// Makes all updates due up to `now`; `update` gets the instant of each, and says whether another like it, with
    /// nothing in between, could change anything.
    #[inline]
    pub fn catch_up(&mut self, now: Time, mut update: impl FnMut(Time) -> bool) {
        while self.next <= now {
            let at = self.next;
            self.next = at + self.interval;
            if !update(at) && self.next <= now {
                let missed = now.since(self.next).whole(self.interval) + 1;
                self.next += self.interval.times(missed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn updates_come_at_multiples_of_the_interval_and_only_those_are_skipped_that_change_nothing() {
        let mut updates = Updates::new(Duration::from_millis(15));
        let mut made = Vec::new();
        updates.catch_up(ms(14), |at| {
            made.push(at);
            true
        });
        assert!(made.is_empty());
        updates.catch_up(ms(45), |at| {
            made.push(at);
            true
        });
        assert_eq!(made, [ms(15), ms(30), ms(45)]);
        updates.catch_up(ms(1000), |at| {
            made.push(at);
            at < ms(75)
        });
        assert_eq!(made[3..], [ms(60), ms(75)], "the one at 75 ms said that nothing changes any more");
        updates.catch_up(ms(1005), |at| {
            made.push(at);
            false
        });
        assert_eq!(made[5..], [ms(1005)]);
    }
}
