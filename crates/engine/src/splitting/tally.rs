//! Weighted sums over the paths of a replication, and how often paths reach each importance.

use std::collections::BTreeMap;

/// What the paths of one replication add up to. Times are in seconds; weighted unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Paths that the event occurred on, each counted once; without those that it had begun on in the warm-up.
    pub occurrences: f64,
    /// Paths that the event had begun on when their warm-up ended.
    pub begun_in: f64,
    /// Time before the first occurrence.
    pub exposure: f64,
    /// Time during which the event lasts.
    pub lasting: f64,
    /// Time simulated, not weighted, the warm-up included.
    pub simulated: f64,
    /// Events handled, not weighted, the warm-up included.
    pub events: u64,
    /// About how many events take as long as to make a copy.
    pub cost_of_copy: u64,
    /// By level, from 0 (below all thresholds).
    pub levels: Vec<LevelTally>,
    /// Time by importance, if kept; importance of more than 8 bits rounded down to its 8 leading bits.
    pub course: BTreeMap<u64, Visits>,
}

/// Counts of a level, not weighted but for its time; effort and rises into it from the warm-up included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LevelTally {
    /// How often a path rose into it.
    pub entered: u64,
    /// How often one did after its warm-up, for the first time since it, or the path it is a copy of, was below all thresholds; a path
    /// that was in it or above when its warm-up ended counts by its weight, as a share of that of a path that rises into it.
    pub reached: f64,
    /// First occurrences on paths that were in it.
    pub occurrences: u64,
    /// Events handled in it.
    pub events: u64,
    /// Time in it.
    pub time: f64,
}

/// How much was seen of an importance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Visits {
    /// How often a path came to it, not weighted.
    pub count: u64,
    /// Time at it, weighted.
    pub time: f64,
    /// How often a path rose to it or above from below, weighted.
    pub rises: f64,
}

impl Tally {
    /// A path has stayed at an importance.
    pub(super) fn stay(&mut self, importance: u64, time: f64) {
        let visits = self.course.entry(rounded(importance)).or_default();
        visits.count += 1;
        visits.time += time;
    }

    /// A path has risen from one importance to another: it has to each between.
    pub(super) fn rise(&mut self, before: u64, importance: u64, weight: f64) {
        let mut at = rounded(before);
        while at < rounded(importance) {
            at = next_rounded(at);
            self.course.entry(at).or_default().rises += weight;
        }
    }
}

/// A number with its 8 leading bits.
fn rounded(importance: u64) -> u64 {
    let beyond = (u64::BITS - importance.leading_zeros()).saturating_sub(8);
    importance >> beyond << beyond
}

/// The next number that has no more than 8 leading bits.
fn next_rounded(rounded: u64) -> u64 {
    let beyond = (u64::BITS - rounded.leading_zeros()).saturating_sub(8);
    rounded + (1 << beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn importance_keeps_its_leading_bits() {
        assert_eq!([0, 7, 255, 256, 257, 1023].map(rounded), [0, 7, 255, 256, 256, 1020]);
    }
}
