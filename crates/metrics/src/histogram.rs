//! Histograms of distributions: bins of equal width, of equal ratio, or log-linear bins that all histograms share.

use std::collections::BTreeMap;

use sojourn_core::Duration;

use crate::distribution::Distribution;

/// One bin of a histogram, in picoseconds: `from <= value < to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// Lower edge, ps, included.
    pub from: u64,
    /// Upper edge, ps, excluded.
    pub to: u64,
    /// Number of samples between the edges.
    pub count: u64,
}

/// Bins of `width` from the one that holds the minimum to the one that holds the maximum, empty ones included.
///
/// Panics when `width` is zero. A width of more than a million bins between them is widened to that number.
pub fn linear(distribution: &Distribution, width: Duration) -> Vec<Bin> {
    const MOST_BINS: u64 = 1_000_000;
    let (Some(min), Some(max)) = (distribution.min(), distribution.max()) else { return Vec::new() };
    let width = width.picoseconds().max((max.picoseconds() - min.picoseconds()) / MOST_BINS);
    let first = min.picoseconds() / width;
    let last = max.picoseconds() / width;
    let edge = |index: u64| index.saturating_mul(width);
    let mut bins: Vec<Bin> =
        (first..=last).map(|index| Bin { from: edge(index), to: edge(index + 1), count: 0 }).collect();
    for (value, count) in distribution.weighted_values() {
        bins[(value / width - first) as usize].count += count;
    }
    bins
}

/// Bins of equal ratio `10^(1/per_decade)`, over the range of the samples.
///
/// Samples below a nanosecond fall into the first bin. Panics when `per_decade` is zero.
pub fn logarithmic(distribution: &Distribution, per_decade: u32) -> Vec<Bin> {
    assert!(per_decade > 0, "a logarithmic histogram needs bins in a decade");
    const FIRST_EDGE: f64 = 1_000.0;
    let (Some(min), Some(max)) = (distribution.min(), distribution.max()) else { return Vec::new() };
    let edge = |index: i64| libm::round(FIRST_EDGE * libm::exp10(index as f64 / f64::from(per_decade))) as u64;
    let index = |value: u64| {
        let estimate = libm::floor(libm::log10(value.max(1_000) as f64 / FIRST_EDGE) * f64::from(per_decade)) as i64;
        // rounding of the logarithm may land one bin off
        (estimate - 1..=estimate + 1).rev().find(|&i| edge(i) <= value).unwrap_or(0).max(0)
    };
    let (first, last) = (index(min.picoseconds()), index(max.picoseconds()));
    let mut bins: Vec<Bin> = (first..=last).map(|i| Bin { from: edge(i), to: edge(i + 1), count: 0 }).collect();
    for (value, count) in distribution.weighted_values() {
        bins[(index(value) - first) as usize].count += count;
    }
    bins
}

/// Log-linear bins in nanoseconds, as pairs of bin and count in ascending order, without empty ones.
///
/// Bins below 128 are 1 ns wide; from there each octave has 64 bins of equal width, so that a bin is at most 1/64 of its
/// value wide. All histograms have the same edges: they merge by adding counts. Fractions of a nanosecond are cut off.
pub fn log_linear(durations: &[Duration]) -> Vec<(u32, u64)> {
    let mut bins = BTreeMap::new();
    for duration in durations {
        *bins.entry(log_linear_bin(duration.picoseconds() / 1000)).or_insert(0) += 1;
    }
    bins.into_iter().collect()
}

/// The bin of `ns`: the six bits below its leading one, and its octave.
fn log_linear_bin(ns: u64) -> u32 {
    let octave = ns.max(64).ilog2() - 6;
    64 * octave + (ns >> octave) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_linear_bins_follow_each_other_and_are_at_most_a_64th_of_their_value_wide() {
        assert_eq!([0, 63, 64, 127, 128, 129, 130].map(log_linear_bin), [0, 63, 64, 127, 128, 128, 129]);
        for octave in 7..63 {
            let edge = 1_u64 << octave;
            assert_eq!(log_linear_bin(edge), log_linear_bin(edge - 1) + 1);
            assert_eq!(log_linear_bin(edge), log_linear_bin(edge + edge / 64 - 1));
            assert_eq!(log_linear_bin(edge + edge / 64), log_linear_bin(edge) + 1);
        }
        let found = log_linear(&[200, 100, 200].map(|ns| Duration::from_picoseconds(ns * 1000 + 999)));
        assert_eq!(found, [(100, 1), (164, 2)]);
    }

    fn of_micros(values: &[u64]) -> Distribution {
        let mut distribution = Distribution::new();
        values.iter().for_each(|&n| distribution.record(Duration::from_micros(n)));
        distribution
    }

    #[test]
    fn equal_bins_count_every_sample_once_and_include_empty_ones() {
        let bins = linear(&of_micros(&[1, 2, 9, 10, 31]), Duration::from_micros(10));
        assert_eq!(bins.iter().map(|bin| bin.count).collect::<Vec<_>>(), [3, 1, 0, 1]);
        assert_eq!(bins[1].from, 10_000_000);
    }

    #[test]
    fn logarithmic_bins_hold_every_sample_within_their_edges() {
        let bins = logarithmic(&of_micros(&[1, 3, 10, 100, 999, 1000]), 2);
        assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 6);
        assert_eq!(bins[0], Bin { from: 1_000_000, to: 3_162_278, count: 2 });
        assert_eq!(bins.last().unwrap().from, 1_000_000_000);
        assert!(bins.windows(2).all(|pair| pair[0].to == pair[1].from));
    }

    #[test]
    fn an_empty_distribution_has_no_bins() {
        assert!(linear(&Distribution::new(), Duration::from_micros(1)).is_empty());
        assert!(logarithmic(&Distribution::new(), 10).is_empty());
    }
}
