//! The RTT estimator: SRT, the smoothed round-trip time, and T1V, the next value of T1 (AX.25 v2.2 section 6.7.1.1).

use sojourn_core::Duration;

use super::settings::{Backoff, T1Adaptation};

/// Dire Wolf's lower bound of SRT: 1 s, and 2 s for each digipeater.
const DIRE_WOLF_FLOOR: Duration = Duration::from_secs(1);
const DIRE_WOLF_PER_DIGIPEATER: Duration = Duration::from_secs(2);
/// What Dire Wolf adds to T1V for each failed try.
const DIRE_WOLF_STEP: Duration = Duration::from_millis(250);
/// Linux's bounds of SRT: a clock tick at 100 Hz, and 30 s.
const LINUX_MIN: Duration = Duration::from_millis(10);
const LINUX_MAX: Duration = Duration::from_secs(30);

/// SRT and T1V of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RttEstimator {
    adaptation: T1Adaptation,
    digipeaters: u8,
    /// T1V before the first sample.
    initial: Duration,
    /// SRT.
    srt: Duration,
}

impl RttEstimator {
    /// T1V begins with FRACK * (2m + 1) for m digipeaters, and SRT with half of it.
    pub fn new(adaptation: T1Adaptation, frack: Duration, digipeaters: usize) -> Self {
        let initial = frack.times(2 * digipeaters as u64 + 1);
        RttEstimator { adaptation, digipeaters: digipeaters as u8, initial, srt: half(initial) }
    }

    /// Adopts a negotiated FRACK if it is longer.
    pub fn lengthen(&mut self, frack: Duration) {
        let longer = RttEstimator::new(self.adaptation, frack, self.digipeaters.into());
        if longer.initial > self.initial {
            *self = longer;
        }
    }

    /// T1V after `failures` failed tries.
    pub fn t1v(&self, failures: u8) -> Duration {
        let failures = u64::from(failures);
        match self.adaptation {
            T1Adaptation::Fixed => self.initial,
            T1Adaptation::DireWolf => self.srt.times(2) + DIRE_WOLF_STEP.times(failures),
            T1Adaptation::Linux(Backoff::None) => self.srt.times(2),
            T1Adaptation::Linux(Backoff::Linear) => self.srt.times(2 + 2 * failures),
            T1Adaptation::Linux(Backoff::Exponential) => self.srt.times(2 << failures.min(2)),
        }
    }

    /// Takes the round-trip time of a frame that was sent once.
    pub fn sample(&mut self, sample: Duration) {
        match self.adaptation {
            T1Adaptation::Fixed => {}
            T1Adaptation::DireWolf => {
                self.srt = smooth(self.srt, 7, sample);
                if self.srt < DIRE_WOLF_FLOOR {
                    self.srt = DIRE_WOLF_FLOOR + DIRE_WOLF_PER_DIGIPEATER.times(self.digipeaters.into());
                }
            }
            T1Adaptation::Linux(_) => {
                self.srt = smooth(self.srt, 9, sample).clamp(LINUX_MIN, LINUX_MAX);
            }
        }
    }
}

fn half(span: Duration) -> Duration {
    Duration::from_picoseconds(span.picoseconds() / 2)
}

/// The exponentially weighted mean: the sample counts 1 / (`weight` + 1).
fn smooth(srt: Duration, weight: u64, sample: Duration) -> Duration {
    Duration::from_picoseconds((srt.times(weight) + sample).picoseconds() / (weight + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn two_digipeaters_make_t1_five_times_as_long() {
        for adaptation in [T1Adaptation::Fixed, T1Adaptation::DireWolf, T1Adaptation::Linux(Backoff::Linear)] {
            assert_eq!(RttEstimator::new(adaptation, ms(1000), 2).t1v(0), ms(5000), "{adaptation:?}");
        }
    }

    #[test]
    fn a_fixed_t1_ignores_samples() {
        let mut fixed = RttEstimator::new(T1Adaptation::Fixed, ms(1000), 0);
        fixed.sample(ms(40));
        assert_eq!((fixed.t1v(0), fixed.t1v(9)), (ms(1000), ms(1000)));
    }

    #[test]
    fn dire_wolf_weights_a_sample_by_an_eighth_and_adds_a_quarter_second_for_each_failure() {
        let mut adapted = RttEstimator::new(T1Adaptation::DireWolf, ms(4000), 0);
        adapted.sample(ms(10_000));
        assert_eq!(adapted.t1v(0), ms(2 * (7 * 2000 + 10_000) / 8));
        assert_eq!(adapted.t1v(3), adapted.t1v(0) + ms(750));
    }

    #[test]
    fn dire_wolf_bounds_srt_by_a_second_and_two_for_each_digipeater() {
        let mut near = RttEstimator::new(T1Adaptation::DireWolf, ms(2000), 0);
        near.sample(ms(1));
        assert_eq!(near.t1v(0), ms(2000));
        let mut far = RttEstimator::new(T1Adaptation::DireWolf, ms(300), 2);
        far.sample(ms(1));
        assert_eq!(far.t1v(0), ms(10_000));
    }

    #[test]
    fn linux_weights_a_sample_by_a_tenth_and_backs_off_as_set() {
        let t1v = |backoff| {
            let mut adapted = RttEstimator::new(T1Adaptation::Linux(backoff), ms(2000), 0);
            adapted.sample(ms(2000));
            [0, 1, 2, 3].map(|failures| adapted.t1v(failures))
        };
        assert_eq!(t1v(Backoff::None), [ms(2200); 4]);
        assert_eq!(t1v(Backoff::Linear), [ms(2200), ms(4400), ms(6600), ms(8800)]);
        assert_eq!(t1v(Backoff::Exponential), [ms(2200), ms(4400), ms(8800), ms(8800)]);
    }
}
