//! The stopping rule for the rate of a rare event: precise enough, or decided against a goal.
//!
//! A search asks only whether a rate is below its goal, and checks at each checkpoint whether the replications so far
//! decide it. Repeated tests at 95 % err more often than 5 % in total, so the intervals of all checkpoints share the
//! 5 % equally (Bonferroni): with 95 % confidence none of them misses the rate, whichever checkpoint ends the search.
//!
//! Where the event occurred in too few replications for an interval of their mean, binomial limits bound the rate.
//! All paths to the event pass certain levels; replications that passed one without an occurrence are independent
//! trials, and the share of trials with an occurrence has exact (Clopper-Pearson) limits. Copies within a replication
//! are correlated, so they count as one trial; replications of unequal weight count as a smaller effective number of
//! trials (Kish, Survey Sampling, 1965).

use sojourn_metrics::exact;
use sojourn_metrics::interval::{self, CONFIDENCE, Interval};
use sojourn_metrics::record::{Observation, Record};

use super::checkpoints;

/// Replications in which the event must have occurred before the interval of its mean rate is trusted.
pub const FEWEST_WITH_OCCURRENCE: usize = 10;

/// A target for the half-width of the 95 % interval of a rate: the total of one metric divided by that of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Rate {
    /// The metric of occurrences.
    pub part: String,
    /// The metric of the time in which they can occur.
    pub whole: String,
    /// Target of the half-width divided by the rate, above 0.
    pub target: f64,
    /// Maximum number of replications.
    pub cap: u32,
    /// A goal: once the rate is known to be on one side of it, the interval is narrow enough.
    pub goal: Option<f64>,
    /// Whether replications are not split: then each occurrence is one of a Poisson process.
    pub is_crude: bool,
    /// Levels that every path to the event comes by.
    pub passages: Vec<Passage>,
}

/// A level that every path to a rare event comes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The metric of paths that came there.
    pub metric: String,
    /// Weight of such a path.
    pub weight: f64,
}

/// A rate by the replications so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateSoFar {
    /// The estimate; `None` where nothing occurred.
    pub rate: Option<f64>,
    /// Its interval.
    pub interval: Interval,
    /// Replications at which the rule is likely to end: intervals narrow with the square root of their number.
    pub expected: u32,
}

impl Rate {
    /// Half-width of the interval divided by the rate, in a search of the one that decides; `None` where the event occurred in too few
    /// replications for an interval.
    pub fn reached(&self, records: &[Record]) -> Option<f64> {
        let (parts, wholes) = (values(&self.part, records), values(&self.whole, records));
        if with_occurrence(&parts) < FEWEST_WITH_OCCURRENCE {
            return None;
        }
        interval::ratio_at(&parts, &wholes, self.confidence()).map(|(rate, [low, high])| 0.5 * (high - low) / rate)
    }

    /// Whether the rate is known to be on one side of the goal.
    pub fn is_decided(&self, records: &[Record]) -> bool {
        self.goal.is_some_and(|goal| {
            let [low, high] = self.interval(records, self.confidence());
            goal < low || high < goal
        })
    }

    /// Confidence of the interval at each look: in a search that of all looks together is 95 %.
    pub fn confidence(&self) -> f64 {
        let looks = self.goal.map_or(1, |_| checkpoints(self.cap).max(1));
        1.0 - (1.0 - CONFIDENCE) / f64::from(looks)
    }

    /// The interval of the rate; of few replications with an occurrence, what their number does not exclude.
    pub fn interval(&self, records: &[Record], confidence: f64) -> Interval {
        let (parts, wholes) = (values(&self.part, records), values(&self.whole, records));
        let occurred = with_occurrence(&parts);
        if occurred >= FEWEST_WITH_OCCURRENCE
            && let Some((_, interval)) = interval::ratio_at(&parts, &wholes, confidence)
        {
            return interval;
        }
        let (occurred, exposure) = (occurred as u64, wholes.iter().sum::<f64>());
        if exposure <= 0.0 {
            return [0.0, f64::INFINITY];
        }
        let tail = 0.5 * (1.0 - confidence);
        // the copies of a path are not independent of it: without them there were no more occurrences than replications with one
        let [low, high] = exact::count_at(occurred, tail).map(|count| count / exposure);
        let low = if self.is_crude { low } else { 0.0 };
        [low, self.by_passage(records, &wholes, occurred, tail).unwrap_or(high)]
    }

    /// What is known so far.
    pub fn so_far(&self, records: &[Record]) -> RateSoFar {
        let (parts, wholes) = (values(&self.part, records), values(&self.whole, records));
        let (occurred, exposure) = (parts.iter().sum::<f64>(), wholes.iter().sum::<f64>());
        let rate = (occurred > 0.0 && exposure > 0.0).then(|| occurred / exposure);
        let interval = self.interval(records, self.confidence());
        RateSoFar { rate, interval, expected: self.expected(records, rate.unwrap_or(0.0), interval) }
    }

    fn expected(&self, records: &[Record], rate: f64, [low, high]: Interval) -> u32 {
        let to_goal = self
            .goal
            .map(|goal| if goal < rate { (rate - low) / (rate - goal) } else { (high - rate) / (goal - rate) });
        let to_target = self.reached(records).map(|reached| reached / self.target);
        let narrower = [to_goal, to_target].into_iter().flatten().fold(f64::INFINITY, f64::min);
        let needed = records.len() as f64 * narrower * narrower;
        if needed < f64::from(self.cap) { needed.ceil() as u32 } else { self.cap }
    }

    /// The upper end by the passage that excludes most if nothing occurs, the start of a replication being the first; `None`
    /// where it is that one.
    fn by_passage(&self, records: &[Record], wholes: &[f64], occurred: u64, tail: f64) -> Option<f64> {
        let trials = |passage: &Passage| {
            let counts = values(&passage.metric, records);
            let (sum, squares) =
                counts.iter().fold((0.0, 0.0), |(sum, squares), count| (sum + count, squares + count * count));
            let came = counts.iter().filter(|count| **count > 0.0).count();
            let effective = if squares > 0.0 { sum * sum / squares } else { 0.0 };
            let weighted: Vec<f64> = counts.iter().map(|count| passage.weight * count).collect();
            (came >= FEWEST_WITH_OCCURRENCE).then_some((passage.weight * sum / effective, effective, weighted))
        };
        let best = self.passages.iter().filter_map(trials).min_by(|one, other| one.0.total_cmp(&other.0));
        let (_, effective, weighted) = best.filter(|(excluded, ..)| *excluded < 1.0)?;
        // half of what lies beyond is for the rate of passages, half for what comes of them
        let (_, [_, passing]) = interval::ratio_at(&weighted, wholes, 1.0 - tail)?;
        let [_, most] = exact::count_at(occurred, 0.5 * tail);
        Some(passing * (most / effective).min(1.0))
    }
}

fn with_occurrence(parts: &[f64]) -> usize {
    parts.iter().filter(|part| **part > 0.0).count()
}

/// A metric of each replication, 0 where it has none.
fn values(metric: &str, records: &[Record]) -> Vec<f64> {
    let value = |record: &Record| match record.metrics.get(metric) {
        Some(Observation::Scalar(value)) => *value,
        Some(Observation::Count(count)) => *count as f64,
        _ => 0.0,
    };
    records.iter().map(value).collect()
}

#[cfg(test)]
mod tests;
