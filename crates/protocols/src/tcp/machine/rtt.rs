//! Round-trip time estimation and the retransmission timeout (RFC 6298).

use sojourn_core::{Duration, Time};

use super::clock::{Clock, SLOW};
use super::sequence::Position;

/// Maximum number of doublings of the RTO.
const MAX_BACKOFF: u32 = 6;

/// SRTT and RTTVAR, the backoff of the RTO, and the segment being timed.
#[derive(Clone, Debug)]
pub(super) struct RttEstimator {
    clock: Clock,
    max_rto: Duration,
    estimate: Option<Estimate>,
    backoff: u32,
    /// The segment being timed: the position after it, and when it was sent.
    timed: Option<(Position, Time)>,
}

#[derive(Clone, Copy, Debug)]
enum Estimate {
    /// RFC 6298, section 2.
    Fine { srtt: Duration, rttvar: Duration },
    /// Integers in units of 1/8 and 1/4 slow tick (TCP/IP Illustrated, volume 2, section 25.10).
    Ticks { srtt: i64, rttvar: i64 },
}

impl RttEstimator {
    pub fn new(clock: Clock, max_rto: Duration) -> Self {
        RttEstimator { clock, max_rto, estimate: None, backoff: 0, timed: None }
    }

    /// Smoothed round-trip time, if one was measured.
    pub fn srtt(&self) -> Option<Duration> {
        self.estimate.map(|estimate| match estimate {
            Estimate::Fine { srtt, .. } => srtt,
            Estimate::Ticks { srtt, .. } => SLOW.times(srtt.unsigned_abs()).divided(8),
        })
    }

    /// Retransmission timeout, backoff included.
    pub fn rto(&self) -> Duration {
        let rto = match (self.clock, self.estimate) {
            (Clock::Fine { granularity, min_rto, .. }, Some(Estimate::Fine { srtt, rttvar })) => {
                // Linux's tcp_rtt_estimator() keeps the variation's share of the RTO at or above its minimum; RFC 6298, 2.4
                // floors only the sum, which behind a long queue with a steady RTT leaves hardly any margin
                srtt + rttvar.times(4).max(granularity).max(min_rto)
            }
            (_, Some(Estimate::Ticks { srtt, rttvar })) => SLOW.times((srtt / 8 + rttvar).max(2).unsigned_abs()),
            (Clock::Fine { initial_rto, .. }, _) => initial_rto,
            // 4.4BSD starts with six seconds
            (Clock::Ticks { .. }, _) => SLOW.times(12),
        };
        rto.times(1 << self.backoff).min(self.max_rto)
    }

    /// Expiry of a timer of one RTO started at `now`.
    pub fn rto_expiry(&self, now: Time) -> Time {
        self.clock.expiry(now, self.rto())
    }

    /// The timer has expired: doubles the RTO (RFC 6298, 5.5).
    pub fn back_off(&mut self) {
        self.backoff = (self.backoff + 1).min(MAX_BACKOFF);
    }

    /// Times the segment that ends before position `end`, unless one is being timed.
    pub fn time_segment(&mut self, end: Position, now: Time) {
        self.timed.get_or_insert((end, now));
    }

    /// Stops timing: a retransmitted segment gives no valid sample (Karn's algorithm; RFC 6298, 3).
    pub fn cancel_timing(&mut self) {
        self.timed = None;
    }

    /// New data up to `acked` were acknowledged, with this TSecr if timestamps are in use. `expected_samples` is how
    /// many acknowledgements the octets in flight were expected to draw, at least 1.
    pub fn on_ack(&mut self, now: Time, acked: Position, ts_ecr: Option<u32>, expected_samples: u64) {
        let timed = self.timed.take_if(|&mut (end, _)| acked >= end);
        // without timestamps one segment of a flight is timed
        let expected_samples = if ts_ecr.is_some() { expected_samples } else { 1 };
        match (ts_ecr, timed) {
            // the timed segment has a finer resolution than the timestamp clock
            (_, Some((_, sent))) => self.sample(self.clock.elapsed(sent, now), expected_samples),
            (Some(ts_ecr), None) => {
                let ticks = self.clock.timestamp(now).wrapping_sub(ts_ecr);
                self.sample(self.clock.timestamp_unit().times(ticks.into()), expected_samples);
            }
            (None, None) => self.backoff = 0,
        }
    }

    fn sample(&mut self, rtt: Duration, expected_samples: u64) {
        self.backoff = 0;
        self.estimate = Some(match (self.estimate, self.clock) {
            (Some(estimate), _) => estimate.with(rtt, expected_samples),
            (None, Clock::Fine { .. }) => Estimate::Fine { srtt: rtt, rttvar: rtt.divided(2) },
            (None, Clock::Ticks { .. }) => {
                // an RTT within a tick counts as one
                let ticks = rtt.whole(SLOW) as i64 + 1;
                Estimate::Ticks { srtt: 8 * ticks, rttvar: 2 * ticks }
            }
        });
    }
}

impl Estimate {
    /// With one more sample. The gains 1/8 and 1/4 of RFC 6298 are for one sample in a round trip: with `expected_samples`
    /// of them each counts for so much less (RFC 7323, appendix G).
    fn with(self, rtt: Duration, expected_samples: u64) -> Self {
        match self {
            Estimate::Fine { srtt, rttvar } => {
                let difference = srtt.saturating_sub(rtt) + rtt.saturating_sub(srtt);
                Estimate::Fine {
                    srtt: towards(srtt, rtt, 8 * expected_samples),
                    rttvar: towards(rttvar, difference, 4 * expected_samples),
                }
            }
            Estimate::Ticks { srtt, rttvar } => {
                let difference = rtt.whole(SLOW) as i64 - srtt / 8;
                Estimate::Ticks {
                    srtt: (srtt + difference).max(1),
                    rttvar: (rttvar + difference.abs() - rttvar / 4).max(1),
                }
            }
        }
    }
}

/// `from`, moved by a `share`-th of its distance to `to`.
fn towards(from: Duration, to: Duration, share: u64) -> Duration {
    from + to.saturating_sub(from).divided(share) - from.saturating_sub(to).divided(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn estimator() -> RttEstimator {
        let clock = Clock::Fine {
            granularity: Duration::from_millis(1),
            min_rto: Duration::from_millis(200),
            initial_rto: Duration::from_secs(1),
            delayed_ack: Duration::from_millis(40),
        };
        RttEstimator::new(clock, Duration::from_secs(60))
    }

    #[test]
    fn the_first_sample_sets_srtt_and_half_of_it_as_rttvar() {
        let mut rtt = estimator();
        rtt.time_segment(100, at(0));
        rtt.on_ack(at(120), 100, None, 1);
        assert_eq!(rtt.srtt(), Some(Duration::from_millis(120)));
        assert_eq!(rtt.rto(), Duration::from_millis(120 + 4 * 60));
    }

    /// Acknowledgements of a steady RTT of 1.2 s, each with a timestamp, and then its RTO.
    fn steady(samples: u32, expected_samples: u64) -> RttEstimator {
        let mut rtt = estimator();
        for sample in 0..samples {
            let now = at(2000 + 10 * u64::from(sample));
            let sent = rtt.clock.timestamp(now).wrapping_sub(1200);
            rtt.on_ack(now, 1, Some(sent), expected_samples);
        }
        rtt
    }

    #[test]
    fn the_rto_stays_200_ms_above_a_steady_rtt_as_in_linux() {
        let rtt = steady(1000, 1);
        assert_eq!(rtt.srtt(), Some(Duration::from_millis(1200)));
        assert_eq!(rtt.rto(), Duration::from_millis(1200 + 200));
    }

    #[test]
    fn a_flight_of_many_acknowledgements_moves_the_estimate_as_far_as_one_sample_of_it() {
        let after = |acknowledgements: u32, expected_samples| {
            let mut rtt = steady(1, 1);
            for _ in 0..acknowledgements {
                let sent = rtt.clock.timestamp(at(9000)).wrapping_sub(2000);
                rtt.on_ack(at(9000), 1, Some(sent), expected_samples);
            }
            rtt.srtt().unwrap().seconds()
        };
        // an eighth of the distance from 1.2 s to 2 s; (1 - 1/800)^100 leaves 0.8824 of it in place of 0.875
        assert!((after(1, 1) - 1.3).abs() < 1e-9);
        assert!((after(100, 100) - (2.0 - 0.8 * 0.8824)).abs() < 1e-3);
        assert!(after(100, 1) > 1.99, "unscaled, the flight would forget all before it");
    }

    #[test]
    fn a_cancelled_timing_gives_no_sample_and_new_data_end_the_backoff() {
        let mut rtt = estimator();
        rtt.time_segment(100, at(0));
        rtt.back_off();
        rtt.cancel_timing();
        assert_eq!(rtt.rto(), Duration::from_secs(2));
        rtt.on_ack(at(1500), 100, None, 1);
        assert_eq!((rtt.srtt(), rtt.rto()), (None, Duration::from_secs(1)));
    }
}
