//! Verdicts: whether a metric meets an expectation, misses it, or is undecided within its interval.

use std::collections::BTreeMap;

use serde::Serialize;
use sojourn_metrics::display::rounded;
use sojourn_metrics::interval::QuantileInterval;
use sojourn_metrics::results::{DistributionSummary, Metric};
use sojourn_scenario::{Expectation, Relation};

/// A point judged by an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It holds over the whole interval.
    Met,
    /// It does not hold anywhere in the interval.
    Missed,
    /// The interval reaches over both sides, or there is none.
    Undecided,
}

/// A verdict and what it stands on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judgement {
    /// The field's value in SI units; null where the point has none, or where it is a quantile that is not reached.
    pub value: Option<f64>,
    /// Its 95 % interval, where it has one; the upper end is null where the samples bear "at least" only.
    pub interval: Option<QuantileInterval>,
    /// Whether the value alone meets the expectation; a quantile that is not reached is longer than any limit.
    pub holds: bool,
    /// Met, missed or undecided.
    pub verdict: Verdict,
    /// Why there is no value: `not reached (2 % failed)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Judges one expectation by the metrics of a point.
///
/// Without an interval nothing is decided. Numbers that are not estimates are judged by themselves: how many samples there
/// are, an event that an equality excludes, the shortest and the longest recovery of the occurrences in the runs, and a
/// metric without observations, which meets nothing. After an occurrence without recovery no recovery is the longest.
pub fn judge(expectation: &Expectation, metrics: &BTreeMap<String, Metric>) -> Judgement {
    judge_wider(expectation, metrics, 1.0)
}

/// The same by an interval that is `times` as wide about its value.
pub fn judge_wider(expectation: &Expectation, metrics: &BTreeMap<String, Metric>, times: f64) -> Judgement {
    let metric = metrics.get(&expectation.metric);
    let without_recovery = metric.map_or(0.0, |metric| metric.field("never").unwrap_or(0.0));
    let never_ends = without_recovery > 0.0 && expectation.field == "max";
    let value = metric.and_then(|metric| metric.field(&expectation.field)).filter(|_| !never_ends);
    let interval = metric.and_then(|metric| metric.interval(&expectation.field));
    let interval = interval.map(|interval| value.map_or(interval, |value| widened(interval, value, times)));
    let holds_at = |value| expectation.relation.holds(value, expectation.value);
    let is_not_reached = never_ends || metric.is_some_and(|metric| metric.is_not_reached(&expectation.field));
    let holds = match value {
        Some(value) => holds_at(value),
        None => is_not_reached && holds_at(f64::INFINITY),
    };
    let over_interval = interval
        .is_some_and(|(low, high)| [low, high.unwrap_or(f64::INFINITY)].into_iter().all(|end| holds_at(end) == holds));
    let nothing_came_back = metric.and_then(|metric| metric.field("count")) == Some(0.0);
    let is_decided = match expectation.relation {
        _ if matches!(expectation.field.as_str(), "count" | "sent" | "never") => true,
        _ if matches!(expectation.field.as_str(), "min" | "max") && is_of_occurrences(metric) => true,
        _ if value.is_none() && (!is_not_reached || nothing_came_back) => true,
        // an equality is about a count, not about a mean within an interval
        Relation::Equal => interval.is_some() || !holds,
        _ => over_interval,
    };
    let verdict = match (is_decided, holds) {
        (false, _) => Verdict::Undecided,
        (true, true) => Verdict::Met,
        (true, false) => Verdict::Missed,
    };
    Judgement { value, interval, holds, verdict, reason: metric.and_then(|metric| reason(metric, &expectation.field)) }
}

/// An interval that is `times` as wide; one that has a single value has no width.
fn widened((low, high): QuantileInterval, value: f64, times: f64) -> QuantileInterval {
    let moved = |end: f64| if end == value { end } else { value + times * (end - value) };
    (moved(low), high.map(moved))
}

/// Whether the samples of a metric are all there are, the occurrences of an event in the runs.
fn is_of_occurrences(metric: Option<&Metric>) -> bool {
    metric.is_some_and(|metric| metric.field("never").is_some())
}

/// Why a field has no value: its metric does not apply, or requests failed.
fn reason(metric: &Metric, field: &str) -> Option<String> {
    if !metric.applies() {
        return Some("does not apply to this scenario".to_owned());
    }
    let Metric::Distribution(summary) = metric else { return None };
    let DistributionSummary { count, sent, never, .. } = *summary;
    if let (Some(never @ 1..), "max") = (never, field) {
        return Some(format!("no recovery from {never} of {sent}"));
    }
    if metric.field(field).is_some() || sent == 0 {
        return None;
    }
    if count == 0 {
        return Some(format!("0 of {sent} delivered"));
    }
    let failed = 100.0 * (sent - count) as f64 / sent as f64;
    metric.is_not_reached(field).then(|| format!("not reached ({} % failed)", rounded(failed, 2)))
}

/// Whether each replication by itself meets an expectation; `None` where the field is not kept by replication.
///
/// A single replication decides nothing about a total over all of them, unless the total is to be zero.
pub fn runs_that_hold(expectation: &Expectation, metrics: &BTreeMap<String, Metric>) -> Option<Vec<bool>> {
    let metric = metrics.get(&expectation.metric)?;
    let values = metric.by_replication().get(&expectation.field)?;
    let is_total = matches!(metric, Metric::Scalar(summary) if summary.value == Some(values.iter().flatten().sum()));
    if is_total && expectation.value != 0.0 {
        return None;
    }
    let holds = |value: &Option<f64>| value.is_some_and(|value| expectation.relation.holds(value, expectation.value));
    Some(values.iter().map(holds).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_metrics::results::ScalarSummary;

    fn metrics() -> BTreeMap<String, Metric> {
        let response_time = DistributionSummary {
            p99: Some(0.018),
            p99_ci95: Some((0.015, Some(0.021))),
            p95: Some(0.016),
            p95_ci95: Some((0.014, Some(0.019))),
            p90: Some(0.014),
            p90_ci95: Some((0.013, None)),
            p50: Some(0.010),
            sd: Some(0.002),
            by_replication: BTreeMap::from([("p99".to_owned(), vec![Some(0.015), Some(0.021), None])]),
            ..DistributionSummary::default()
        };
        let failures = ScalarSummary {
            value: Some(1.0),
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
        assert_eq!(verdict("response_time.p95 < 20 ms"), Verdict::Met);
        assert_eq!(verdict("response_time.p95 < 13 ms"), Verdict::Missed);
    }

    #[test]
    fn a_value_without_interval_decides_nothing() {
        assert_eq!(verdict("response_time.p50 <= 10 ms"), Verdict::Undecided);
        assert_eq!(verdict("response_time.p50 < 10 ms"), Verdict::Undecided);
        assert_eq!(verdict("response_time.sd < 1 s"), Verdict::Undecided);
    }

    #[test]
    fn an_interval_without_an_upper_end_decides_on_one_side_only() {
        assert_eq!(verdict("response_time.p90 < 12 ms"), Verdict::Missed);
        assert_eq!(verdict("response_time.p90 < 1 s"), Verdict::Undecided);
        assert_eq!(verdict("response_time.p90 > 12 ms"), Verdict::Met);
    }

    #[test]
    fn one_failure_misses_an_expected_none_though_the_interval_holds_none() {
        assert_eq!(verdict("failures = 0"), Verdict::Missed);
    }

    #[test]
    fn what_was_not_observed_meets_nothing() {
        assert_eq!(verdict("transaction_time.p99 < 1 s"), Verdict::Missed);
    }

    fn judged(text: &str, summary: DistributionSummary) -> Judgement {
        let metrics = BTreeMap::from([("response_time".to_owned(), Metric::Distribution(summary))]);
        judge(&Expectation::parse(text).unwrap(), &metrics)
    }

    fn lossy(interval: Option<QuantileInterval>) -> DistributionSummary {
        let not_reached = vec!["p99".to_owned(), "p999".to_owned()];
        DistributionSummary {
            count: 980,
            sent: 1000,
            not_reached,
            p99_ci95: interval,
            ..DistributionSummary::default()
        }
    }

    #[test]
    fn a_quantile_that_is_not_reached_misses_every_limit_below_its_interval() {
        let found = judged("response_time.p99 < 100 ms", lossy(Some((0.2, None))));
        assert_eq!((found.verdict, found.holds), (Verdict::Missed, false));
        assert_eq!(found.reason.as_deref(), Some("not reached (2 % failed)"));
        assert_eq!(judged("response_time.p99 > 100 ms", lossy(Some((0.2, None)))).verdict, Verdict::Met);
        assert_eq!(judged("response_time.p99 < 300 ms", lossy(Some((0.2, None)))).verdict, Verdict::Undecided);
        assert_eq!(judged("response_time.p99 < 300 ms", lossy(None)).verdict, Verdict::Undecided);
    }

    fn recovered(never: u64) -> DistributionSummary {
        let (max, sent, never) = (Some(10.5), 10, Some(never));
        DistributionSummary { count: 10 - never.unwrap_or(0), sent, never, max, ..Default::default() }
    }

    #[test]
    fn the_longest_recovery_of_the_runs_is_judged_as_it_was_observed() {
        assert_eq!(judged("response_time.max < 20 s", recovered(0)).verdict, Verdict::Met);
        assert_eq!(judged("response_time.max < 10 s", recovered(0)).verdict, Verdict::Missed);
        assert_eq!(judged("response_time.never = 0", recovered(0)).verdict, Verdict::Met);
        assert_eq!(judged("response_time.never = 0", recovered(1)).verdict, Verdict::Missed);
    }

    #[test]
    fn no_recovery_is_longer_than_any_limit() {
        let found = judged("response_time.max < 20 s", recovered(2));
        assert_eq!((found.verdict, found.value), (Verdict::Missed, None));
        assert_eq!(found.reason.as_deref(), Some("no recovery from 2 of 10"));
    }

    #[test]
    fn a_flow_that_delivered_nothing_misses_and_says_how_many_were_sent() {
        let nothing = DistributionSummary { sent: 257, not_reached: vec!["p99".to_owned()], ..Default::default() };
        let found = judged("response_time.p99 < 1 s", nothing);
        assert_eq!((found.verdict, found.reason.as_deref()), (Verdict::Missed, Some("0 of 257 delivered")));
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
