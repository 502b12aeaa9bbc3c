//! How long to wait for an acknowledgement.

use sojourn_core::Duration;

use super::clock::SLOW;
use super::settings::Clock;

/// Doublings of the timeout at most.
const LARGEST_BACKOFF: u32 = 6;

/// What is known of the round trip, and how often the timeout has been doubled.
#[derive(Clone, Debug)]
pub(super) struct RoundTrip {
    clock: Clock,
    longest: Duration,
    estimate: Option<Estimate>,
    backoff: u32,
}

/// A smoothed round trip and its mean deviation.
#[derive(Clone, Copy, Debug)]
enum Estimate {
    /// RFC 6298, section 2.
    Fine { smoothed: Duration, deviation: Duration },
    /// Eighths and quarters of slow ticks, in whole numbers (TCP/IP Illustrated, volume 2, section 25.10).
    Ticks { smoothed: i64, deviation: i64 },
}

impl RoundTrip {
    pub fn new(clock: Clock, longest: Duration) -> Self {
        RoundTrip { clock, longest, estimate: None, backoff: 0 }
    }

    /// The smoothed round trip, if one was measured.
    pub fn smoothed(&self) -> Option<Duration> {
        self.estimate.map(|estimate| match estimate {
            Estimate::Fine { smoothed, .. } => smoothed,
            Estimate::Ticks { smoothed, .. } => SLOW.times(smoothed.unsigned_abs()).divided(8),
        })
    }

    /// Takes a measured round trip, of a segment that was sent once.
    pub fn sample(&mut self, measured: Duration) {
        self.backoff = 0;
        self.estimate = Some(match (self.estimate, self.clock) {
            (Some(estimate), _) => estimate.with(measured),
            (None, Clock::Fine { .. }) => Estimate::Fine { smoothed: measured, deviation: measured.divided(2) },
            (None, Clock::Ticks { .. }) => {
                // a round trip within a tick counts as one
                let ticks = measured.whole(SLOW) as i64 + 1;
                Estimate::Ticks { smoothed: 8 * ticks, deviation: 2 * ticks }
            }
        });
    }

    /// New data were acknowledged: the next timeout is not lengthened.
    pub fn progress(&mut self) {
        self.backoff = 0;
    }

    /// The timeout has expired: the next is twice as long.
    pub fn back_off(&mut self) {
        self.backoff = (self.backoff + 1).min(LARGEST_BACKOFF);
    }

    /// The retransmission timeout.
    pub fn timeout(&self) -> Duration {
        let timeout = match (self.clock, self.estimate) {
            (Clock::Fine { granularity, min_rto, .. }, Some(Estimate::Fine { smoothed, deviation })) => {
                (smoothed + deviation.times(4).max(granularity)).max(min_rto)
            }
            (_, Some(Estimate::Ticks { smoothed, deviation })) => {
                SLOW.times((smoothed / 8 + deviation).max(2).unsigned_abs())
            }
            (Clock::Fine { initial_rto, .. }, _) => initial_rto,
            // 4.4BSD begins with six seconds
            (Clock::Ticks { .. }, _) => SLOW.times(12),
        };
        timeout.times(1 << self.backoff).min(self.longest)
    }
}

impl Estimate {
    fn with(self, measured: Duration) -> Self {
        match self {
            Estimate::Fine { smoothed, deviation } => {
                let difference = smoothed.saturating_sub(measured) + measured.saturating_sub(smoothed);
                Estimate::Fine {
                    smoothed: (smoothed.times(7) + measured).divided(8),
                    deviation: (deviation.times(3) + difference).divided(4),
                }
            }
            Estimate::Ticks { smoothed, deviation } => {
                let difference = measured.whole(SLOW) as i64 - smoothed / 8;
                Estimate::Ticks {
                    smoothed: (smoothed + difference).max(1),
                    deviation: (deviation + difference.abs() - deviation / 4).max(1),
                }
            }
        }
    }
}
