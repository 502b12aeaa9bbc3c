//! Rate and burst control of a sender: BURST bytes in every RTIMER.

use sojourn_core::time::PICOSECONDS_PER_SECOND;
use sojourn_core::{Duration, Time};

use super::configuration::Rate;
use super::timers::after;

/// Credit of a sender until RTIMER expires.
#[derive(Clone, Debug)]
pub(super) struct RateControl {
    rate: Rate,
    /// RTIMER, `burst / rate` seconds.
    period: Duration,
    credit: i64,
    refill: Time,
}

/// Whether a packet may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    /// Now.
    Now,
    /// At this time.
    At(Time),
    /// Never: the rate is 0.
    Never,
}

impl RateControl {
    pub fn new(rate: Rate) -> Self {
        RateControl { rate, period: period(rate), credit: i64::from(rate.burst), refill: Time::ZERO }
    }

    /// Limits the rate to what the peer accepts.
    pub fn lower(&mut self, limit: Rate) {
        let rate = self.rate.min(limit);
        if rate != self.rate {
            *self = RateControl { refill: self.refill, ..RateControl::new(rate) };
        }
    }

    /// Whether a packet may be sent at `now`: while there is credit, which is refilled every RTIMER.
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

    /// A packet with `bytes` of data is sent.
    #[inline]
    pub fn spend(&mut self, bytes: u64) {
        self.credit -= bytes as i64;
    }
}

/// RTIMER of a rate, saturated at the maximum duration.
fn period(rate: Rate) -> Duration {
    let picoseconds = u128::from(rate.burst) * u128::from(PICOSECONDS_PER_SECOND);
    let period = picoseconds / u128::from(rate.bytes_per_second.max(1));
    Duration::from_picoseconds(u64::try_from(period).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_sent_while_credit_is_left_and_the_next_waits_for_rtimer() {
        let mut control = RateControl::new(Rate { bytes_per_second: 1000, burst: 100 });
        assert_eq!(control.permission(Time::ZERO), Permission::Now);
        control.spend(99);
        assert_eq!(control.permission(Time::ZERO), Permission::Now);
        control.spend(60);
        let refill = Time::ZERO + Duration::from_millis(100);
        assert_eq!(control.permission(Time::ZERO), Permission::At(refill));
        assert_eq!(control.permission(refill), Permission::Now);
    }

    #[test]
    fn a_rate_of_0_stops_the_sender_and_an_unlimited_rate_never_does() {
        assert_eq!(RateControl::new(Rate { bytes_per_second: 0, burst: 1 }).permission(Time::ZERO), Permission::Never);
        let mut free = RateControl::new(Rate::UNLIMITED);
        free.spend(u64::MAX >> 2);
        assert_eq!(free.permission(Time::ZERO), Permission::Now);
    }

    #[test]
    fn the_minimum_rate_does_not_overflow_time() {
        let mut control = RateControl::new(Rate { bytes_per_second: 1, burst: u32::MAX - 1 });
        control.spend(u64::from(u32::MAX));
        assert_eq!(control.permission(Time::ZERO), Permission::Now, "the first burst begins");
        control.spend(u64::from(u32::MAX));
        assert_eq!(control.permission(Time::ZERO), Permission::At(Time::NEVER));
    }

    #[test]
    fn the_lower_rate_of_both_ends_applies() {
        let mut control = RateControl::new(Rate { bytes_per_second: 1000, burst: 500 });
        control.lower(Rate { bytes_per_second: 2000, burst: 100 });
        assert_eq!(control.rate, Rate { bytes_per_second: 1000, burst: 100 });
        control.lower(Rate::UNLIMITED);
        assert_eq!(control.rate, Rate { bytes_per_second: 1000, burst: 100 });
    }
}
