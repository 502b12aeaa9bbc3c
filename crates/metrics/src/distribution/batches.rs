//! Sums of consecutive samples, which show the correlation time of a run.

/// At this many batches neighbours are joined: half as many remain, each twice as long.
const MOST: usize = 64;

/// Sums of up to 63 batches of equal length, in order of recording, in picoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Batches {
    /// Samples of a batch, a power of two; 0 after an interruption.
    pub(super) length: u64,
    /// Complete batches.
    pub(super) sums: Vec<u128>,
    /// Number of samples recorded when the batch being filled will be complete; never after an interruption.
    complete_at: u64,
    /// Sum of the samples recorded before the batch being filled.
    before: u128,
}

impl Batches {
    /// No batch yet.
    pub(super) fn new() -> Self {
        Batches::stored(1, Vec::new(), 0, 0)
    }

    /// No batches, nor any to come: samples of another source were merged in.
    pub(super) fn interrupted() -> Self {
        Batches { length: 0, sums: Vec::new(), complete_at: u64::MAX, before: 0 }
    }

    /// Whether the samples are of one source, in order of recording.
    pub(super) fn are_continuous(&self) -> bool {
        self.length > 0
    }

    /// Batches as they were stored; the next one begins after `count` samples with this `sum`.
    pub(super) fn stored(length: u64, sums: Vec<u128>, count: u64, sum: u128) -> Self {
        Batches { length, sums, complete_at: count + length, before: sum }
    }

    /// Whether the batch being filled is complete after `count` samples.
    #[inline]
    pub(super) fn is_complete(&self, count: u64) -> bool {
        count == self.complete_at
    }

    /// Whether the batch being filled is complete after `count` samples or fewer.
    #[inline]
    pub(super) fn is_complete_within(&self, count: u64) -> bool {
        self.complete_at <= count
    }

    /// Samples of the same value were recorded: `count` samples have this `sum`.
    pub(super) fn recorded_many(&mut self, value: u64, count: u64, sum: u128) {
        while self.complete_at <= count {
            self.complete(sum - u128::from(value) * u128::from(count - self.complete_at));
        }
    }

    /// Ends the batch being filled; all samples so far have this `sum`.
    pub(super) fn complete(&mut self, sum: u128) {
        self.sums.push(sum - self.before);
        self.before = sum;
        if self.sums.len() == MOST {
            for batch in 0..MOST / 2 {
                self.sums[batch] = self.sums[2 * batch] + self.sums[2 * batch + 1];
            }
            self.sums.truncate(MOST / 2);
            self.length *= 2;
        }
        self.complete_at += self.length;
    }

    /// Sums of `parts` consecutive parts of all samples, in picoseconds, with their numbers of samples, the batch being filled
    /// included; `None` of fewer batches than parts. All `count` samples have this `sum`.
    pub(super) fn all(&self, parts: usize, count: u64, sum: u128) -> Option<Vec<(u128, u64)>> {
        if self.sums.len() < parts || !self.are_continuous() {
            return None;
        }
        let rest = (sum - self.before, count - (self.complete_at - self.length));
        let all: Vec<(u128, u64)> = self.sums.iter().map(|sum| (*sum, self.length)).chain([rest]).collect();
        let end = |part: usize| all.len() * part / parts;
        let of = |part: usize| {
            all[end(part)..end(part + 1)].iter().fold((0, 0), |(sum, count), of| (sum + of.0, count + of.1))
        };
        Some((0..parts).map(of).collect())
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

    /// Batches of runs of equal samples, given as value and number, each run recorded by `record`.
    fn of(runs: &[(u64, u64)], record: impl Fn(&mut Batches, u64, u64, u128)) -> Batches {
        let (mut batches, mut count, mut sum) = (Batches::new(), 0, 0);
        for &(value, number) in runs {
            count += number;
            sum += u128::from(value * number);
            record(&mut batches, value, count, sum);
        }
        batches
    }

    fn one_by_one(values: impl Iterator<Item = u64>) -> Batches {
        let runs: Vec<_> = values.map(|value| (value, 1)).collect();
        of(&runs, |batches, _, count, sum| {
            if batches.is_complete(count) {
                batches.complete(sum);
            }
        })
    }

    #[test]
    fn parts_hold_consecutive_samples_whatever_their_number() {
        let (means, samples) = one_by_one(0..1_000).means(8).unwrap();
        assert_eq!(samples, 16 * 7, "62 batches of 16 samples, seven in each part");
        assert!(means.windows(2).all(|pair| (pair[1] - pair[0] - 112.0).abs() < 1e-9), "{means:?}");
    }

    #[test]
    fn all_samples_are_in_parts_those_of_the_batch_being_filled_too() {
        let parts = one_by_one(0..1_001).all(8, 1_001, 1_000 * 1_001 / 2).unwrap();
        assert_eq!(parts.iter().map(|(_, count)| count).sum::<u64>(), 1_001);
        assert_eq!(parts.iter().map(|(sum, _)| sum).sum::<u128>(), 1_000 * 1_001 / 2);
        assert_eq!(parts[7].1, 7 * 16 + 9, "62 batches of 16, and 9 samples");
        assert_eq!(one_by_one(0..7).all(8, 7, 21), None);
    }

    #[test]
    fn many_equal_samples_fill_batches_as_single_ones_do() {
        let runs = [(3, 5), (7, 700), (1, 2), (9, 1_300)];
        let singly = one_by_one(runs.iter().flat_map(|&(value, number)| (0..number).map(move |_| value)));
        assert_eq!(singly, of(&runs, Batches::recorded_many));
    }

    #[test]
    fn fewer_samples_than_parts_have_no_means() {
        assert_eq!(one_by_one(0..7).means(8), None);
    }
}
