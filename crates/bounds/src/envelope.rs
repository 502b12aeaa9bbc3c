//! The envelope of a source: the arrival curve that follows from the declaration of the source.

use sojourn_core::Duration;
use sojourn_engine::arrivals::Arrivals;

/// At most `burst` packets at once, and one every `interval` thereafter; a jitter on the path lets more come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Packets at once.
    pub burst: u64,
    /// From one packet to the next in the long run; more than zero.
    pub interval: Duration,
    /// How much later than others some of its packets may be.
    pub jitter: Duration,
}

impl Envelope {
    /// Packets in a closed interval of length `time`, at most.
    pub fn packets(&self, time: Duration) -> u64 {
        self.burst + (time + self.jitter).whole(self.interval)
    }
}

/// The envelope of arrivals; of those that have none, why.
pub fn of_arrivals(arrivals: &Arrivals) -> Result<Envelope, &'static str> {
    match *arrivals {
        Arrivals::Periodic { period, jitter } => Ok(Envelope { burst: 1, interval: period, jitter }),
        // a group may begin just when the one before ends: arrivals a gap apart, and one more each length of a group
        Arrivals::Burst { size, gap, .. } if size > 1 && gap > Duration::ZERO => {
            let interval = gap.times(u64::from(size) - 1).divided(size.into());
            Ok(Envelope { burst: 2, interval, jitter: Duration::ZERO })
        }
        Arrivals::Burst { .. } => Err("groups of arrivals may follow each other in any short time"),
        Arrivals::Poisson { .. } => Err("Poisson arrivals have no envelope: any number may come in any short time"),
        Arrivals::Renewal(_) => Err("gaps drawn from a distribution may be as short as they like, one after the other"),
        Arrivals::OnOff { .. } => {
            Err("exponential times on and off have no envelope: any number may be short in a row")
        }
        Arrivals::Saturating { .. } => Err("a source that always has more to send has no envelope"),
        Arrivals::Trace(_) => Err("a list of arrivals has no declared envelope"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_with_jitter_lets_two_packets_come_together() {
        let envelope =
            of_arrivals(&Arrivals::Periodic { period: Duration::from_millis(20), jitter: Duration::from_millis(20) })
                .unwrap();
        assert_eq!(envelope.packets(Duration::ZERO), 2);
        assert_eq!(envelope.packets(Duration::from_millis(19)), 2);
        assert_eq!(envelope.packets(Duration::from_millis(20)), 3);
    }

    #[test]
    fn chance_without_a_bound_has_no_envelope_and_says_why() {
        let poisson = Arrivals::Poisson { mean_gap: Duration::from_millis(1) };
        assert!(of_arrivals(&poisson).unwrap_err().contains("Poisson"));
    }
}
