//! Whether a metric meets an expectation, misses it, or is undecided within its interval.

use std::collections::BTreeMap;

use serde::Serialize;
use sojourn_metrics::results::Metric;
use sojourn_scenario::{Expectation, Relation};

/// A point judged by an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds, over the whole interval where there is one.
    Met,
    /// It does not hold, over the whole interval where there is one.
    Missed,
    /// The interval reaches over both sides.
    Undecided,
}

/// A verdict and what it stands on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// The field's value in SI units; null where the point has none, which meets nothing.
    pub value: Option<f64>,
    /// Its 95 % interval, where it has one.
    pub interval: Option<[f64; 2]>,
    /// Whether the value alone meets the expectation.
    pub holds: bool,
    /// Met, missed or undecided.
    pub verdict: Verdict,
}

/// Judges one expectation by the metrics of a point.
pub fn judge(expectation: &Expectation, metrics: &BTreeMap<String, Metric>) -> Judgement {
    let metric = metrics.get(&expectation.metric);
    let value = metric.and_then(|metric| metric.field(&expectation.field));
    let interval = metric.and_then(|metric| metric.interval(&expectation.field));
    let holds_at = |value| expectation.relation.holds(value, expectation.value);
    let holds = value.is_some_and(holds_at);
    // an equality is about a count, not about a mean within an interval
    let surrounding = interval.filter(|_| value.is_some() && expectation.relation != Relation::Equal);
    let decided = surrounding.is_none_or(|ends| ends.into_iter().all(|end| holds_at(end) == holds));
    let verdict = match (decided, holds) {
        (false, _) => Verdict::Undecided,
        (true, true) => Verdict::Met,
        (true, false) => Verdict::Missed,
    };
    Judgement { value, interval, holds, verdict }
}

/// Whether each replication by itself meets an expectation; `None` where the field is not kept by replication.
///
/// A single replication decides nothing about a total over all of them, unless the total is to be zero.
pub fn runs_that_hold(expectation: &Expectation, metrics: &BTreeMap<String, Metric>) -> Option<Vec<bool>> {
    let metric = metrics.get(&expectation.metric)?;
    let values = metric.by_replication().get(&expectation.field)?;
    let is_total = matches!(metric, Metric::Scalar(summary) if summary.value == values.iter().flatten().sum::<f64>());
    if is_total && expectation.value != 0.0 {
        return None;
    }
    let holds = |value: &Option<f64>| value.is_some_and(|value| expectation.relation.holds(value, expectation.value));
    Some(values.iter().map(holds).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_metrics::results::{DistributionSummary, ScalarSummary};

    fn metrics() -> BTreeMap<String, Metric> {
        let response_time = DistributionSummary {
            p99: Some(0.018),
            p99_ci95: Some([0.015, 0.021]),
            p50: Some(0.010),
            by_replication: BTreeMap::from([("p99".to_owned(), vec![Some(0.015), Some(0.021), None])]),
            ..DistributionSummary::default()
        };
        let failures = ScalarSummary {
            value: 1.0,
            ci95: Some([0.0, 3.3]),
            by_replication: BTreeMap::from([("value".to_owned(), vec![Some(0.0), Some(1.0), Some(0.0)])]),
            ..ScalarSummary::default()
        };
        BTreeMap::from([
            ("response_time".to_owned(), Metric::Distribution(response_time)),
            ("failures".to_owned(), Metric::Scalar(failures)),
        ])
    }

    fn verdict(text: &str) -> Verdict {
        judge(&Expectation::parse(text).unwrap(), &metrics()).verdict
    }

    #[test]
    fn a_limit_outside_the_interval_decides_and_one_inside_does_not() {
        assert_eq!(verdict("response_time.p99 < 22 ms"), Verdict::Met);
        assert_eq!(verdict("response_time.p99 < 20 ms"), Verdict::Undecided);
        assert_eq!(verdict("response_time.p99 < 14 ms"), Verdict::Missed);
        assert_eq!(verdict("response_time.p99 > 14 ms"), Verdict::Met);
    }

    #[test]
    fn a_value_without_interval_decides_by_itself() {
        assert_eq!(verdict("response_time.p50 <= 10 ms"), Verdict::Met);
        assert_eq!(verdict("response_time.p50 < 10 ms"), Verdict::Missed);
    }

    #[test]
    fn one_failure_misses_an_expected_none_though_the_interval_holds_none() {
        assert_eq!(verdict("failures = 0"), Verdict::Missed);
    }

    #[test]
    fn a_value_that_is_not_there_meets_nothing() {
        assert_eq!(verdict("response_time.p999 < 1 s"), Verdict::Missed);
        assert_eq!(verdict("transaction_time.p99 < 1 s"), Verdict::Missed);
    }

    fn runs(text: &str) -> Option<Vec<bool>> {
        runs_that_hold(&Expectation::parse(text).unwrap(), &metrics())
    }

    #[test]
    fn each_run_is_judged_by_its_own_value_and_one_without_meets_nothing() {
        assert_eq!(runs("response_time.p99 < 20 ms"), Some(vec![true, false, false]));
        assert_eq!(runs("failures = 0"), Some(vec![true, false, true]));
    }

    #[test]
    fn no_run_is_judged_by_a_total_or_by_a_field_that_runs_do_not_have() {
        assert_eq!(runs("failures < 2"), None);
        assert_eq!(runs("response_time.max < 1 s"), None);
    }
}
