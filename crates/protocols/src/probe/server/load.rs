//! Pacing of the load that the agent sends.

use sojourn_core::{Duration, Time};

/// Backlog that a late sender catches up; packets due earlier are skipped.
const CATCH_UP: Duration = Duration::from_millis(10);

/// Load being sent at a constant rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub octets: u16,
    /// Differentiated services code point.
    pub dscp: u8,
    /// When the client confirmed last that it receives it.
    pub confirmed: Time,
    interval: Duration,
    next: Time,
    until: Time,
}

impl Load {
    /// Packets of `octets` at `bit_rate` from `now` until `until`.
    pub fn new(now: Time, until: Time, bit_rate: u64, octets: u16, dscp: u8) -> Load {
        let interval = Duration::from_units(8 * u64::from(octets), bit_rate.max(1));
        Load { octets, dscp, confirmed: now, interval, next: now, until }
    }

    /// When the next packet is due; `None` once the load has ended.
    pub fn due(&self) -> Option<Time> {
        (self.next < self.until).then_some(self.next)
    }

    /// Whether a packet is due; if so, schedules the next.
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
    fn packets_are_sent_at_the_rate_whenever_the_sender_wakes() {
        let mut load = Load::new(at(0), at(100_000), 8_000_000, 1000, 0);
        let sent = (0..100_000).step_by(1700).map(|now| (0..).take_while(|_| load.take(at(now))).count());
        assert_eq!(sent.sum::<usize>(), 99, "1000 packets/s, the first at once, the last wake-up at 98.6 ms");
        assert!(load.take(at(99_000)) && !load.take(at(100_000)));
        assert_eq!(load.due(), None);
    }

    #[test]
    fn a_long_backlog_is_not_sent_in_a_burst() {
        let mut load = Load::new(at(0), at(10_000_000), 8_000_000, 1000, 0);
        let burst = (0..).take_while(|_| load.take(at(1_000_000))).count();
        assert_eq!(burst, 11, "10 ms of 1000 packets/s, and the one due now");
    }

    #[test]
    fn a_backlog_of_up_to_10_ms_is_caught_up_and_never_after_the_end_of_the_load() {
        let sent = |stall: std::ops::Range<u64>| {
            let mut load = Load::new(at(0), at(300_000), 8_000_000, 1000, 0);
            let wakes = (0..400).filter(|now| !stall.contains(now));
            wakes.map(|now| (0..).take_while(|_| load.take(at(now * 1000))).count()).sum::<usize>()
        };
        assert_eq!(sent(0..0), 300, "1000 packets/s for 300 ms");
        assert_eq!(sent(100..110), 300, "10 ms late: all are caught up");
        assert_eq!(sent(100..150), 260, "of 50 ms the last 10, and the one due then");
        assert_eq!(sent(290..305), 295, "those due from 295 ms on and before the end");
        assert_eq!(sent(290..310), 290, "nothing is left to be caught up");
    }
}
