//! RTT estimation from status requests that were not retransmitted; WTIMER.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use super::sync_number::is_after;

/// Maximum outstanding requests that are timed.
const REMEMBERED: usize = 256;
/// Maximum number of doublings of WTIMER.
const MOST_DOUBLINGS: u32 = 16;

/// SRTT, its deviation, and the requests being timed.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundTrip {
    smoothed: u64,
    deviation: u64,
    measured: bool,
    open: VecDeque<(u32, Time)>,
}

impl RoundTrip {
    /// A request with this sync number was sent at `now`, for the first time.
    #[inline]
    pub fn asked(&mut self, sync: u32, now: Time) {
        if self.open.len() < REMEMBERED {
            self.open.push_back((sync, now));
        }
    }

    /// A report echoed requests up to `echo`.
    #[inline]
    pub fn answered(&mut self, echo: u32, now: Time) {
        while let Some((sync, at)) = self.open.front().copied() {
            if is_after(sync, echo) {
                return;
            }
            self.open.pop_front();
            if sync == echo {
                self.sample(now.since(at).picoseconds());
            }
        }
    }

    /// Requests sent before a handshake give no sample, since their reports are indistinguishable from the handshake's.
    pub fn forget_requests(&mut self) {
        self.open.clear();
    }

    fn sample(&mut self, sample: u64) {
        if !self.measured {
            (self.smoothed, self.deviation, self.measured) = (sample, sample / 2, true);
            return;
        }
        let error = sample.abs_diff(self.smoothed);
        self.deviation = self.deviation - self.deviation / 4 + error / 4;
        self.smoothed = self.smoothed - self.smoothed / 8 + sample / 8;
    }

    /// SRTT, once there is a sample.
    pub fn smoothed(&self) -> Option<Duration> {
        self.measured.then(|| Duration::from_picoseconds(self.smoothed))
    }

    /// WTIMER: twice (SRTT + 4 x deviation), at least `minimum`, doubled `doublings` times.
    #[inline]
    pub fn wait(&self, minimum: Duration, doublings: u8) -> Duration {
        let estimate = self.smoothed.saturating_mul(2).saturating_add(self.deviation.saturating_mul(4));
        let wait = estimate.max(minimum.picoseconds());
        Duration::from_picoseconds(wait.saturating_mul(1 << u32::from(doublings).min(MOST_DOUBLINGS)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_estimate_moves_by_an_eighth_and_the_deviation_by_a_quarter() {
        let mut trip = RoundTrip::default();
        trip.asked(1, ms(0));
        trip.answered(1, ms(80));
        assert_eq!(trip.smoothed(), Some(Duration::from_millis(80)));
        assert_eq!(trip.wait(Duration::ZERO, 0), Duration::from_millis(160 + 4 * 40));
        trip.asked(2, ms(100));
        trip.answered(2, ms(260));
        assert_eq!(trip.smoothed(), Some(Duration::from_millis(90)));
        assert_eq!(trip.wait(Duration::ZERO, 1), Duration::from_millis(2 * (180 + 4 * 50)));
    }

    #[test]
    fn an_answer_to_a_later_request_gives_no_sample_of_an_earlier_one() {
        let mut trip = RoundTrip::default();
        trip.asked(1, ms(0));
        trip.asked(2, ms(50));
        trip.answered(2, ms(60));
        assert_eq!(trip.smoothed(), Some(Duration::from_millis(10)));
        trip.answered(1, ms(500));
        assert_eq!(trip.smoothed(), Some(Duration::from_millis(10)));
    }

    #[test]
    fn without_a_sample_the_minimum_holds_and_doubles() {
        let trip = RoundTrip::default();
        assert_eq!(trip.wait(Duration::from_millis(50), 0), Duration::from_millis(50));
        assert_eq!(trip.wait(Duration::from_millis(50), 3), Duration::from_millis(400));
        assert!(trip.wait(Duration::from_secs(60), 255) > Duration::from_secs(60));
    }
}
