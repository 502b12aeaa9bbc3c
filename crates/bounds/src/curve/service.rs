//! Service curves: lower bounds on the work that is served in any interval in which work waits.

use num_rational::Ratio;

use super::{Arrival, Rational};

/// Nothing for at most `latency`, then at `rate` (LBT, 1.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RateLatency {
    /// What is served in a unit of time; more than zero.
    pub rate: Rational,
    /// After which time at most.
    pub latency: Rational,
}

impl RateLatency {
    /// A server of this rate after this latency. Panics where the rate is not above zero.
    pub fn new(rate: Rational, latency: Rational) -> RateLatency {
        assert!(rate > Ratio::ZERO, "a server has a rate");
        RateLatency { rate, latency }
    }

    /// What is served in `time` at least.
    pub fn at(&self, time: Rational) -> Rational {
        (self.rate * (time - self.latency)).max(Ratio::ZERO)
    }

    /// When `work` is served at the latest.
    pub fn serves(&self, work: Rational) -> Rational {
        self.latency + work / self.rate
    }
}

/// A convex service curve: the maximum of rate-latency curves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// By rising rate and rising latency; each is the largest of all somewhere. Never empty.
    parts: Vec<RateLatency>,
}

impl From<RateLatency> for Service {
    fn from(part: RateLatency) -> Service {
        Service { parts: vec![part] }
    }
}

impl Service {
    /// The largest of some rate-latency curves; `None` of none.
    pub fn largest(mut parts: Vec<RateLatency>) -> Option<Service> {
        parts.sort_by(|one, other| one.rate.cmp(&other.rate).then(other.latency.cmp(&one.latency)));
        let mut kept: Vec<RateLatency> = Vec::new();
        for part in parts {
            // a faster server that begins no later serves more everywhere
            while kept.last().is_some_and(|last| part.latency <= last.latency) {
                kept.pop();
            }
            while let [.., before, last] = kept[..] {
                if meets(&before, &part) > meets(&before, &last) {
                    break;
                }
                kept.pop();
            }
            kept.push(part);
        }
        (!kept.is_empty()).then_some(Service { parts: kept })
    }

    /// The rate-latency curves of which it is the maximum, by rising rate.
    pub fn parts(&self) -> &[RateLatency] {
        &self.parts
    }

    /// What is served in `time` at least.
    pub fn at(&self, time: Rational) -> Rational {
        self.parts.iter().map(|part| part.at(time)).max().expect("a curve has a part")
    }

    /// When `work` is served at the latest.
    pub fn serves(&self, work: Rational) -> Rational {
        self.parts.iter().map(|part| part.serves(work)).min().expect("a curve has a part")
    }

    /// The rate in the long run.
    pub fn rate(&self) -> Rational {
        self.parts.last().expect("a curve has a part").rate
    }

    /// The times at which its slope changes, ascending: the first is when service begins at the latest.
    pub fn corners(&self) -> impl Iterator<Item = Rational> + '_ {
        let between = self.parts.windows(2).map(|pair| meets(&pair[0], &pair[1]));
        std::iter::once(self.parts[0].latency).chain(between)
    }

    /// One server after the other: the min-plus convolution (LBT, 1.4.3, theorem 1.4.6). Of convex curves it is their
    /// segments in the order of their slopes (LBT, 3.1.6).
    pub fn then(&self, next: &Service) -> Service {
        let latency = self.parts[0].latency + next.parts[0].latency;
        let most = self.rate().min(next.rate());
        let mut segments: Vec<(Rational, Rational)> = self.segments().chain(next.segments()).collect();
        segments.sort();
        let (mut time, mut served) = (latency, Ratio::ZERO);
        let mut parts = Vec::new();
        let mut pass = |rate: Rational, time: Rational, served: Rational| {
            parts.push(RateLatency { rate, latency: time - served / rate });
        };
        for (rate, length) in segments.into_iter().filter(|(rate, _)| *rate < most) {
            pass(rate, time, served);
            (time, served) = (time + length, served + rate * length);
        }
        pass(most, time, served);
        Service::largest(parts).expect("the last segment is there")
    }

    /// What others leave of it that may always go before (LBT, 6.2.1): `None` where they may take all.
    pub fn left_over(&self, others: &Arrival) -> Option<Service> {
        let left = |part: &RateLatency, rate: Rational, burst: Rational| {
            let remains = part.rate - rate;
            (remains > Ratio::ZERO).then(|| RateLatency::new(remains, (part.rate * part.latency + burst) / remains))
        };
        let parts = self
            .parts
            .iter()
            .flat_map(|part| others.buckets().iter().filter_map(move |bucket| left(part, bucket.rate, bucket.burst)));
        if self.rate() <= others.rate() {
            return None;
        }
        Service::largest(parts.collect())
    }

    /// Its finite segments with a slope: the slope, and how long it lasts.
    fn segments(&self) -> impl Iterator<Item = (Rational, Rational)> + '_ {
        let corners: Vec<Rational> = self.corners().collect();
        let lengths: Vec<Rational> = corners.windows(2).map(|pair| pair[1] - pair[0]).collect();
        self.parts.iter().map(|part| part.rate).zip(lengths)
    }
}

/// The time from which on the faster of two servers has served more.
fn meets(slower: &RateLatency, faster: &RateLatency) -> Rational {
    (faster.rate * faster.latency - slower.rate * slower.latency) / (faster.rate - slower.rate)
}
