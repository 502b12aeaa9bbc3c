//! Pacing of departures: sleep until well before the departure, sleep again until just before it where that pays off,
//! then spin.
//!
//! A sleeping thread wakes late, by tens of microseconds on a busy host and by hundreds on an idle one, whose CPUs
//! enter deep idle states. A short sleep after a long one ends more punctually, since the CPU has just woken. So the
//! first sleep ends early enough to absorb nearly all late wake-ups, a second sleep takes up the unused remainder,
//! and only the margin of the last sleep is spun. Where long sleeps are punctual as well, the remainder is spun at
//! once, since a second sleep would cost more than it saves. The lateness of both kinds of sleep is tracked. Spinning
//! all the time would occupy a CPU, and the scheduler would preempt the thread for whole time slices.

use sojourn_core::{Duration, Time};

use crate::io::clock::Clock;

/// Wake-ups that a margin is computed from.
const REMEMBERED: usize = 256;
/// Wake-ups between updates of a margin.
const LEARN_EVERY: u32 = 16;
/// Share of wake-ups that a margin covers, of those that the largest could cover: more than 99 % of departures are to be
/// on time.
const COVERED: f64 = 0.995;
/// The initial margin.
const FIRST_MARGIN: Duration = Duration::from_micros(150);
/// Smallest margin: a wake-up takes about this long at best.
const MIN_MARGIN: Duration = Duration::from_micros(20);
/// Largest margin: at 100 packets/s, 2 % of a CPU.
const MAX_MARGIN: Duration = Duration::from_micros(200);
/// The first sleep ends at most this much before the last.
const EARLIEST: Duration = Duration::from_millis(2);
/// Largest share of the interval between departures that is spun, in per cent.
const MAX_SPUN: u64 = 40;
/// Largest share of the interval that the first sleep leaves, in per cent.
const MAX_KEPT: u64 = 80;
/// CPU cost of a sleep, timers and wake-up together: spinning this long costs the same.
const COST_OF_SLEEP: Duration = Duration::from_micros(50);
/// Shortest worthwhile sleep.
const MIN_SLEEP: Duration = Duration::from_micros(40);
/// No other work is done this close to a departure.
const GUARD: Duration = Duration::from_micros(8);

/// How departures are paced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pacing {
    /// Sleep until shortly before a departure, then spin.
    #[default]
    Hybrid,
    /// Sleep only, where no CPU is free for spinning.
    Sleep,
    /// Spin from departure to departure, which occupies a CPU, for hosts whose sleeps are unreliable.
    Spin,
}

/// Decides when to sleep and when to spin before departures.
#[derive(Debug)]
pub struct Pacer {
    clock: Clock,
    pacing: Pacing,
    /// Margin of the first sleep beyond the shortest second sleep.
    first: Margin,
    /// Margin of the last sleep before a departure.
    last: Margin,
}

/// A sleep before a departure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sleep {
    /// When the sleep ends.
    pub until: Time,
    /// Whether no other sleep follows before the departure.
    pub is_last: bool,
    is_first: bool,
}

impl Pacer {
    /// A pacer for departures at least `spacing` apart, with the lateness of long sleeps from the calibration.
    pub fn new(clock: Clock, pacing: Pacing, spacing: Duration, lateness: &[Duration]) -> Pacer {
        let share = |percent: u64| Duration::from_picoseconds(spacing.picoseconds() / 100 * percent);
        let bounded = |most: Duration, share: Duration| if spacing == Duration::ZERO { most } else { most.min(share) };
        let most = bounded(MAX_MARGIN, share(MAX_SPUN));
        let mut first = Margin::new(bounded(EARLIEST, share(MAX_KEPT).saturating_sub(most)));
        lateness.iter().rev().take(REMEMBERED).for_each(|late| first.remember(*late));
        first.learn();
        Pacer { clock, pacing, first, last: Margin::new(most) }
    }

    /// How long before a departure the last sleep ends.
    pub fn margin(&self) -> Duration {
        match self.pacing {
            Pacing::Sleep | Pacing::Spin => Duration::ZERO,
            Pacing::Hybrid if self.one_sleep_suffices() => self.first.span,
            Pacing::Hybrid => self.last.span,
        }
    }

    /// The kind of pacing.
    pub fn pacing(&self) -> Pacing {
        self.pacing
    }

    /// The next sleep before a departure at `intended`; `None` if there is no time for one. With spin pacing it is the time
    /// that is free for other work.
    pub fn sleep(&self, now: Time, intended: Time) -> Option<Sleep> {
        let before = |span: Duration| Time::ZERO + intended.since(Time::ZERO + span);
        let only = |until: Time| Sleep { until, is_last: true, is_first: true };
        match self.pacing {
            Pacing::Sleep => return (now < intended).then_some(only(intended)),
            Pacing::Spin => return Some(only(before(MIN_MARGIN))).filter(|sleep| now < sleep.until),
            Pacing::Hybrid => {}
        }
        let one = Sleep { until: before(self.first.span), is_last: true, is_first: true };
        let both = self.last.span + MIN_SLEEP + self.first.span;
        let first =
            if self.one_sleep_suffices() { one } else { Sleep { until: before(both), is_last: false, is_first: true } };
        let last = Sleep { until: before(self.last.span), is_last: true, is_first: false };
        [first, last].into_iter().find(|sleep| now + MIN_SLEEP < sleep.until)
    }

    /// Whether spinning after the first sleep costs no more than a second sleep and its margin.
    fn one_sleep_suffices(&self) -> bool {
        let Pacer { first, last, .. } = self;
        first.span <= last.most && first.spun() <= last.spun() + COST_OF_SLEEP
    }

    /// A sleep expired, and ended at `now`.
    pub fn woke(&mut self, sleep: Sleep, now: Time) {
        let margin = if sleep.is_first { &mut self.first } else { &mut self.last };
        margin.remember(now.since(sleep.until));
    }

    /// Spins until `intended`, and calls `meanwhile` repeatedly while there is time.
    pub fn spin(&self, intended: Time, mut meanwhile: impl FnMut()) {
        loop {
            let now = self.clock.now();
            if now >= intended {
                return;
            }
            if intended.since(now) > GUARD {
                meanwhile();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

/// The margin after a sleep for its lateness.
#[derive(Debug)]
struct Margin {
    span: Duration,
    most: Duration,
    /// Median lateness.
    usual: Duration,
    lateness: Vec<Duration>,
    /// Index of the next wake-up in the ring.
    next: usize,
    since_learned: u32,
}

impl Margin {
    fn new(most: Duration) -> Margin {
        let lateness = Vec::with_capacity(REMEMBERED);
        Margin { span: FIRST_MARGIN.min(most), most, usual: Duration::ZERO, lateness, next: 0, since_learned: 0 }
    }

    fn remember(&mut self, late: Duration) {
        if self.lateness.len() < REMEMBERED {
            self.lateness.push(late);
        } else {
            self.lateness[self.next] = late;
            self.next = (self.next + 1) % REMEMBERED;
        }
        self.since_learned += 1;
        if self.since_learned >= LEARN_EVERY {
            self.learn();
        }
    }

    /// What remains of it after the median lateness.
    fn spun(&self) -> Duration {
        self.span.saturating_sub(self.usual)
    }

    /// Sets the margin to cover nearly all recent wake-ups. Those beyond the largest margin are ignored: no margin helps when
    /// the thread is preempted.
    fn learn(&mut self) {
        self.since_learned = 0;
        if self.lateness.is_empty() {
            return;
        }
        let mut sorted = self.lateness.clone();
        sorted.sort_unstable();
        self.usual = sorted[sorted.len() / 2];
        let coverable = sorted.partition_point(|late| *late + GUARD <= self.most);
        let rank = (coverable as f64 * COVERED) as usize;
        let late = if coverable == 0 { self.most } else { sorted[rank.min(coverable - 1)] };
        self.span = (late + GUARD).max(MIN_MARGIN).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);
    const DEPARTURE: Time = Time::from_picoseconds(50_000_000_000);

    fn pacer(spacing: Duration, late_us: &[u64]) -> Pacer {
        let late: Vec<Duration> = late_us.iter().map(|&us| Duration::from_micros(us)).collect();
        Pacer::new(Clock::start(), Pacing::Hybrid, spacing, &late)
    }

    fn before(us: u64) -> Time {
        Time::ZERO + DEPARTURE.since(Time::ZERO + Duration::from_micros(us))
    }

    /// Simulates departures with this lateness of each kind of sleep.
    fn go_on(pacer: &mut Pacer, departures: u32, first_us: u64, last_us: u64) {
        for _ in 0..departures {
            let mut now = before(9000);
            while let Some(sleep) = pacer.sleep(now, DEPARTURE) {
                now = sleep.until + Duration::from_micros(if sleep.is_first { first_us } else { last_us });
                pacer.woke(sleep, now);
            }
        }
    }

    #[test]
    fn the_first_sleep_leaves_room_for_its_lateness_and_the_last_margin_covers_nearly_all_wake_ups() {
        let mut pacer = pacer(MILLISECOND.times(10), &[600; 100]);
        go_on(&mut pacer, 128, 600, 60);
        assert_eq!(pacer.margin(), Duration::from_micros(68));
        let first = pacer.sleep(before(9000), DEPARTURE).unwrap();
        assert_eq!((first.until, first.is_last), (before(600 + 8 + 40 + 68), false));
        let last = pacer.sleep(before(500), DEPARTURE).unwrap();
        assert_eq!((last.until, last.is_last), (before(68), true));
        assert_eq!(pacer.sleep(before(100), DEPARTURE), None, "the rest is spun");
    }

    #[test]
    fn each_margin_follows_the_lateness_of_its_kind() {
        let mut pacer = pacer(MILLISECOND.times(10), &[600; 100]);
        go_on(&mut pacer, 256, 300, 90);
        assert_eq!(pacer.margin(), Duration::from_micros(98));
        assert_eq!(pacer.sleep(before(9000), DEPARTURE).unwrap().until, before(300 + 8 + 40 + 98));
    }

    #[test]
    fn one_sleep_suffices_where_long_sleeps_are_punctual() {
        let mut pacer = pacer(MILLISECOND.times(10), &[60; 100]);
        let only = pacer.sleep(before(9000), DEPARTURE).unwrap();
        assert_eq!((only.until, only.is_last), (before(60 + 8), true));
        go_on(&mut pacer, 256, 250, 60);
        let first = pacer.sleep(before(9000), DEPARTURE).unwrap();
        assert!(!first.is_last, "their lateness now exceeds what is worth spinning");
    }

    #[test]
    fn a_margin_ignores_lateness_beyond_its_maximum() {
        let mut pacer = pacer(MILLISECOND.times(10), &[600; 100]);
        for departure in 0..256 {
            go_on(&mut pacer, 1, 600, if departure % 20 == 0 { 4000 } else { 60 });
        }
        assert_eq!(pacer.margin(), Duration::from_micros(68));
    }

    #[test]
    fn spinning_never_takes_more_than_its_share() {
        let margin = |spacing: Duration| {
            let mut pacer = pacer(spacing, &[]);
            go_on(&mut pacer, 128, 600, 5000);
            pacer.margin()
        };
        assert_eq!(margin(Duration::from_micros(100)), Duration::from_micros(40));
        assert_eq!(margin(MILLISECOND.times(10)), MAX_MARGIN);
    }

    #[test]
    fn a_spin_ends_at_its_instant_and_leaves_time_for_other_things_before() {
        let pacer = pacer(MILLISECOND, &[]);
        let mut meanwhile = 0;
        // again where this thread was put aside until the instant had passed
        while meanwhile == 0 {
            let intended = pacer.clock.now() + Duration::from_micros(300);
            pacer.spin(intended, || meanwhile += 1);
            assert!(pacer.clock.now() >= intended);
        }
    }

    #[test]
    fn one_who_spins_has_time_for_other_things_until_shortly_before_a_departure() {
        let pacer = Pacer::new(Clock::start(), Pacing::Spin, MILLISECOND, &[]);
        assert_eq!(pacer.sleep(before(900), DEPARTURE).unwrap().until, before(20));
        assert_eq!(pacer.sleep(before(20), DEPARTURE), None);
    }

    #[test]
    fn one_who_only_sleeps_is_to_wake_at_the_instant_itself() {
        let pacer = Pacer::new(Clock::start(), Pacing::Sleep, MILLISECOND, &[]);
        assert_eq!(pacer.sleep(before(10), DEPARTURE).unwrap().until, DEPARTURE);
        assert_eq!(pacer.sleep(DEPARTURE, DEPARTURE), None);
    }
}
