//! A uniform sample of a stream of values in bounded memory.

/// Values kept of a stream of any length, each with the same probability (algorithm R of Vitter, 1985).
///
/// The draws are derived from the number of values seen: the same stream leaves the same sample.
#[derive(Clone, Debug)]
pub struct Reservoir {
    values: Vec<f64>,
    limit: usize,
    seen: u64,
}

impl Reservoir {
    /// A sample of at most `limit` values.
    pub const fn new(limit: usize) -> Self {
        Reservoir { values: Vec::new(), limit, seen: 0 }
    }

    /// Takes the next value of the stream.
    pub fn push(&mut self, value: f64) {
        self.seen += 1;
        if self.values.len() < self.limit {
            self.values.push(value);
            return;
        }
        let place = ((u128::from(mixed(self.seen)) * u128::from(self.seen)) >> 64) as usize;
        if let Some(kept) = self.values.get_mut(place) {
            *kept = value;
        }
    }

    /// Takes the sample of another stream, in proportion to the lengths of both streams.
    pub fn merge(&mut self, other: &Reservoir) {
        let seen = self.seen + other.seen;
        if seen as usize <= self.limit {
            self.values.extend_from_slice(&other.values);
            self.seen = seen;
            return;
        }
        let share = self.limit.min(self.values.len() + other.values.len());
        let of_other = (share as u128 * u128::from(other.seen) / u128::from(seen)) as usize;
        let of_other = of_other.min(other.values.len());
        let own = (share - of_other).min(self.values.len());
        self.values = thinned(&self.values, own).chain(thinned(&other.values, of_other)).collect();
        self.seen = seen;
    }

    /// The values kept, in no order that means anything once values were dropped.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of values of the stream, kept or not.
    pub const fn seen(&self) -> u64 {
        self.seen
    }
}

/// `count` of the values, evenly spaced.
fn thinned(values: &[f64], count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(move |place| values[place * values.len() / count])
}

/// The mixer of SplitMix64 (Steele, Lea and Flood, 2014).
const fn mixed(number: u64) -> u64 {
    let mut word = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_a_long_stream_is_bounded_and_has_the_mean_of_the_stream() {
        let mut sample = Reservoir::new(1000);
        (0..100_000).for_each(|n| sample.push(f64::from(n)));
        let mean = sample.values().iter().sum::<f64>() / 1000.0;
        assert_eq!((sample.values().len(), sample.seen()), (1000, 100_000));
        // the standard error of the mean of 1000 uniform values of that range is 913
        assert!((mean - 50_000.0).abs() < 3.0 * 913.0, "{mean}");
    }

    #[test]
    fn merged_samples_have_the_shares_of_their_streams() {
        let (mut ones, mut twos) = (Reservoir::new(100), Reservoir::new(100));
        (0..3000).for_each(|_| ones.push(1.0));
        (0..1000).for_each(|_| twos.push(2.0));
        ones.merge(&twos);
        let of_two = ones.values().iter().filter(|&&value| value > 1.5).count();
        assert_eq!((ones.values().len(), of_two, ones.seen()), (100, 25, 4000));
    }

    #[test]
    fn short_streams_merge_without_loss() {
        let (mut first, mut second) = (Reservoir::new(10), Reservoir::new(10));
        (0..4).for_each(|n| first.push(f64::from(n)));
        (4..9).for_each(|n| second.push(f64::from(n)));
        first.merge(&second);
        assert_eq!(first.values(), (0..9).map(f64::from).collect::<Vec<_>>());
    }
}
