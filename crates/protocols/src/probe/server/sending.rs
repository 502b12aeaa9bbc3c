//! Load that the agent sends: when each packet is due.

use sojourn_core::{Duration, Time};

/// How far behind its schedule a sender may be and still catch up; what is due longer is not sent at all.
const CATCH_UP: Duration = Duration::from_millis(10);

/// One load under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub octets: u16,
    interval: Duration,
    next: Time,
    until: Time,
}

impl Sending {
    /// Packets of `octets` at `bit_rate` from `now` until `until`.
    pub fn new(now: Time, until: Time, bit_rate: u64, octets: u16) -> Sending {
        let interval = Duration::from_units(8 * u64::from(octets), bit_rate.max(1));
        Sending { octets, interval, next: now, until }
    }

    /// When the next is due; `None` when the load is over.
    pub fn due(&self) -> Option<Time> {
        (self.next < self.until).then_some(self.next)
    }

    /// Whether one is due now; then the next is due an interval later.
    pub fn take(&mut self, now: Time) -> bool {
        if now.since(self.next) > CATCH_UP {
            self.next = Time::ZERO + (now - Time::ZERO).saturating_sub(CATCH_UP);
        }
        let due = self.next <= now && self.next < self.until;
        if due {
            self.next += self.interval;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(microseconds: u64) -> Time {
        Time::ZERO + Duration::from_micros(microseconds)
    }

    #[test]
    fn packets_keep_to_the_rate_whenever_the_sender_wakes() {
        let mut sending = Sending::new(at(0), at(100_000), 8_000_000, 1000);
        let sent = (0..100_000).step_by(1700).map(|now| (0..).take_while(|_| sending.take(at(now))).count());
        assert_eq!(sent.sum::<usize>(), 99, "1000 packets a second, the first at once, the last wake at 98.6 ms");
        assert!(sending.take(at(99_000)) && !sending.take(at(100_000)));
        assert_eq!(sending.due(), None);
    }

    #[test]
    fn what_was_missed_for_long_is_not_sent_in_a_burst() {
        let mut sending = Sending::new(at(0), at(10_000_000), 8_000_000, 1000);
        let burst = (0..).take_while(|_| sending.take(at(1_000_000))).count();
        assert_eq!(burst, 11, "10 ms of 1000 packets a second, and the one due now");
    }

    #[test]
    fn what_a_stall_held_up_is_caught_up_for_10_ms_and_never_after_the_load_is_over() {
        let sent = |stall: std::ops::Range<u64>| {
            let mut sending = Sending::new(at(0), at(300_000), 8_000_000, 1000);
            let wakes = (0..400).filter(|now| !stall.contains(now));
            wakes.map(|now| (0..).take_while(|_| sending.take(at(now * 1000))).count()).sum::<usize>()
        };
        assert_eq!(sent(0..0), 300, "1000 packets a second for 300 ms");
        assert_eq!(sent(100..110), 300, "10 ms late, and all are caught up");
        assert_eq!(sent(100..150), 260, "of 50 ms the last 10, and the one due then");
        assert_eq!(sent(290..305), 295, "those due from 295 ms on and before the end");
        assert_eq!(sent(290..310), 290, "nothing is left to be caught up");
    }
}
