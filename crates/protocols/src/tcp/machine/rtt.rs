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
                (srtt + rttvar.times(4).max(granularity)).max(min_rto)
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

    /// New data up to `acked` were acknowledged, with this TSecr if timestamps are in use.
    pub fn on_ack(&mut self, now: Time, acked: Position, ts_ecr: Option<u32>) {
        let timed = self.timed.take_if(|&mut (end, _)| acked >= end);
        match (ts_ecr, timed) {
            // the timed segment has a finer resolution than the timestamp clock
            (_, Some((_, sent))) => self.sample(self.clock.elapsed(sent, now)),
            (Some(ts_ecr), None) => {
                let ticks = self.clock.timestamp(now).wrapping_sub(ts_ecr);
                self.sample(self.clock.timestamp_unit().times(ticks.into()));
            }
            (None, None) => self.backoff = 0,
        }
    }

    fn sample(&mut self, rtt: Duration) {
        self.backoff = 0;
        self.estimate = Some(match (self.estimate, self.clock) {
            (Some(estimate), _) => estimate.with(rtt),
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
    fn with(self, rtt: Duration) -> Self {
        match self {
            Estimate::Fine { srtt, rttvar } => {
                let difference = srtt.saturating_sub(rtt) + rtt.saturating_sub(srtt);
                Estimate::Fine {
                    srtt: (srtt.times(7) + rtt).divided(8),
                    rttvar: (rttvar.times(3) + difference).divided(4),
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
        rtt.on_ack(at(120), 100, None);
        assert_eq!(rtt.srtt(), Some(Duration::from_millis(120)));
        assert_eq!(rtt.rto(), Duration::from_millis(120 + 4 * 60));
    }

    #[test]
    fn a_cancelled_timing_gives_no_sample_and_new_data_end_the_backoff() {
        let mut rtt = estimator();
        rtt.time_segment(100, at(0));
        rtt.back_off();
        rtt.cancel_timing();
        assert_eq!(rtt.rto(), Duration::from_secs(2));
        rtt.on_ack(at(1500), 100, None);
        assert_eq!((rtt.srtt(), rtt.rto()), (None, Duration::from_secs(1)));
    }
}
