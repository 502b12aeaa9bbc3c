//! The stopping rule: how many replications a point needs.
//!
//! The rule is a pure function of the replications so far, in their order, and is evaluated only at geometrically
//! spaced checkpoints. Its decision does not depend on the number of threads or on which replication ended first.
//!
//! A sequential rule tends to stop when the interval happens to be narrow: at a nominal confidence of 95 %, coverage
//! is a few percentage points lower if it stops at the first checkpoint. A minimum of ten replications and a small
//! number of checkpoints limit this bias (Law, Simulation Modeling and Analysis, section 9.4.1).

use sojourn_metrics::merge::merge_metric;
use sojourn_metrics::record::Record;

mod rate;

pub use rate::{FEWEST_WITH_OCCURRENCE, Passage, Rate, RateSoFar};

/// First checkpoint, replications: the rule does not stop on an interval of fewer.
pub const FIRST_CHECKPOINT: u32 = 10;

/// Replications at which a rule ends that is not satisfied before.
pub const MOST_REPLICATIONS: u32 = 1000;

/// When a point has enough replications.
#[derive(Clone, Debug, PartialEq)]
pub enum StoppingRule {
    /// After this number of replications.
    Fixed(u32),
    /// When the confidence interval is narrow enough, or at the maximum number of replications.
    Precision(Precision),
    /// When the rate of a rare event is known well enough, or at the maximum number of replications.
    Rate(Rate),
}

/// A target for the half-width of a 95 % interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Precision {
    /// The metric, as `"response_time"` or `"response_time/alarm"`.
    pub metric: String,
    /// Its field: `mean`, `p50`, `p90`, `p95`, `p99` or `p999` of a distribution, `value`, or `mean` of a level.
    pub field: String,
    /// Target of the half-width divided by the value, above 0; 0.02 is 2 %.
    pub target: f64,
    /// Maximum number of replications.
    pub cap: u32,
}

/// What to do next with a point.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Run replications up to this number, then evaluate the rule again.
    RunUntil(u32),
    /// The point has enough replications.
    Enough {
        /// Half-width divided by the value; `None` for a fixed number of replications.
        reached: Option<f64>,
    },
    /// The maximum number of replications is reached, and the target is not.
    CapReached {
        /// Half-width divided by the value; `None` if there is no interval, or the value is 0.
        reached: Option<f64>,
    },
}

impl StoppingRule {
    /// Decides what to do after these replications, in their order.
    pub fn next(&self, records: &[Record]) -> Decision {
        let done = u32::try_from(records.len()).expect("fewer than 2^32 replications");
        match self {
            StoppingRule::Fixed(wanted) if done < *wanted => Decision::RunUntil(*wanted),
            StoppingRule::Fixed(_) => Decision::Enough { reached: None },
            StoppingRule::Precision(precision) => {
                next(done, precision.cap, || Reached::within(precision.target, precision.reached(records)))
            }
            StoppingRule::Rate(rate) => next(done, rate.cap, || {
                let reached = Reached::within(rate.target, rate.reached(records));
                Reached { is_enough: reached.is_enough || rate.is_decided(records), ..reached }
            }),
        }
    }

    /// The rate of a rare event by the replications so far; `None` of a rule that is not about one.
    pub fn rate_so_far(&self, records: &[Record]) -> Option<RateSoFar> {
        match self {
            StoppingRule::Rate(rate) => Some(rate.so_far(records)),
            StoppingRule::Fixed(_) | StoppingRule::Precision(_) => None,
        }
    }
}

/// What a checkpoint shows.
struct Reached {
    /// Half-width divided by the value; `None` if there is no interval, or the value is 0.
    width: Option<f64>,
    is_enough: bool,
}

impl Reached {
    fn within(target: f64, width: Option<f64>) -> Reached {
        Reached { width, is_enough: width.is_some_and(|width| width <= target) }
    }
}

impl Precision {
    /// Half-width divided by the value; `None` without an interval, or if the value is 0 and the width is not.
    pub fn reached(&self, records: &[Record]) -> Option<f64> {
        let metric = merge_metric(&self.metric, records)?;
        let (value, (low, high)) = (metric.field(&self.field)?, metric.interval(&self.field)?);
        // an interval without an upper end is never narrow enough
        let half_width = 0.5 * (high? - low);
        if half_width == 0.0 {
            return Some(0.0);
        }
        (value != 0.0).then(|| half_width / value.abs())
    }
}

/// What to do after `done` replications, at a checkpoint by what they have reached.
fn next(done: u32, cap: u32, reached: impl Fn() -> Reached) -> Decision {
    let checkpoint = checkpoint_at_or_after(done, cap);
    if done < checkpoint {
        return Decision::RunUntil(checkpoint);
    }
    let Reached { width: reached, is_enough } = reached();
    match () {
        () if is_enough => Decision::Enough { reached },
        () if done >= cap => Decision::CapReached { reached },
        () => Decision::RunUntil(checkpoint_at_or_after(done + 1, cap)),
    }
}

/// The checkpoints 10, 15, 23, 35, ..., each 1.5 times the one before, limited to `cap`.
fn checkpoint_at_or_after(done: u32, cap: u32) -> u32 {
    let mut checkpoint = FIRST_CHECKPOINT;
    while checkpoint < done {
        checkpoint = half_as_many_again(checkpoint);
    }
    checkpoint.min(cap.max(done))
}

/// The replications at which a rule looks next: few looks err less often.
pub fn half_as_many_again(replications: u32) -> u32 {
    replications.saturating_add(replications.div_ceil(2))
}

/// Number of checkpoints up to `cap`.
fn checkpoints(cap: u32) -> u32 {
    let (mut count, mut checkpoint) = (1, checkpoint_at_or_after(0, cap));
    while checkpoint < cap {
        checkpoint = checkpoint_at_or_after(checkpoint + 1, cap);
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(values: impl IntoIterator<Item = f64>) -> Vec<Record> {
        let record = |value| {
            let mut record = Record::default();
            record.scalar("utilisation", value);
            record
        };
        values.into_iter().map(record).collect()
    }

    fn rule(target: f64, cap: u32) -> StoppingRule {
        let (metric, field) = ("utilisation".to_owned(), "value".to_owned());
        StoppingRule::Precision(Precision { metric, field, target, cap })
    }

    fn noisy(n: usize) -> Vec<Record> {
        records((0..n).map(|i| if i % 2 == 0 { 0.4 } else { 0.6 }))
    }

    #[test]
    fn a_fixed_number_is_run_whole() {
        assert_eq!(StoppingRule::Fixed(5).next(&[]), Decision::RunUntil(5));
        assert_eq!(StoppingRule::Fixed(5).next(&noisy(5)), Decision::Enough { reached: None });
    }

    #[test]
    fn no_fewer_than_ten_replications_are_trusted() {
        assert_eq!(rule(0.5, 100).next(&records([0.5, 0.5])), Decision::RunUntil(10));
        assert_eq!(rule(0.5, 100).next(&records([0.5; 10])), Decision::Enough { reached: Some(0.0) });
    }

    #[test]
    fn a_wide_interval_asks_for_half_as_many_again() {
        assert_eq!(rule(0.01, 1000).next(&noisy(10)), Decision::RunUntil(15));
        assert_eq!(rule(0.01, 1000).next(&noisy(15)), Decision::RunUntil(23));
        // between checkpoints the interval is not looked at
        assert_eq!(rule(9.0, 1000).next(&noisy(12)), Decision::RunUntil(15));
    }

    #[test]
    fn a_narrow_interval_is_enough_and_reports_its_width() {
        let Decision::Enough { reached: Some(width) } = rule(0.2, 1000).next(&noisy(10)) else { panic!("enough") };
        // s = 0.1054, t(9) = 2.262: 2.262 · 0.1054 / √10 / 0.5
        assert!((width - 0.1508).abs() < 1e-4, "{width}");
    }

    #[test]
    fn the_cap_ends_it_and_says_so() {
        assert_eq!(rule(0.001, 12).next(&noisy(10)), Decision::RunUntil(12));
        assert!(matches!(rule(0.001, 12).next(&noisy(12)), Decision::CapReached { reached: Some(_) }));
        assert_eq!(rule(0.001, 4).next(&[]), Decision::RunUntil(4));
    }

    #[test]
    fn checkpoints_are_counted_up_to_the_cap() {
        // 10, 15, 23, 35, 53, 80, 120, 180, 270, 405, 608, 912, 1000
        assert_eq!([1, 10, 11, 15, 16, 1000].map(checkpoints), [1, 1, 2, 2, 3, 13]);
    }

    #[test]
    fn a_metric_without_an_interval_runs_to_the_cap() {
        let unknown = Precision { metric: "loss".into(), field: "value".into(), target: 0.1, cap: 10 };
        let rule = StoppingRule::Precision(unknown);
        assert_eq!(rule.next(&noisy(10)), Decision::CapReached { reached: None });
    }
}
