//! How a distribution is stored: its samples, or its bins with the exact moments.

use hdrhistogram::Histogram;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Batches, Distribution, SIGNIFICANT_DIGITS, Store};

/// Samples at most: a million a second for nine years. Counts and sums of all replications stay far from the end of their types.
const MOST: u64 = 1 << 48;

/// The serialised form. Wide integers are two halves, so that any format can hold them.
#[derive(Serialize, Deserialize)]
struct Stored {
    censored: u64,
    unread: [u64; 2],
    /// Length and sums of the complete batches.
    batches: Option<(u64, Vec<[u64; 2]>)>,
    samples: StoredSamples,
}

#[derive(Serialize, Deserialize)]
enum StoredSamples {
    /// In order of recording.
    Exact(Vec<u64>),
    Bins {
        min: u64,
        max: u64,
        sum: [u64; 2],
        squares: [u64; 2],
        /// Lowest value and count of each bin that holds a sample, ascending.
        bins: Vec<(u64, u64)>,
    },
}

fn halves(wide: u128) -> [u64; 2] {
    [(wide >> 64) as u64, wide as u64]
}

fn joined([high, low]: [u64; 2]) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

impl Serialize for Distribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let samples = match &self.store {
            Store::Exact(samples) => StoredSamples::Exact(samples.clone()),
            Store::Binned(histogram) => StoredSamples::Bins {
                min: self.min,
                max: self.max,
                sum: halves(self.sum),
                squares: halves(self.squares),
                bins: histogram
                    .iter_recorded()
                    .map(|bin| (histogram.lowest_equivalent(bin.value_iterated_to()), bin.count_since_last_iteration()))
                    .collect(),
            },
        };
        let batches = &self.batches;
        let sums = || batches.sums.iter().copied().map(halves).collect();
        let batches = batches.are_continuous().then(|| (batches.length, sums()));
        Stored { censored: self.censored, unread: halves(self.unread as u128), batches, samples }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        let mut distribution = Distribution::new();
        match stored.samples {
            StoredSamples::Exact(samples) => distribution.keep(samples),
            StoredSamples::Bins { min, max, sum, squares, bins } => {
                let mut histogram = Histogram::new(SIGNIFICANT_DIGITS).expect("three digits are allowed");
                for (value, count) in bins {
                    histogram.record_n(value, count).map_err(|_| de::Error::custom("a bin beyond the histogram"))?;
                }
                (distribution.count, distribution.min, distribution.max) = (histogram.len(), min, max);
                (distribution.sum, distribution.squares) = (joined(sum), joined(squares));
                distribution.store = Store::Binned(Box::new(histogram));
            }
        }
        let unread = joined(stored.unread) as i128;
        let largest = u128::from(MOST) * u128::from(u64::MAX);
        let has_too_many = distribution.count.max(stored.censored) > MOST;
        if has_too_many || distribution.sum.max(unread.unsigned_abs()) > largest {
            return Err(de::Error::custom("more samples than any run has"));
        }
        distribution.batches = match stored.batches {
            Some((length, _)) if length > distribution.count.max(1) => {
                return Err(de::Error::custom("a batch of more samples than there are"));
            }
            Some((length, sums)) => {
                let sums = sums.into_iter().map(joined).collect();
                Batches::stored(length, sums, distribution.count, distribution.sum)
            }
            None => Batches::interrupted(),
        };
        distribution.unread = unread;
        distribution.censored = stored.censored;
        Ok(distribution)
    }
}

impl Distribution {
    /// Takes stored samples; a merged distribution may keep more of them than a replication records.
    fn keep(&mut self, samples: Vec<u64>) {
        samples.iter().for_each(|&value| self.tally(value));
        self.store = Store::Exact(samples);
    }
}

impl PartialEq for Distribution {
    fn eq(&self, other: &Self) -> bool {
        let moments = |d: &Distribution| (d.count, d.censored, d.min, d.max, d.sum, d.squares, d.unread);
        moments(self) == moments(other)
            && match (&self.store, &other.store) {
                (Store::Exact(a), Store::Exact(b)) => a == b,
                (Store::Binned(_), Store::Binned(_)) => self.weighted_values() == other.weighted_values(),
                _ => false,
            }
    }
}
