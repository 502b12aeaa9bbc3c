//! Distribution of durations: exact samples up to a limit, a log-linear histogram beyond.
//!
//! **What a quantile means here.** The `q` quantile is the smallest sample with at least a share `q` of all
//! samples at or below it. Samples are not corrected for coordinated omission: a closed-loop probe takes
//! none while a request is outstanding (the metric `missed` counts those).
//!
//! **Resolution.** Up to [`EXACT_SAMPLES`] samples are stored exactly. Beyond, they are counted in a
//! log-linear histogram whose bins are at most 1/1024 of their value wide, and a quantile is the middle of its
//! bin: within 0.05 %. Count, minimum, maximum, sum and sum of squares are exact integers of picoseconds in
//! both forms, so a mean does not depend on the order the samples came or were merged in.
//!
//! **Readings.** A clock of finite resolution gives quantised samples of durations that are known exactly here
//! ([`Distribution::record_reading`]): quantiles, extremes and deviation are those of the readings, the mean is that
//! of the durations.
//!
//! **Censored samples.** A request that failed, timed out or was still open, older than the largest response, took longer
//! than anything observed: [`Distribution::censor`] counts it, and every quantile ranks it above all samples. A quantile
//! among the censored samples is not reached. Mean, deviation and extremes are those of the samples that came back.
//!
//! **Batches.** Sums of consecutive samples show the correlation time of a run ([`Distribution::parts`]).

use hdrhistogram::Histogram;
use sojourn_core::Duration;

use crate::interval::Part;

mod batches;
mod stored;

use batches::Batches;

/// Number of samples that a replication stores exactly.
pub const EXACT_SAMPLES: usize = 4096;

/// Three significant digits: 2048 linear steps per octave pair, so bins of at most 1/1024.
const SIGNIFICANT_DIGITS: u8 = 3;

/// A distribution of durations, in integer picoseconds.
#[derive(Clone, Debug)]
pub struct Distribution {
    count: u64,
    min: u64,
    max: u64,
    sum: u128,
    /// Modulo 2^128; exact in the differences that [`Distribution::deviation`] takes.
    squares: u128,
    /// Sum of the exact durations less the sum of the readings.
    unread: i128,
    /// Samples that never came back.
    censored: u64,
    /// In order of recording, until samples of another source are merged in.
    batches: Batches,
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    /// In order of recording.
    Exact(Vec<u64>),
    Binned(Box<Histogram<u64>>),
}

impl Default for Distribution {
    fn default() -> Self {
        Distribution::new()
    }
}

impl Distribution {
    /// A distribution without samples.
    pub fn new() -> Self {
        Distribution {
            count: 0,
            min: u64::MAX,
            max: 0,
            sum: 0,
            squares: 0,
            unread: 0,
            censored: 0,
            batches: Batches::new(),
            store: Store::Exact(Vec::new()),
        }
    }

    /// Records a sample, which counts in whole picoseconds.
    #[inline]
    pub fn record(&mut self, span: Duration) {
        let value = span.picoseconds();
        self.tally(value);
        if self.batches.is_complete(self.count) {
            return self.complete_batch_and_store(value);
        }
        self.store(value);
    }

    /// Records samples, as [`Distribution::record`] does one after the other.
    pub fn record_all(&mut self, spans: impl ExactSizeIterator<Item = Duration> + Clone) {
        if self.samples().is_some() || self.batches.is_complete_within(self.count + spans.len() as u64) {
            return spans.for_each(|span| self.record(span));
        }
        let values = spans.map(Duration::picoseconds);
        values.clone().for_each(|value| self.tally(value));
        let histogram = self.bin();
        values.for_each(|value| histogram.record(value).expect("the histogram grows as needed"));
    }

    /// Records `count` samples of the same `span`.
    pub fn record_many(&mut self, span: Duration, count: u64) {
        if self.count.saturating_add(count) <= EXACT_SAMPLES as u64 {
            return (0..count).for_each(|_| self.record(span));
        }
        if count == 0 {
            return;
        }
        let (value, many) = (span.picoseconds(), u128::from(count));
        self.count += count;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += u128::from(value) * many;
        let square = u128::from(value) * u128::from(value);
        self.squares = self.squares.wrapping_add(square.wrapping_mul(many));
        self.batches.recorded_many(value, self.count, self.sum);
        self.bin().record_n(value, count).expect("the histogram grows as needed");
    }

    /// Records a reading of a clock of finite resolution, with the exact duration.
    #[inline]
    pub fn record_reading(&mut self, span: Duration, reading: Duration) {
        self.record(reading);
        self.unread += i128::from(span.picoseconds()) - i128::from(reading.picoseconds());
    }

    /// Counts `samples` that never came back: longer than anything.
    #[inline]
    pub fn censor(&mut self, samples: u64) {
        self.censored += samples;
    }

    /// Counts the samples that were open at the end, by their ages, as far as they were older than the largest that came
    /// back. Younger ones say nothing: they would have been as open in an idle system.
    pub fn censor_open(&mut self, ages: impl IntoIterator<Item = Duration>) {
        let largest = self.max;
        self.censored += ages.into_iter().filter(|age| age.picoseconds() > largest).count() as u64;
    }

    /// Adds another distribution's samples after these: another replication's, or another flow's.
    ///
    /// Two exact stores stay exact, whatever their size; otherwise both are binned.
    pub fn merge(&mut self, other: &Distribution) {
        match (self.count, other.count) {
            (_, 0) => {}
            (0, _) => self.batches = other.batches.clone(),
            _ => self.batches = Batches::interrupted(),
        }
        self.count += other.count;
        self.censored += other.censored;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.squares = self.squares.wrapping_add(other.squares);
        self.unread += other.unread;
        match (&mut self.store, &other.store) {
            (Store::Exact(samples), Store::Exact(more)) => samples.extend_from_slice(more),
            (_, Store::Exact(more)) => {
                let histogram = self.bin();
                more.iter().for_each(|&value| histogram.record(value).expect("the histogram grows as needed"));
            }
            (_, Store::Binned(more)) => self.bin().add(&**more).expect("the histogram grows as needed"),
        }
    }

    /// Number of samples recorded: what came back.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Samples that never came back.
    pub fn censored(&self) -> u64 {
        self.censored
    }

    /// Samples recorded and those that never came back.
    pub fn sent(&self) -> u64 {
        self.count + self.censored
    }

    /// Minimum of all samples.
    pub fn min(&self) -> Option<Duration> {
        (self.count > 0).then_some(Duration::from_picoseconds(self.min))
    }

    /// Maximum of all samples.
    pub fn max(&self) -> Option<Duration> {
        (self.count > 0).then_some(Duration::from_picoseconds(self.max))
    }

    /// The mean, in seconds; of the spans where samples are readings.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| (self.sum as i128 + self.unread) as f64 / self.count as f64 * 1e-12)
    }

    /// The sample standard deviation, in seconds; `None` below two samples, or when samples lie so far apart
    /// (days, in millions of samples) that their squares do not fit 128 bits.
    pub fn deviation(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let (count, min) = (u128::from(self.count), u128::from(self.min));
        let spread = (self.max - self.min) as f64;
        if self.count as f64 * spread * spread >= u128::MAX as f64 {
            return None;
        }
        // deviations from the minimum: sum((x - min)^2) = sum(x^2) - 2 min sum(x) + n min^2, exact modulo 2^128
        let first = self.sum - count * min;
        let squares = self
            .squares
            .wrapping_sub(min.wrapping_mul(self.sum).wrapping_mul(2))
            .wrapping_add(min.wrapping_mul(min).wrapping_mul(count));
        let about_mean = squares as f64 - first as f64 * (first as f64 / self.count as f64);
        Some(libm::sqrt(about_mean.max(0.0) / (self.count - 1) as f64) * 1e-12)
    }

    /// The `q` quantile, `0 < q <= 1`; `None` without samples, or where it is not reached.
    pub fn quantile(&self, q: f64) -> Option<Duration> {
        self.quantiles(&[q])?[0]
    }

    /// Several quantiles in one pass, `qs` ascending, each `None` where more than its share of the samples never came
    /// back; `None` without samples.
    pub fn quantiles(&self, qs: &[f64]) -> Option<Vec<Option<Duration>>> {
        if self.sent() == 0 {
            return None;
        }
        let ranks = qs.iter().map(|&q| rank(q, self.sent()));
        Some(match &self.store {
            Store::Exact(samples) => {
                let mut sorted = samples.clone();
                sorted.sort_unstable();
                ranks.map(|rank| sorted.get(rank as usize - 1).copied().map(Duration::from_picoseconds)).collect()
            }
            Store::Binned(histogram) => {
                let mut bins = histogram.iter_recorded();
                let (mut below, mut value) = (0, self.min);
                ranks
                    .map(|rank| {
                        if rank >= self.count {
                            return (rank == self.count).then_some(Duration::from_picoseconds(self.max));
                        }
                        while below < rank {
                            let bin = bins.next().expect("the bins hold every sample");
                            below += bin.count_since_last_iteration();
                            value = histogram.median_equivalent(bin.value_iterated_to()).clamp(self.min, self.max);
                        }
                        Some(Duration::from_picoseconds(value))
                    })
                    .collect()
            }
        })
    }

    /// The `to` quantile less the `from` quantile; `None` where one is not reached.
    pub fn spread(&self, from: f64, to: f64) -> Option<Duration> {
        let found = self.quantiles(&[from, to])?;
        Some(found[1]?.saturating_sub(found[0]?))
    }

    /// Whether the `q` quantile is one of the samples that came back.
    pub fn quantile_is_reached(&self, q: f64) -> bool {
        self.count > 0 && rank(q, self.sent()) <= self.count
    }

    /// Number of samples beyond the rank of the `q` quantile, those that never came back included.
    pub fn beyond(&self, q: f64) -> u64 {
        self.sent() - rank(q, self.sent()).min(self.sent())
    }

    /// Means of this many equal consecutive parts of the samples, in seconds, and the samples of each part; `None` of too
    /// few samples, or of samples that were merged.
    pub fn parts(&self, parts: usize) -> Option<(Vec<f64>, u64)> {
        let (mut means, samples) = self.batches.means(parts)?;
        means.iter_mut().for_each(|mean| *mean *= 1e-12);
        Some((means, samples))
    }

    /// All samples in this many consecutive parts, in seconds; `None` of too few samples, or of samples that were merged.
    pub fn all_parts(&self, parts: usize) -> Option<Vec<Part>> {
        let all = self.batches.all(parts, self.count, self.sum)?;
        Some(all.into_iter().map(|(sum, count)| Part { sum: sum as f64 * 1e-12, size: count as f64 }).collect())
    }

    /// The samples in order of recording, while they are stored exactly.
    pub fn samples(&self) -> Option<&[u64]> {
        match &self.store {
            Store::Exact(samples) => Some(samples),
            Store::Binned(_) => None,
        }
    }

    /// Lower edge (included), upper edge (excluded) and count of each bin in use, ascending, in picoseconds; an
    /// exact value is a bin of one picosecond.
    pub fn bins(&self) -> Vec<(u64, u64, u64)> {
        match &self.store {
            Store::Exact(_) => self
                .weighted_values()
                .into_iter()
                .map(|(value, count)| (value, value.saturating_add(1), count))
                .collect(),
            Store::Binned(histogram) => histogram
                .iter_recorded()
                .map(|bin| {
                    let value = bin.value_iterated_to();
                    let (from, to) = (histogram.lowest_equivalent(value), histogram.next_non_equivalent(value));
                    (from, to, bin.count_since_last_iteration())
                })
                .collect(),
        }
    }

    /// Values in picoseconds with their counts, ascending: exact values, or the middles of bins.
    pub fn weighted_values(&self) -> Vec<(u64, u64)> {
        match &self.store {
            Store::Exact(samples) => {
                let mut sorted = samples.clone();
                sorted.sort_unstable();
                sorted.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u64)).collect()
            }
            Store::Binned(histogram) => histogram
                .iter_recorded()
                .map(|bin| {
                    let middle = histogram.median_equivalent(bin.value_iterated_to());
                    (middle.clamp(self.min, self.max), bin.count_since_last_iteration())
                })
                .collect(),
        }
    }

    /// Counts a sample in the exact moments.
    #[inline]
    fn tally(&mut self, value: u64) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += u128::from(value);
        self.squares = self.squares.wrapping_add(u128::from(value) * u128::from(value));
    }

    #[inline]
    fn store(&mut self, value: u64) {
        match &mut self.store {
            Store::Exact(samples) if samples.len() < EXACT_SAMPLES => samples.push(value),
            Store::Exact(_) => self.bin().record(value).expect("the histogram grows as needed"),
            Store::Binned(histogram) => histogram.record(value).expect("the histogram grows as needed"),
        }
    }

    /// Ends a batch of samples with this one; out of line, so that [`Distribution::record`] saves few registers.
    #[cold]
    fn complete_batch_and_store(&mut self, value: u64) {
        self.batches.complete(self.sum);
        self.store(value);
    }

    /// The bins, made of the samples if there were none yet.
    fn bin(&mut self) -> &mut Histogram<u64> {
        if let Store::Exact(samples) = &self.store {
            let mut histogram = Histogram::new(SIGNIFICANT_DIGITS).expect("three digits are allowed");
            for &value in samples {
                histogram.record(value).expect("the histogram grows as needed");
            }
            self.store = Store::Binned(Box::new(histogram));
        }
        match &mut self.store {
            Store::Binned(histogram) => histogram,
            Store::Exact(_) => unreachable!("binned above"),
        }
    }
}

/// The rank, from 1, of the smallest sample with at least a share `q` at or below it.
fn rank(q: f64, count: u64) -> u64 {
    // the small term keeps 0.999 of 1000 samples at rank 999, whatever the product's last bit
    (libm::ceil(q * count as f64 - 1e-9) as u64).max(1)
}

#[cfg(test)]
mod tests;
