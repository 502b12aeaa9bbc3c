//! Leaving on time: sleep until a little before the instant, then spin.
//!
//! A sleeping thread wakes late, by tens of microseconds on a busy host and hundreds on an idle one whose processors
//! halt. How late is learned: the margin that is left for spinning follows the latest wake-ups. Spinning all the time
//! would be no better: it takes a whole processor, and the scheduler takes that back in one piece.

use sojourn_core::{Duration, Time};

use crate::clock::Clock;

/// Wake-ups that the margin follows.
const REMEMBERED: usize = 128;
/// The margin is learned anew after so many wake-ups.
const LEARN_EVERY: u32 = 16;
/// The share of wake-ups that the margin covers.
const COVERED: f64 = 0.99;
/// The margin before anything is known.
const FIRST_MARGIN: Duration = Duration::from_micros(150);
/// At least this: a wake-up costs about that at its best.
const LEAST_MARGIN: Duration = Duration::from_micros(20);
/// At most this: at 100 packets a second it is 4 % of a processor in the worst case, and half of that when wake-ups
/// are as late as usual.
const MOST_MARGIN: Duration = Duration::from_micros(400);
/// At most this share of the span between two departures is spun away.
const MOST_SHARE: u64 = 40;
/// Nothing else is done so short before a departure.
const GUARD: Duration = Duration::from_micros(8);

/// How departures are met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pacing {
    /// Sleep, then spin.
    #[default]
    Hybrid,
    /// Sleep: what is left where no processor is free for spinning.
    Sleep,
}

/// One who waits for departures.
#[derive(Debug)]
pub struct Pacer {
    clock: Clock,
    pacing: Pacing,
    most: Duration,
    margin: Duration,
    lateness: Vec<Duration>,
    /// Where the next wake-up is remembered.
    next: usize,
    since_learned: u32,
}

impl Pacer {
    /// For departures at least `spacing` apart, after wake-ups as late as these.
    pub fn new(clock: Clock, pacing: Pacing, spacing: Duration, lateness: &[Duration]) -> Pacer {
        let share = Duration::from_picoseconds(spacing.picoseconds() / 100 * MOST_SHARE);
        let most = if spacing == Duration::ZERO { MOST_MARGIN } else { MOST_MARGIN.min(share) };
        let lateness: Vec<Duration> = lateness.iter().rev().take(REMEMBERED).copied().collect();
        let mut pacer =
            Pacer { clock, pacing, most, margin: FIRST_MARGIN.min(most), next: 0, lateness, since_learned: 0 };
        pacer.learn();
        pacer
    }

    /// How long before a departure the sleep ends.
    pub fn margin(&self) -> Duration {
        if self.pacing == Pacing::Hybrid { self.margin } else { Duration::ZERO }
    }

    /// How departures are met.
    pub fn pacing(&self) -> Pacing {
        self.pacing
    }

    /// When a sleep is to end whose departure is at `intended`.
    pub fn wake(&self, intended: Time) -> Time {
        Time::ZERO + intended.since(Time::ZERO + self.margin())
    }

    /// A sleep ended so late.
    pub fn woke(&mut self, late: Duration) {
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

    /// Spins until `intended`. As long as there is time, `meanwhile` is called again and again.
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

    /// Sets the margin to what covers nearly all wake-ups remembered.
    fn learn(&mut self) {
        self.since_learned = 0;
        if self.lateness.is_empty() {
            return;
        }
        let mut sorted = self.lateness.clone();
        sorted.sort_unstable();
        let rank = ((sorted.len() as f64 * COVERED) as usize).min(sorted.len() - 1);
        let covering = sorted[rank] + GUARD;
        self.margin = covering.max(LEAST_MARGIN).min(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    fn pacer(spacing: Duration, late_us: &[u64]) -> Pacer {
        let late: Vec<Duration> = late_us.iter().map(|&us| Duration::from_micros(us)).collect();
        Pacer::new(Clock::start(), Pacing::Hybrid, spacing, &late)
    }

    #[test]
    fn the_margin_covers_nearly_all_wake_ups_and_follows_them() {
        let mut pacer = pacer(MILLISECOND, &[60; 100]);
        assert_eq!(pacer.margin(), Duration::from_micros(68));
        (0..128).for_each(|_| pacer.woke(Duration::from_micros(90)));
        assert_eq!(pacer.margin(), Duration::from_micros(98));
    }

    #[test]
    fn spinning_never_takes_more_than_its_share() {
        assert_eq!(pacer(Duration::from_micros(100), &[900; 10]).margin(), Duration::from_micros(40));
        assert_eq!(pacer(MILLISECOND.times(10), &[9000; 10]).margin(), MOST_MARGIN);
    }

    #[test]
    fn a_spin_ends_at_its_instant_and_leaves_time_for_other_things_before() {
        let pacer = pacer(MILLISECOND, &[]);
        let intended = pacer.clock.now() + Duration::from_micros(300);
        let mut meanwhile = 0;
        pacer.spin(intended, || meanwhile += 1);
        assert!(pacer.clock.now() >= intended && meanwhile > 0);
    }

    #[test]
    fn one_who_only_sleeps_is_to_wake_at_the_instant_itself() {
        let pacer = Pacer::new(Clock::start(), Pacing::Sleep, MILLISECOND, &[]);
        let intended = Time::ZERO + MILLISECOND;
        assert_eq!(pacer.wake(intended), intended);
    }
}
