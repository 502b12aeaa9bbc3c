//! Delay budget: the response time of every transaction, split into named components that add up to it.
//!
//! Memory is bounded whatever the number of transactions: sums of each component are kept per bin of the
//! response time, 64 bins to an octave. The slowest hundredth is taken from the uppermost bins; the bin at
//! its border counts in proportion, so its membership is resolved to 1.6 % of the response time while
//! all sums stay exact integers of picoseconds.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sojourn_core::Duration;

/// Bins to an octave, as a power of two.
const BINS_LOG2: u32 = 6;
const BINS: usize = 1 << BINS_LOG2;
/// Octaves of a 64-bit value; values below 2^6 share the first.
const OCTAVES: usize = 64 - BINS_LOG2 as usize + 1;

/// The share of transactions that count as slowest.
pub const SLOWEST_SHARE: f64 = 0.01;

/// The components of the response times of one kind of transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    components: Vec<String>,
    count: u64,
    /// Per octave of the response time, made when first used: `BINS` rows of a count and the components' sums.
    octaves: Vec<Option<Box<[u128]>>>,
}

impl Budget {
    /// No transactions yet. `components` in the order that [`Budget::record`] takes them.
    pub fn new(components: &[&str]) -> Self {
        Budget::with_components(components.iter().map(|&name| name.to_owned()).collect())
    }

    fn with_components(components: Vec<String>) -> Self {
        Budget { components, count: 0, octaves: vec![None; OCTAVES] }
    }

    /// Takes one transaction's parts, in the order of the components; their sum is its response time.
    ///
    /// Panics when the number of parts is not that of the components.
    pub fn record(&mut self, parts: &[Duration]) {
        self.add(parts);
    }

    /// Takes the parts of transactions, as [`Budget::record`] does one after the other.
    pub fn record_all<const N: usize>(&mut self, transactions: impl Iterator<Item = [Duration; N]>) {
        transactions.for_each(|parts| self.add(&parts));
    }

    #[inline(always)]
    fn add(&mut self, parts: &[Duration]) {
        assert_eq!(parts.len(), self.components.len(), "one part for each component of the budget");
        let total: Duration = parts.iter().copied().sum();
        self.count += 1;
        let (count, sums) = self.row(total.picoseconds()).split_first_mut().expect("a row begins with its count");
        *count += 1;
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += u128::from(part.picoseconds()));
    }

    /// Adds another replication's transactions. Panics when the components differ.
    pub fn merge(&mut self, other: &Budget) {
        assert_eq!(self.components, other.components, "budgets of the same components");
        self.count += other.count;
        for (mine, theirs) in self.octaves.iter_mut().zip(&other.octaves) {
            match (mine, theirs) {
                (_, None) => {}
                (Some(mine), Some(theirs)) => mine.iter_mut().zip(theirs).for_each(|(sum, more)| *sum += more),
                (mine, Some(theirs)) => *mine = Some(theirs.clone()),
            }
        }
    }

    /// Names of the components, in recording order.
    pub fn components(&self) -> &[String] {
        &self.components
    }

    /// Number of transactions recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean seconds of each component over all transactions; `None` without any.
    pub fn means(&self) -> Option<Vec<f64>> {
        let mut sums = vec![0u128; self.components.len()];
        for row in self.rows_from_slowest() {
            sums.iter_mut().zip(&row[1..]).for_each(|(sum, more)| *sum += more);
        }
        (self.count > 0).then(|| sums.iter().map(|&sum| sum as f64 / self.count as f64 * 1e-12).collect())
    }

    /// Mean seconds of each component over the slowest hundredth (at least one transaction); `None` without any.
    pub fn slowest_means(&self) -> Option<Vec<f64>> {
        if self.count == 0 {
            return None;
        }
        let wanted = libm::ceil(self.count as f64 * SLOWEST_SHARE);
        let (mut missing, mut sums) = (wanted, vec![0.0; self.components.len()]);
        for row in self.rows_from_slowest() {
            let here = row[0] as f64;
            let part = (missing / here).min(1.0);
            sums.iter_mut().zip(&row[1..]).for_each(|(sum, &more)| *sum += part * more as f64);
            missing -= part * here;
            if missing <= 0.0 {
                break;
            }
        }
        Some(sums.iter().map(|sum| sum / wanted * 1e-12).collect())
    }

    /// The row of a response time: a count, then the sums.
    #[inline(always)]
    fn row(&mut self, total: u64) -> &mut [u128] {
        let octave = (64 - BINS_LOG2).saturating_sub(total.leading_zeros()) as usize;
        let bin = if octave == 0 { total as usize } else { (total >> (octave - 1)) as usize & (BINS - 1) };
        let width = self.components.len() + 1;
        if self.octaves[octave].is_none() {
            self.begin_octave(octave, width);
        }
        let rows = self.octaves[octave].as_mut().expect("the octave has begun");
        &mut rows[bin * width..(bin + 1) * width]
    }

    #[cold]
    #[inline(never)]
    fn begin_octave(&mut self, octave: usize, width: usize) {
        self.octaves[octave] = Some(vec![0; BINS * width].into_boxed_slice());
    }

    fn rows_from_slowest(&self) -> impl Iterator<Item = &[u128]> {
        let width = self.components.len() + 1;
        let octaves = self.octaves.iter().rev().flatten();
        octaves.flat_map(move |octave| octave.chunks_exact(width).rev()).filter(|row| row[0] > 0)
    }
}

/// The serialised form: the rows in use. Wide integers are two halves, so that any format can hold them.
#[derive(Serialize, Deserialize)]
struct Stored {
    components: Vec<String>,
    /// (octave, bin, count and sums).
    rows: Vec<(u32, u32, Vec<[u64; 2]>)>,
}

impl Serialize for Budget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let width = self.components.len() + 1;
        let mut rows = Vec::new();
        for (octave, bins) in self.octaves.iter().enumerate() {
            for (bin, row) in bins.iter().flat_map(|bins| bins.chunks_exact(width)).enumerate() {
                if row[0] > 0 {
                    let wide = row.iter().map(|&sum| [(sum >> 64) as u64, sum as u64]).collect();
                    rows.push((octave as u32, bin as u32, wide));
                }
            }
        }
        Stored { components: self.components.clone(), rows }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Budget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        let mut budget = Budget::with_components(stored.components);
        let width = budget.components.len() + 1;
        for (octave, bin, wide) in stored.rows {
            if octave as usize >= OCTAVES || bin as usize >= BINS || wide.len() != width {
                return Err(serde::de::Error::custom("a row that no budget of these components has"));
            }
            let row: Vec<u128> = wide.iter().map(|&[high, low]| u128::from(high) << 64 | u128::from(low)).collect();
            budget.count += row[0] as u64;
            let bins = budget.octaves[octave as usize].get_or_insert_with(|| vec![0; BINS * width].into_boxed_slice());
            bins[bin as usize * width..(bin as usize + 1) * width].copy_from_slice(&row);
        }
        Ok(budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(n: u64) -> Duration {
        Duration::from_micros(n)
    }

    #[test]
    fn components_add_up_to_the_mean_response_time() {
        let mut budget = Budget::new(&["waiting", "service"]);
        for n in 1..=1000 {
            budget.record(&[micros(n), micros(5)]);
        }
        let means = budget.means().unwrap();
        assert!((means.iter().sum::<f64>() - 505.5e-6).abs() < 1e-15);
        assert!((means[1] - 5e-6).abs() < 1e-18);
    }

    #[test]
    fn the_slowest_hundredth_has_means_of_its_own() {
        let mut budget = Budget::new(&["waiting", "retransmission"]);
        for n in 0..10_000 {
            let retransmission = if n % 100 == 0 { micros(100_000) } else { Duration::ZERO };
            budget.record(&[micros(1_000 + n % 7), retransmission]);
        }
        let slowest = budget.slowest_means().unwrap();
        assert!((slowest[1] - 0.1).abs() < 1e-12, "all of the slowest were retransmitted: {slowest:?}");
        assert!((slowest[0] - 1.003e-3).abs() < 4e-6);
        assert!((budget.means().unwrap()[1] - 1e-3).abs() < 1e-12);
    }

    #[test]
    fn the_slowest_of_few_transactions_is_the_slowest_one() {
        let mut budget = Budget::new(&["service"]);
        [10, 20, 1_000].iter().for_each(|&n| budget.record(&[micros(n)]));
        assert!((budget.slowest_means().unwrap()[0] - 1e-3).abs() < 1e-15);
    }

    #[test]
    fn merging_is_the_same_as_recording_in_one() {
        let (mut first, mut second, mut whole) =
            (Budget::new(&["a", "b"]), Budget::new(&["a", "b"]), Budget::new(&["a", "b"]));
        for n in 0..1000u64 {
            let parts = [micros(n * n), micros(3 * n)];
            if n % 3 == 0 {
                first.record(&parts)
            } else {
                second.record(&parts)
            }
            whole.record(&parts);
        }
        first.merge(&second);
        assert_eq!(first, whole);
    }

    #[test]
    fn a_stored_budget_reads_back_bit_for_bit() {
        let mut budget = Budget::new(&["a", "b"]);
        (0..500u64).for_each(|n| budget.record(&[Duration::from_picoseconds(n * n * n), Duration::from_secs(n)]));
        let text = serde_json::to_string(&budget).unwrap();
        assert_eq!(serde_json::from_str::<Budget>(&text).unwrap(), budget);
    }

    #[test]
    fn every_response_time_has_a_row_in_ascending_order() {
        let mut budget = Budget::new(&["all"]);
        let spans = [0, 1, 63, 64, 65, 127, 128, 1 << 20, (1 << 40) + 5, 1 << 63, u64::MAX];
        spans.iter().for_each(|&ps| budget.record(&[Duration::from_picoseconds(ps)]));
        let rows: Vec<u128> = budget.rows_from_slowest().map(|row| row[1]).collect();
        assert!(rows.is_sorted_by(|a, b| a > b), "{rows:?}");
    }
}
