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

/// What paths add up to in whole numbers, which have the same sum in any order: of the threads that share a replication,
/// and of those of their paths.
#[derive(Default)]
pub(super) struct Sums {
    /// Picoseconds simulated.
    pub simulated: u128,
    pub events: u64,
    /// By level.
    pub levels: Vec<LevelSums>,
    /// By importance and level.
    course: BTreeMap<(u64, usize), Stay>,
}

/// The part of a level. Times are in picoseconds.
#[derive(Clone, Copy, Default)]
pub(super) struct LevelSums {
    pub entered: u64,
    /// Observed paths that rose into it for the first time.
    pub reached: u64,
    /// Paths that were in it when their observation began, without those that the event had begun on.
    pub observed: u64,
    pub begun_in: u64,
    pub occurrences: u64,
    pub events: u64,
    pub time: u128,
    pub exposure: u128,
    pub lasting: u128,
}

#[derive(Clone, Copy, Default)]
struct Stay {
    count: u64,
    time: u128,
    rises: u64,
}

impl Sums {
    pub fn of_levels(levels: usize) -> Self {
        Sums { levels: vec![LevelSums::default(); levels], ..Sums::default() }
    }

    /// A path has stayed at an importance for a time in picoseconds.
    pub fn stay(&mut self, importance: u64, level: usize, time: u64) {
        let stay = self.course.entry((rounded(importance), level)).or_default();
        stay.count += 1;
        stay.time += u128::from(time);
    }

    /// A path has risen from one importance to another: it has to each between.
    pub fn rise(&mut self, before: u64, importance: u64, level: usize) {
        let mut at = rounded(before);
        while at < rounded(importance) {
            at = next_rounded(at);
            self.course.entry((at, level)).or_default().rises += 1;
        }
    }

    /// Adds what another thread has summed.
    pub fn add(&mut self, other: &Sums) {
        self.simulated += other.simulated;
        self.events += other.events;
        for (level, other) in self.levels.iter_mut().zip(&other.levels) {
            level.entered += other.entered;
            level.reached += other.reached;
            level.observed += other.observed;
            level.begun_in += other.begun_in;
            level.occurrences += other.occurrences;
            level.events += other.events;
            level.time += other.time;
            level.exposure += other.exposure;
            level.lasting += other.lasting;
        }
        for (&at, other) in &other.course {
            let stay = self.course.entry(at).or_default();
            stay.count += other.count;
            stay.time += other.time;
            stay.rises += other.rises;
        }
    }

    /// The tally of paths whose weights by level are these.
    pub fn weighted(&self, weights: &[f64]) -> Tally {
        let sum = |part: fn(&LevelSums) -> f64| {
            self.levels.iter().zip(weights).map(|(level, weight)| weight * part(level)).sum()
        };
        let mut course: BTreeMap<u64, Visits> = BTreeMap::new();
        for (&(importance, level), stay) in &self.course {
            let visits = course.entry(importance).or_default();
            visits.count += stay.count;
            visits.time += weights[level] * seconds(stay.time);
            visits.rises += weights[level] * stay.rises as f64;
        }
        Tally {
            occurrences: sum(|level| level.occurrences as f64),
            begun_in: sum(|level| level.begun_in as f64),
            exposure: sum(|level| seconds(level.exposure)),
            lasting: sum(|level| seconds(level.lasting)),
            simulated: seconds(self.simulated),
            events: self.events,
            cost_of_copy: 0,
            levels: (0..self.levels.len()).map(|level| self.level(level, weights)).collect(),
            course,
        }
    }

    fn level(&self, number: usize, weights: &[f64]) -> LevelTally {
        let level = &self.levels[number];
        let mut reached = level.reached as f64;
        if number > 0 {
            // every path to the event comes by each level, or is beyond it from the beginning
            let beyond = self.levels.iter().zip(weights).skip(number);
            reached += beyond.map(|(level, weight)| level.observed as f64 * weight / weights[number - 1]).sum::<f64>();
        }
        LevelTally {
            entered: level.entered,
            reached,
            occurrences: level.occurrences,
            events: level.events,
            time: weights[number] * seconds(level.time),
        }
    }
}

fn seconds(picoseconds: u128) -> f64 {
    picoseconds as f64 / 1e12
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
