//! A station's estimate of the channel's backlog, and its decay while the channel is idle (ISO/IEC 14908-1, 5).
//!
//! The decay is computed on demand, without timers: an estimate stores the instant since which it decays, and a
//! [`Decay`] updates it over a [`Span`]. Stations that have decayed since the same instant share the computation.

use sojourn_core::{Duration, Time};

/// The periods and bounds that all estimates of a channel share.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Idle timer (packet cycle) after which a backlog is lowered by one.
    pub idle: Duration,
    /// Base window: the period of decay of contending stations.
    pub waiting: Duration,
    /// Largest backlog, 1 to 63.
    pub cap: u8,
}

/// Time span over which estimates are updated.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Start: the instant of the last update.
    pub from: Time,
    /// End of the span.
    pub now: Time,
    /// When the channel became busy, if it did: decay stops there.
    pub stop: Time,
}

impl Span {
    /// The end of decay in the span.
    #[inline(always)]
    fn end_of_decay(&self) -> Time {
        self.now.min(self.stop)
    }
}

/// A backlog estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// How far the idle timer has run; it pauses while the channel is busy.
    pub idle_elapsed: Duration,
    /// Since when it decays in the present idle period; never while the station waits for a priority slot, or found the
    /// channel busy.
    pub since: Time,
    /// The estimate, 1 to 63.
    pub backlog: u8,
}

impl Estimate {
    /// The estimate of a station at power-up.
    pub fn new(backlog: u8) -> Self {
        Estimate { backlog, idle_elapsed: Duration::ZERO, since: Time::ZERO }
    }

    /// Updates the estimate of a station with nothing to send over `span`; returns its integral.
    #[inline]
    pub fn settle_idle(&mut self, span: &Span, rules: &Rules) -> u128 {
        let decay = Decay::idle(self.since, self.idle_elapsed, span, rules);
        self.idle_elapsed = decay.idle_left;
        decay.lower(&mut self.backlog)
    }

    /// Updates the estimate of a contending station over `span`; returns its integral.
    #[inline]
    pub fn settle_waiting(&mut self, span: &Span, rules: &Rules) -> u128 {
        Decay::waiting(self.since, span, rules).lower(&mut self.backlog)
    }

    /// Applies the delta backlog at the end of a valid packet, received or sent; the idle timer restarts. Returns whether
    /// the cap limited the increase.
    #[inline]
    pub fn apply(&mut self, delta: u8, cap: u8) -> bool {
        self.idle_elapsed = Duration::ZERO;
        apply(&mut self.backlog, delta, cap)
    }

    /// Applies a detected collision of its own transmission. Returns whether the cap limited the increase.
    pub fn collide(&mut self, cap: u8) -> bool {
        let cut = self.backlog >= cap;
        self.backlog = (self.backlog + 1).min(cap);
        cut
    }
}

/// Applies a delta backlog; returns whether the cap limited the increase.
#[inline(always)]
pub fn apply(backlog: &mut u8, delta: u8, cap: u8) -> bool {
    // neither reaches 255: a backlog and a delta are 63 at most
    let risen = if delta == 0 { backlog.saturating_sub(1).max(1) } else { backlog.saturating_add(delta) };
    *backlog = risen.min(cap);
    risen > cap
}

/// The decay over a span of estimates that decay since the same instant.
#[derive(Clone, Copy, Debug)]
pub struct Decay {
    /// Periods that ended.
    pub periods: u8,
    /// How far the idle timer has run since.
    pub idle_left: Duration,
    /// From the beginning of the first period to the end of the span, in picoseconds.
    falling: u64,
    /// A period, in picoseconds.
    period: u64,
    /// The span, in picoseconds.
    length: u64,
}

impl Decay {
    /// The decay of stations with nothing to send: one per idle timer period.
    #[inline]
    pub fn idle(since: Time, idle_elapsed: Duration, span: &Span, rules: &Rules) -> Self {
        let active = span.end_of_decay().since(span.from.max(since));
        let total = idle_elapsed + active;
        let mut decay = Decay { idle_left: total, ..Decay::none(span) };
        if total >= rules.idle {
            decay.count_idle(total, span, rules.idle);
        }
        decay
    }

    /// The decay of contending stations: one per base window of idle time.
    #[inline]
    pub fn waiting(since: Time, span: &Span, rules: &Rules) -> Self {
        let end = span.end_of_decay();
        let mut decay = Decay::none(span);
        if end.since(since) >= rules.waiting {
            let accounted = span.from.min(end).since(since).whole(rules.waiting);
            decay.count(end.since(since) - rules.waiting.times(accounted), span, rules.waiting);
        }
        decay
    }

    fn none(span: &Span) -> Self {
        let length = span.now.since(span.from).picoseconds();
        Decay { periods: 0, idle_left: Duration::ZERO, falling: 0, period: 0, length }
    }

    /// Counts how often an idle timer has run that has gone on for `total`.
    #[inline(never)]
    fn count_idle(&mut self, total: Duration, span: &Span, period: Duration) {
        self.idle_left = Duration::from_picoseconds(total.picoseconds() % period.picoseconds());
        self.count(total, span, period);
    }

    /// Counts the periods of a decay that has gone on for `total`.
    #[inline(never)]
    fn count(&mut self, total: Duration, span: &Span, period: Duration) {
        self.periods = total.whole(period).min(u64::from(u8::MAX)) as u8;
        self.falling = (total + span.now.since(span.end_of_decay())).picoseconds();
        self.period = period.picoseconds();
    }

    /// Lowers a backlog, never below 1; returns its integral over the span, in picoseconds.
    #[inline]
    pub fn lower(&self, backlog: &mut u8) -> u128 {
        let before = u64::from(*backlog);
        *backlog -= self.periods.min(*backlog - 1);
        let drops = before - u64::from(*backlog);
        self.integral(before, drops, drops * (drops + 1) / 2)
    }

    /// The integral over the span of backlogs, in picoseconds, given their sum at its beginning, the sum of their
    /// drops, and the sum over them of 1 + 2 + ... + drops.
    #[inline]
    pub fn integral(&self, backlogs: u64, drops: u64, ranks: u64) -> u128 {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        let lost = product(self.falling, drops) - product(self.period, ranks);
        product(self.length, backlogs) - lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules { idle: Duration::from_micros(4000), waiting: Duration::from_micros(1000), cap: 63 };

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    fn span(from: u64, now: u64, stop: Time) -> Span {
        Span { from: at(from), now: at(now), stop }
    }

    #[test]
    fn an_idle_estimate_falls_by_one_per_idle_timer_and_not_below_one() {
        let mut estimate = Estimate::new(4);
        estimate.settle_idle(&span(0, 7999, Time::NEVER), &RULES);
        assert_eq!(estimate.backlog, 3);
        estimate.settle_idle(&span(7999, 8000, Time::NEVER), &RULES);
        assert_eq!(estimate.backlog, 2);
        estimate.settle_idle(&span(8000, 800_000, Time::NEVER), &RULES);
        assert_eq!(estimate.backlog, 1);
    }

    #[test]
    fn the_idle_timer_pauses_while_the_channel_is_busy() {
        let mut estimate = Estimate::new(4);
        estimate.settle_idle(&span(0, 9000, at(3000)), &RULES);
        estimate.since = at(10_000);
        estimate.settle_idle(&span(9000, 10_999, Time::NEVER), &RULES);
        assert_eq!(estimate.backlog, 4);
        estimate.settle_idle(&span(10_999, 11_000, Time::NEVER), &RULES);
        assert_eq!(estimate.backlog, 3);
    }

    #[test]
    fn a_waiting_estimate_falls_by_one_per_sixteen_slots_of_silence_and_not_below_one() {
        let backlog_after = |silence: u64, stop| {
            let mut estimate = Estimate { since: at(500), ..Estimate::new(4) };
            estimate.settle_waiting(&span(0, 500 + silence, stop), &RULES);
            estimate.backlog
        };
        assert_eq!(backlog_after(999, Time::NEVER), 4);
        assert_eq!(backlog_after(1000, Time::NEVER), 3);
        assert_eq!(backlog_after(9000, at(2600)), 2);
        assert_eq!(backlog_after(9000, Time::NEVER), 1);
    }

    #[test]
    fn settling_in_parts_gives_the_same_estimate_and_integral_as_settling_at_once() {
        type Settle = fn(&mut Estimate, &Span, &Rules) -> u128;
        let settles: [(&str, Settle); 2] = [("idle", Estimate::settle_idle), ("waiting", Estimate::settle_waiting)];
        for (decay, settle) in settles {
            let mut whole = Estimate { since: at(500), ..Estimate::new(9) };
            let mut parts = whole;
            let (mut sum, mut from) = (0, 0);
            for step in (0..=20_000).step_by(333).chain([20_000]) {
                sum += settle(&mut parts, &span(from, step, at(18_000)), &RULES);
                from = step;
            }
            assert_eq!(settle(&mut whole, &span(0, 20_000, at(18_000)), &RULES), sum, "{decay}");
            assert_eq!(whole, parts, "{decay}");
        }
    }
}
