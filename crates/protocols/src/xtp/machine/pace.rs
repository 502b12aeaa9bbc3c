//! Rate and burst control of a sender: so many bytes in every RTIMER.

use sojourn_core::time::PICOSECONDS_PER_SECOND;
use sojourn_core::{Duration, Time};

use super::configuration::Rate;
use super::timers::after;

/// What a sender may still send before RTIMER expires.
#[derive(Debug)]
pub(super) struct Pace {
    rate: Rate,
    /// RTIMER, `burst / rate` seconds.
    period: Duration,
    credit: i64,
    refill: Time,
}

/// Whether a packet may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    /// Now.
    Now,
    /// At that time.
    At(Time),
    /// Not at all: the rate is 0.
    Never,
}

impl Pace {
    pub fn new(rate: Rate) -> Self {
        Pace { rate, period: period(rate), credit: i64::from(rate.burst), refill: Time::ZERO }
    }

    /// Lowers the rate to what the peer is ready to take.
    pub fn lower(&mut self, limit: Rate) {
        let rate = self.rate.min(limit);
        if rate != self.rate {
            *self = Pace { refill: self.refill, ..Pace::new(rate) };
        }
    }

    /// Whether a packet may begin at `now`: while there is credit, which is filled up every RTIMER.
    #[inline]
    pub fn permission(&mut self, now: Time) -> Permission {
        if self.rate.is_unlimited() {
            return Permission::Now;
        }
        if self.rate.bytes_per_second == 0 {
            return Permission::Never;
        }
        if now >= self.refill {
            self.credit = i64::from(self.rate.burst);
            self.refill = after(now, self.period);
        }
        if self.credit > 0 { Permission::Now } else { Permission::At(self.refill) }
    }

    /// A packet with so many bytes of data has begun.
    #[inline]
    pub fn spend(&mut self, bytes: u64) {
        self.credit -= bytes as i64;
    }
}

/// RTIMER of a rate; of a rate that makes it longer than all time, the longest span.
fn period(rate: Rate) -> Duration {
    let picoseconds = u128::from(rate.burst) * u128::from(PICOSECONDS_PER_SECOND);
    let period = picoseconds / u128::from(rate.bytes_per_second.max(1));
    Duration::from_picoseconds(u64::try_from(period).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_begins_while_there_is_credit_and_the_next_waits_for_the_timer() {
        let mut pace = Pace::new(Rate { bytes_per_second: 1000, burst: 100 });
        assert_eq!(pace.permission(Time::ZERO), Permission::Now);
        pace.spend(99);
        assert_eq!(pace.permission(Time::ZERO), Permission::Now);
        pace.spend(60);
        let refill = Time::ZERO + Duration::from_millis(100);
        assert_eq!(pace.permission(Time::ZERO), Permission::At(refill));
        assert_eq!(pace.permission(refill), Permission::Now);
    }

    #[test]
    fn a_rate_of_zero_stops_the_sender_and_no_limit_never_does() {
        assert_eq!(Pace::new(Rate { bytes_per_second: 0, burst: 1 }).permission(Time::ZERO), Permission::Never);
        let mut free = Pace::new(Rate::UNLIMITED);
        free.spend(u64::MAX >> 2);
        assert_eq!(free.permission(Time::ZERO), Permission::Now);
    }

    #[test]
    fn the_slowest_of_all_rates_ends_no_run() {
        let mut pace = Pace::new(Rate { bytes_per_second: 1, burst: u32::MAX - 1 });
        pace.spend(u64::from(u32::MAX));
        assert_eq!(pace.permission(Time::ZERO), Permission::Now, "the first burst begins");
        pace.spend(u64::from(u32::MAX));
        assert_eq!(pace.permission(Time::ZERO), Permission::At(Time::NEVER));
    }

    #[test]
    fn the_lower_of_both_ends_rates_holds() {
        let mut pace = Pace::new(Rate { bytes_per_second: 1000, burst: 500 });
        pace.lower(Rate { bytes_per_second: 2000, burst: 100 });
        assert_eq!(pace.rate, Rate { bytes_per_second: 1000, burst: 100 });
        pace.lower(Rate::UNLIMITED);
        assert_eq!(pace.rate, Rate { bytes_per_second: 1000, burst: 100 });
    }
}
