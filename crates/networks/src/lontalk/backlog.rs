//! A station's estimate of the channel's backlog, and how it decays while the channel is silent.
//!
//! The decay is computed when somebody asks, never by a timer: an estimate remembers since when it decays
//! and how, and [`Estimate::settle`] brings it up to date in constant time.

use sojourn_core::{Duration, Time};

/// What lowers the estimate during the present silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decay {
    /// Nothing: the station waits for a priority slot, or the channel is busy.
    None,
    /// The idle timer: nothing to send.
    Idle,
    /// Sixteen slots of silence at a time: the station waits in its random phase.
    Waiting,
}

/// The periods and bounds that all estimates of a channel share.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The idle timer.
    pub idle: Duration,
    /// The base window: sixteen slots.
    pub waiting: Duration,
    /// Largest backlog.
    pub cap: u8,
}

/// A backlog estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The estimate, 1 to 63, as of `settled`.
    pub backlog: u8,
    /// What lowers it.
    pub decay: Decay,
    /// How far the idle timer has run; it pauses while the channel is busy.
    pub idle_elapsed: Duration,
    /// From when the decay counts in the present silence.
    pub since: Time,
    /// Up to when `backlog` is known.
    pub settled: Time,
}

impl Estimate {
    /// The estimate of a station that has been switched on.
    pub fn new(backlog: u8) -> Self {
        let never = Duration::ZERO;
        Estimate { backlog, decay: Decay::Idle, idle_elapsed: never, since: Time::ZERO, settled: Time::ZERO }
    }

    /// Brings the estimate to `now`, the channel having been silent since `settled` until `stop` at the
    /// latest. Returns the integral of the estimate over that span, in picoseconds.
    #[inline(always)]
    pub fn settle(&mut self, now: Time, stop: Time, rules: &Rules) -> u64 {
        let integral = now.since(self.settled).picoseconds() * u64::from(self.backlog);
        let from = self.settled.max(self.since);
        let active = now.min(stop).since(from).picoseconds();
        self.settled = now;
        if active == 0 || self.decay == Decay::None {
            return integral;
        }
        let (elapsed, period) = match self.decay {
            Decay::Idle => (self.idle_elapsed, rules.idle),
            _ => (from.since(self.since), rules.waiting),
        };
        let total = elapsed.picoseconds() + active;
        if total < period.picoseconds() {
            if self.decay == Decay::Idle {
                self.idle_elapsed = Duration::from_picoseconds(total);
            }
            return integral;
        }
        integral - self.expire(total, elapsed, period, now.since(now.min(stop)))
    }

    /// Lets the periods that ended in `total`, of which `elapsed` are accounted for, lower the estimate; `after`
    /// is how long the estimate has been still since. Returns by how much that lowers the integral.
    #[inline(never)]
    fn expire(&mut self, total: u64, elapsed: Duration, period: Duration, after: Duration) -> u64 {
        let period = period.picoseconds();
        let accounted = elapsed.picoseconds() / period * period;
        let total = total - accounted;
        if self.decay == Decay::Idle {
            self.idle_elapsed = Duration::from_picoseconds(total % period);
        }
        self.drop(total / period, total, period, after)
    }

    /// Lowers the estimate by `periods`, never below 1. Returns by how much that lowers the integral.
    fn drop(&mut self, periods: u64, total: u64, period: u64, after: Duration) -> u64 {
        let drops = periods.min(u64::from(self.backlog - 1));
        self.backlog -= drops as u8;
        drops * (total + after.picoseconds()) - period * (drops * (drops + 1) / 2)
    }

    /// Applies a packet's delta backlog at the end of a valid packet, heard or own: the idle timer restarts.
    /// Tells whether the cap cut the rise.
    #[inline(always)]
    pub fn apply(&mut self, delta: u8, cap: u8) -> bool {
        self.idle_elapsed = Duration::ZERO;
        let risen = if delta == 0 { (self.backlog - 1).max(1) } else { self.backlog + delta };
        self.backlog = risen.min(cap);
        risen > cap
    }

    /// Applies a detected collision of an own transmission. Tells whether the cap cut the rise.
    pub fn collide(&mut self, cap: u8) -> bool {
        let cut = self.backlog >= cap;
        self.backlog = (self.backlog + 1).min(cap);
        cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules { idle: Duration::from_micros(4000), waiting: Duration::from_micros(1000), cap: 63 };

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    #[test]
    fn an_idle_estimate_falls_by_one_per_idle_timer_and_not_below_one() {
        let mut estimate = Estimate::new(4);
        estimate.settle(at(7999), Time::NEVER, &RULES);
        assert_eq!(estimate.backlog, 3);
        estimate.settle(at(8000), Time::NEVER, &RULES);
        assert_eq!(estimate.backlog, 2);
        estimate.settle(at(800_000), Time::NEVER, &RULES);
        assert_eq!(estimate.backlog, 1);
    }

    #[test]
    fn the_idle_timer_pauses_while_the_channel_is_busy() {
        let mut estimate = Estimate::new(4);
        estimate.settle(at(9000), at(3000), &RULES);
        estimate.since = at(10_000);
        estimate.settle(at(10_999), Time::NEVER, &RULES);
        assert_eq!(estimate.backlog, 4);
        estimate.settle(at(11_000), Time::NEVER, &RULES);
        assert_eq!(estimate.backlog, 3);
    }

    #[test]
    fn settling_in_parts_gives_the_same_estimate_and_integral_as_settling_at_once() {
        for decay in [Decay::Idle, Decay::Waiting] {
            let mut whole = Estimate { decay, since: at(500), ..Estimate::new(9) };
            let mut parts = whole;
            let mut sum = 0;
            for step in (0..=20_000).step_by(333).chain([20_000]) {
                sum += parts.settle(at(step), at(18_000), &RULES);
            }
            assert_eq!(whole.settle(at(20_000), at(18_000), &RULES), sum, "{decay:?}");
            assert_eq!(whole, parts, "{decay:?}");
        }
    }
}
