//! How a distribution is stored: its samples, or its bins with the exact moments.

use hdrhistogram::Histogram;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Distribution, SIGNIFICANT_DIGITS, Store};

/// The serialised form. Wide integers are two halves, so that any format can hold them.
#[derive(Serialize, Deserialize)]
enum Stored {
    Samples(Vec<u64>),
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
        match &self.store {
            Store::Exact(samples) => Stored::Samples(samples.clone()),
            Store::Binned(histogram) => Stored::Bins {
                min: self.min,
                max: self.max,
                sum: halves(self.sum),
                squares: halves(self.squares),
                bins: histogram
                    .iter_recorded()
                    .map(|bin| (histogram.lowest_equivalent(bin.value_iterated_to()), bin.count_since_last_iteration()))
                    .collect(),
            },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut distribution = Distribution::new();
        match Stored::deserialize(deserializer)? {
            Stored::Samples(samples) => {
                // a merged distribution may keep more exact samples than a replication records
                samples.iter().for_each(|&value| distribution.tally(value));
                distribution.store = Store::Exact(samples);
            }
            Stored::Bins { min, max, sum, squares, bins } => {
                let mut histogram = Histogram::new(SIGNIFICANT_DIGITS).expect("three digits are allowed");
                for (value, count) in bins {
                    histogram.record_n(value, count).map_err(|_| de::Error::custom("a bin beyond the histogram"))?;
                }
                let count = histogram.len();
                let (sum, squares) = (joined(sum), joined(squares));
                let store = Store::Binned(Box::new(histogram));
                distribution = Distribution { count, min, max, sum, squares, store };
            }
        }
        Ok(distribution)
    }
}

impl PartialEq for Distribution {
    fn eq(&self, other: &Self) -> bool {
        let moments = |d: &Distribution| (d.count, d.min, d.max, d.sum, d.squares);
        moments(self) == moments(other)
            && match (&self.store, &other.store) {
                (Store::Exact(a), Store::Exact(b)) => a == b,
                (Store::Binned(_), Store::Binned(_)) => self.weighted_values() == other.weighted_values(),
                _ => false,
            }
    }
}
