//! Arrival curves: upper bounds on the data that may arrive in any interval of a given length.

use num_rational::Ratio;

use super::{RateLatency, Rational};

/// A burst that may come at once, and a rate thereafter (LBT, 1.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TokenBucket {
    /// What may come at once.
    pub burst: Rational,
    /// What may come in a unit of time in the long run.
    pub rate: Rational,
}

impl TokenBucket {
    /// The most that arrives in a closed interval of length `time`.
    pub fn at(&self, time: Rational) -> Rational {
        self.burst + self.rate * time
    }

    /// The time at which a bucket with a larger burst and a smaller rate becomes the smaller of the two.
    fn meets(&self, later: &TokenBucket) -> Rational {
        (later.burst - self.burst) / (self.rate - later.rate)
    }
}

/// A concave arrival curve: at most the minimum of its token buckets arrives in an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// By rising burst and falling rate; each is the least of all somewhere. Never empty.
    buckets: Vec<TokenBucket>,
}

impl Arrival {
    /// Nothing arrives.
    pub fn nothing() -> Arrival {
        Arrival::token_bucket(Ratio::ZERO, Ratio::ZERO)
    }

    /// One token bucket.
    pub fn token_bucket(burst: Rational, rate: Rational) -> Arrival {
        Arrival { buckets: vec![TokenBucket { burst, rate }] }
    }

    /// A source with a peak rate and a largest packet besides its token bucket: `T-SPEC` (RFC 2210; LBT, 1.2.1).
    pub fn peak_limited(largest: Rational, peak: Rational, burst: Rational, rate: Rational) -> Arrival {
        Arrival::token_bucket(largest, peak).min(&Arrival::token_bucket(burst, rate))
    }

    /// The token buckets of which it is the minimum, by rising burst.
    pub fn buckets(&self) -> &[TokenBucket] {
        &self.buckets
    }

    /// What arrives in a closed interval of length `time`, at most.
    pub fn at(&self, time: Rational) -> Rational {
        self.buckets.iter().map(|bucket| bucket.at(time)).min().expect("a curve has a bucket")
    }

    /// The rate in the long run.
    pub fn rate(&self) -> Rational {
        self.buckets.last().expect("a curve has a bucket").rate
    }

    /// The times at which its slope changes, ascending.
    pub fn corners(&self) -> impl Iterator<Item = Rational> + '_ {
        self.buckets.windows(2).map(|pair| pair[0].meets(&pair[1]))
    }

    /// Both limits hold: the minimum, which of concave curves is their min-plus convolution, too (LBT, 3.1.6).
    pub fn min(&self, other: &Arrival) -> Arrival {
        envelope(self.buckets.iter().chain(&other.buckets).copied().collect())
    }

    /// Both arrive.
    pub fn plus(&self, other: &Arrival) -> Arrival {
        let (mut sum, mut this, mut that) = (Vec::new(), 0, 0);
        loop {
            let (one, two) = (self.buckets[this], other.buckets[that]);
            sum.push(TokenBucket { burst: one.burst + two.burst, rate: one.rate + two.rate });
            let next =
                |buckets: &[TokenBucket], at: usize| buckets.get(at + 1).map(|following| buckets[at].meets(following));
            match (next(&self.buckets, this), next(&other.buckets, that)) {
                (None, None) => return Arrival { buckets: sum },
                (Some(_), None) => this += 1,
                (None, Some(_)) => that += 1,
                (Some(first), Some(second)) => {
                    this += usize::from(first <= second);
                    that += usize::from(second <= first);
                }
            }
        }
    }

    /// The curve multiplied by `factor`, which must not be negative.
    pub fn scaled(&self, factor: Rational) -> Arrival {
        let scaled = |bucket: &TokenBucket| TokenBucket { burst: bucket.burst * factor, rate: bucket.rate * factor };
        match factor == Ratio::ZERO {
            true => Arrival::nothing(),
            false => Arrival { buckets: self.buckets.iter().map(scaled).collect() },
        }
    }

    /// After a system that delays by a varying time, `jitter` at most.
    pub fn after_jitter(&self, jitter: Rational) -> Arrival {
        let later = |bucket: &TokenBucket| TokenBucket { burst: bucket.at(jitter), ..*bucket };
        Arrival { buckets: self.buckets.iter().map(later).collect() }.normalised()
    }

    /// What leaves a system with this service: the min-plus deconvolution (LBT, 1.4.1, theorem 1.4.3). `None` where
    /// more arrives in the long run than is served.
    pub fn output(&self, service: &RateLatency) -> Option<Arrival> {
        if self.rate() > service.rate {
            return None;
        }
        let steeper = self.buckets.iter().filter(|bucket| bucket.rate > service.rate).count();
        let shifted = |bucket: &TokenBucket| TokenBucket { burst: bucket.at(service.latency), ..*bucket };
        let mut buckets: Vec<TokenBucket> = self.buckets[steeper..].iter().map(shifted).collect();
        if let Some(last) = steeper.checked_sub(1) {
            // up to the corner more comes than is served: it leaves with the rate of the service
            let corner = self.buckets[last].meets(&self.buckets[steeper]);
            let burst = self.at(corner) - service.rate * corner + service.rate * service.latency;
            buckets.push(TokenBucket { burst, rate: service.rate });
        }
        Some(envelope(buckets))
    }

    fn normalised(self) -> Arrival {
        envelope(self.buckets)
    }
}

/// The least of some token buckets, without those that never are the least.
fn envelope(mut buckets: Vec<TokenBucket>) -> Arrival {
    // of equal rates the smallest burst counts
    buckets.sort_by(|one, other| other.rate.cmp(&one.rate).then(one.burst.cmp(&other.burst)));
    buckets.dedup_by(|later, kept| later.rate == kept.rate);
    let mut least: Vec<TokenBucket> = Vec::new();
    for bucket in buckets {
        // a slower bucket with no larger burst is below a faster one everywhere
        while least.last().is_some_and(|last| bucket.burst <= last.burst) {
            least.pop();
        }
        while let [.., before, last] = least[..] {
            if before.meets(&bucket) > before.meets(&last) {
                break;
            }
            least.pop();
        }
        least.push(bucket);
    }
    Arrival { buckets: least }
}
