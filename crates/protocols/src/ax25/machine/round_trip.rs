//! How long T1 is, and how it follows the round trips measured.

use sojourn_core::Duration;

use super::settings::{Backoff, T1Adaptation};

/// The shortest mean round trip that Dire Wolf reckons with: 1 s, and 2 s for each digipeater.
const DIRE_WOLF_FLOOR: Duration = Duration::from_secs(1);
const DIRE_WOLF_PER_DIGIPEATER: Duration = Duration::from_secs(2);
/// What Dire Wolf adds to T1 for each try that failed.
const DIRE_WOLF_STEP: Duration = Duration::from_millis(250);
/// The shortest and the longest mean that Linux reckons with: a tick of its clock at 100 Hz, and 30 s.
const LINUX_SHORTEST: Duration = Duration::from_millis(10);
const LINUX_LONGEST: Duration = Duration::from_secs(30);

/// What a link knows of its round trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoundTrip {
    rule: T1Adaptation,
    digipeaters: u8,
    /// T1 before anything is measured.
    first: Duration,
    mean: Duration,
}

impl RoundTrip {
    /// T1 begins with FRACK * (2m + 1) for m digipeaters, and the mean with half of it.
    pub fn new(rule: T1Adaptation, frack: Duration, digipeaters: usize) -> Self {
        let first = frack.times(2 * digipeaters as u64 + 1);
        RoundTrip { rule, digipeaters: digipeaters as u8, first, mean: half(first) }
    }

    /// An agreement made FRACK longer.
    pub fn lengthen(&mut self, frack: Duration) {
        let longer = RoundTrip::new(self.rule, frack, self.digipeaters.into());
        if longer.first > self.first {
            *self = longer;
        }
    }

    /// T1 when `failed` tries have come to nothing.
    pub fn t1(&self, failed: u8) -> Duration {
        let failed = u64::from(failed);
        match self.rule {
            T1Adaptation::Fixed => self.first,
            T1Adaptation::DireWolf => self.mean.times(2) + DIRE_WOLF_STEP.times(failed),
            T1Adaptation::Linux(Backoff::None) => self.mean.times(2),
            T1Adaptation::Linux(Backoff::Linear) => self.mean.times(2 + 2 * failed),
            T1Adaptation::Linux(Backoff::Exponential) => self.mean.times(2 << failed.min(2)),
        }
    }

    /// A frame that was sent once has been acknowledged after `sample`.
    pub fn measured(&mut self, sample: Duration) {
        match self.rule {
            T1Adaptation::Fixed => {}
            T1Adaptation::DireWolf => {
                self.mean = mix(self.mean, 7, sample);
                if self.mean < DIRE_WOLF_FLOOR {
                    self.mean = DIRE_WOLF_FLOOR + DIRE_WOLF_PER_DIGIPEATER.times(self.digipeaters.into());
                }
            }
            T1Adaptation::Linux(_) => {
                self.mean = mix(self.mean, 9, sample).clamp(LINUX_SHORTEST, LINUX_LONGEST);
            }
        }
    }
}

fn half(span: Duration) -> Duration {
    Duration::from_picoseconds(span.picoseconds() / 2)
}

/// The mean after one more sample, which counts as one of `weight + 1`.
fn mix(mean: Duration, weight: u64, sample: Duration) -> Duration {
    Duration::from_picoseconds((mean.times(weight) + sample).picoseconds() / (weight + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn two_digipeaters_make_t1_five_times_as_long() {
        for rule in [T1Adaptation::Fixed, T1Adaptation::DireWolf, T1Adaptation::Linux(Backoff::Linear)] {
            assert_eq!(RoundTrip::new(rule, ms(1000), 2).t1(0), ms(5000), "{rule:?}");
        }
    }

    #[test]
    fn a_fixed_timer_stays_whatever_is_measured() {
        let mut fixed = RoundTrip::new(T1Adaptation::Fixed, ms(1000), 0);
        fixed.measured(ms(40));
        assert_eq!((fixed.t1(0), fixed.t1(9)), (ms(1000), ms(1000)));
    }

    #[test]
    fn dire_wolf_takes_an_eighth_of_each_sample_and_a_quarter_second_for_each_failure() {
        let mut adapted = RoundTrip::new(T1Adaptation::DireWolf, ms(4000), 0);
        adapted.measured(ms(10_000));
        assert_eq!(adapted.t1(0), ms(2 * (7 * 2000 + 10_000) / 8));
        assert_eq!(adapted.t1(3), adapted.t1(0) + ms(750));
    }

    #[test]
    fn dire_wolf_never_reckons_with_less_than_a_second_and_two_for_each_digipeater() {
        let mut near = RoundTrip::new(T1Adaptation::DireWolf, ms(2000), 0);
        near.measured(ms(1));
        assert_eq!(near.t1(0), ms(2000));
        let mut far = RoundTrip::new(T1Adaptation::DireWolf, ms(300), 2);
        far.measured(ms(1));
        assert_eq!(far.t1(0), ms(10_000));
    }

    #[test]
    fn linux_takes_a_tenth_of_each_sample_and_backs_off_as_it_is_told() {
        let measured = |backoff| {
            let mut adapted = RoundTrip::new(T1Adaptation::Linux(backoff), ms(2000), 0);
            adapted.measured(ms(2000));
            [0, 1, 2, 3].map(|failed| adapted.t1(failed))
        };
        assert_eq!(measured(Backoff::None), [ms(2200); 4]);
        assert_eq!(measured(Backoff::Linear), [ms(2200), ms(4400), ms(6600), ms(8800)]);
        assert_eq!(measured(Backoff::Exponential), [ms(2200), ms(4400), ms(8800), ms(8800)]);
    }
}
