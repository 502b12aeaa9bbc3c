//! A shard: one of several equal parts of a plan's replications, computed separately from the others.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sojourn_engine::stopping::StoppingRule;
use sojourn_experiment::rounds::{Part, PointSpec};

/// More parts than any batch system has array jobs.
const MOST_SHARDS: u32 = 1_000_000;

/// Which part, as `3/64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    number: u32,
    of: u32,
}

impl Shard {
    /// The points of which a part belongs to the shard, each with that part, by position.
    ///
    /// The replications of all points in their order are cut into consecutive parts, so that few shards share a point
    /// and the pilot runs of its warm-up.
    pub fn share(self, work: &[PointSpec]) -> Vec<(usize, PointSpec)> {
        let counts: Vec<u64> = work.iter().map(|point| u64::from(replications(&point.rule))).collect();
        let total: u64 = counts.iter().sum();
        let end = |number: u32| (u128::from(total) * u128::from(number) / u128::from(self.of)) as u64;
        let (first, end) = (end(self.number - 1), end(self.number));
        let mut before = 0;
        let mut shared = Vec::new();
        for (position, (point, count)) in work.iter().zip(counts).enumerate() {
            let within = |bound: u64| (bound.clamp(before, before + count) - before) as u32;
            let part = within(first)..within(end);
            if !part.is_empty() {
                let part = Some(Part { replications: part, is_continued: false });
                shared.push((position, PointSpec { part, ..point.clone() }));
            }
            before += count;
        }
        shared
    }
}

fn replications(rule: &StoppingRule) -> u32 {
    match rule {
        StoppingRule::Fixed(count) => *count,
        StoppingRule::Precision(_) | StoppingRule::Rate(_) => unreachable!("a request for a shard has no precision"),
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let wrong = || format!("--shard {text}: write NUMBER/OF, from 1/64 to 64/64");
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let (number, of) = (number.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        let valid = (1..=of).contains(&number) && of <= MOST_SHARDS;
        valid.then_some(Shard { number, of }).ok_or_else(wrong)
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sojourn_core::Duration;
    use sojourn_metrics::record::Record;
    use sojourn_model::{Model, Replication};

    use super::*;

    struct Nothing;

    impl Model for Nothing {
        fn replicate(&self, _: Replication<'_>) -> Record {
            Record::default()
        }
    }

    fn point(replications: u32) -> PointSpec {
        PointSpec {
            model: Arc::new(Nothing),
            scenario: String::new(),
            seed: 1,
            duration: Duration::ZERO,
            warm_up: None,
            rule: StoppingRule::Fixed(replications),
            probe: String::new(),
            control_variates: false,
            deciding: None,
            beginning: None,
            part: None,
        }
    }

    #[test]
    fn every_replication_is_in_exactly_one_shard_and_shards_differ_by_one_at_most() {
        let work = [point(10), point(1), point(7), point(30)];
        for of in [1, 2, 3, 7, 48, 64] {
            let mut seen = vec![Vec::new(); work.len()];
            let mut sizes = Vec::new();
            for number in 1..=of {
                let shared = Shard { number, of }.share(&work);
                sizes.push(
                    shared.iter().map(|(_, point)| point.part.clone().unwrap().replications.len()).sum::<usize>(),
                );
                for (position, point) in shared {
                    seen[position].extend(point.part.unwrap().replications);
                }
            }
            let all: Vec<Vec<u32>> = [10, 1, 7, 30].map(|count| (0..count).collect()).to_vec();
            assert_eq!(seen, all, "{of} shards");
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
    }

    #[test]
    fn a_shard_reads_as_it_is_written_and_others_are_refused() {
        assert_eq!("3/64".parse::<Shard>().unwrap().to_string(), "3/64");
        for text in ["", "3", "0/4", "5/4", "-1/4", "1/0", "a/b", "1/2/3", "1/1000001"] {
            assert!(text.parse::<Shard>().unwrap_err().contains("NUMBER/OF"), "{text}");
        }
    }
}
