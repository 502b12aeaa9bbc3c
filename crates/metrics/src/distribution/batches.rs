//! Sums of consecutive samples, which show how long a run remembers.

/// At this many batches neighbours are joined: half as many remain, each twice as long.
const MOST: usize = 64;

/// Sums of up to 63 batches of equal length, in order of recording, in picoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batches {
    /// Samples of a batch, a power of two.
    pub(super) length: u64,
    /// Complete batches.
    pub(super) sums: Vec<u128>,
    /// Samples in the batch being filled, and their sum.
    filled: u64,
    sum: u128,
}

impl Batches {
    /// No batch yet.
    pub(super) fn new() -> Self {
        Batches { length: 1, sums: Vec::new(), filled: 0, sum: 0 }
    }

    /// Batches as they were stored; the one that was being filled is not stored.
    pub(super) fn of(length: u64, sums: Vec<u128>) -> Self {
        Batches { length, sums, filled: 0, sum: 0 }
    }

    /// Adds one sample.
    #[inline]
    pub(super) fn add(&mut self, value: u64) {
        self.sum += u128::from(value);
        self.filled += 1;
        if self.filled == self.length {
            self.close();
        }
    }

    /// Adds `count` samples of the same value.
    pub(super) fn add_many(&mut self, value: u64, mut count: u64) {
        while count > 0 {
            let fit = count.min(self.length - self.filled);
            self.sum += u128::from(value) * u128::from(fit);
            self.filled += fit;
            count -= fit;
            if self.filled == self.length {
                self.close();
            }
        }
    }

    #[cold]
    fn close(&mut self) {
        self.sums.push(self.sum);
        (self.filled, self.sum) = (0, 0);
        if self.sums.len() == MOST {
            for batch in 0..MOST / 2 {
                self.sums[batch] = self.sums[2 * batch] + self.sums[2 * batch + 1];
            }
            self.sums.truncate(MOST / 2);
            self.length *= 2;
        }
    }

    /// Means of `parts` equal consecutive parts, in picoseconds, and the samples of each; `None` of too few batches.
    pub(super) fn means(&self, parts: usize) -> Option<(Vec<f64>, u64)> {
        let together = self.sums.len() / parts;
        if together == 0 {
            return None;
        }
        let samples = self.length * together as u64;
        // what does not divide is left out at the start, where a warm-up that was too short shows most
        let kept = &self.sums[self.sums.len() - parts * together..];
        let mean = |part: &[u128]| part.iter().sum::<u128>() as f64 / samples as f64;
        Some((kept.chunks(together).map(mean).collect(), samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_consecutive_samples_whatever_their_number() {
        let mut batches = Batches::new();
        (0..1_000).for_each(|value| batches.add(value));
        let (means, samples) = batches.means(8).unwrap();
        assert_eq!(samples, 16 * 7, "62 batches of 16 samples, seven in each part");
        assert!(means.windows(2).all(|pair| (pair[1] - pair[0] - 112.0).abs() < 1e-9), "{means:?}");
    }

    #[test]
    fn many_equal_samples_fill_batches_as_single_ones_do() {
        let (mut one_by_one, mut at_once) = (Batches::new(), Batches::new());
        for (value, count) in [(3, 5), (7, 700), (1, 2), (9, 1_300)] {
            (0..count).for_each(|_| one_by_one.add(value));
            at_once.add_many(value, count);
        }
        assert_eq!(one_by_one, at_once);
    }

    #[test]
    fn fewer_samples_than_parts_have_no_means() {
        let mut batches = Batches::new();
        (0..7).for_each(|value| batches.add(value));
        assert_eq!(batches.means(8), None);
    }
}
