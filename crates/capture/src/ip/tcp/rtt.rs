//! Round-trip times at the capture point, and the RTO computed from them (RFC 6298).

use sojourn_core::Duration;

/// Minimum RTO of Linux; RFC 6298 has one second, which is recognized as well.
const MIN_RTO: Duration = Duration::from_millis(200);

/// SRTT and RTTVAR of the path from the point of capture to the receiver.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rtt {
    smoothed: Option<Duration>,
    variation: Duration,
}

impl Rtt {
    /// Takes a sample (RFC 6298, section 2).
    pub fn sample(&mut self, rtt: Duration) {
        let Some(smoothed) = self.smoothed else {
            (self.smoothed, self.variation) = (Some(rtt), rtt.divided(2));
            return;
        };
        let deviation = rtt.max(smoothed) - rtt.min(smoothed);
        self.variation = weighted(self.variation, 3, deviation);
        self.smoothed = Some(weighted(smoothed, 7, rtt));
    }

    /// After this much silence a retransmission is one of the timer.
    pub fn rto(&self) -> Duration {
        let estimate = self.smoothed.map_or(0, |smoothed| {
            smoothed.picoseconds().saturating_add(self.variation.picoseconds().saturating_mul(4))
        });
        Duration::from_picoseconds(estimate).max(MIN_RTO)
    }
}

/// The mean of `weight` parts of the old value and one of the new.
fn weighted(old: Duration, weight: u64, new: Duration) -> Duration {
    let sum = u128::from(old.picoseconds()) * u128::from(weight) + u128::from(new.picoseconds());
    Duration::from_picoseconds((sum / u128::from(weight + 1)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_follows_rfc_6298() {
        let mut rtt = Rtt::default();
        assert_eq!(rtt.rto(), MIN_RTO);
        rtt.sample(Duration::from_millis(100));
        assert_eq!(rtt.rto(), Duration::from_millis(300));
        rtt.sample(Duration::from_millis(180));
        assert_eq!(rtt.rto(), Duration::from_micros(110_000 + 4 * 57_500));
    }
}
