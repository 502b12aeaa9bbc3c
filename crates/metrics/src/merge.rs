//! Merges the replications of a point into its metrics.

mod over_time;

use std::collections::{BTreeMap, BTreeSet};

use sojourn_core::Duration;

use crate::budget::Budget;
use crate::control;
use crate::dependence;
use crate::distribution::Distribution;
use crate::exact;
use crate::interval::{self, Interval};
use crate::quantile_interval::Replications;
use crate::record::{Observation, Record, share};
use crate::registry::{self, Shape};
use crate::results::{
    BudgetSummary, ByReplication, ControlVariates, DistributionSummary, LevelSummary, Metric, ScalarSummary,
};

/// The record's name for a delay budget, and the prefix of its components' names.
const DELAY_BUDGET: &str = "delay_budget";

/// Its samples that never came back are events without recovery.
const RECOVERY_TIME: &str = "recovery_time";

/// A percentile with fewer effective samples beyond it is weak.
const EFFECTIVE_BEYOND: f64 = 10.0;

/// The percentiles reported.
const QUANTILES: [(&str, f64); 5] = [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999)];

/// The metrics of a point, from its replications in their order.
///
/// A metric that only some replications observed is made of those. Panics when two replications observed one
/// metric in different shapes.
pub fn merge(records: &[Record]) -> BTreeMap<String, Metric> {
    let names: BTreeSet<&str> = records.iter().flat_map(|record| record.metrics.keys().map(String::as_str)).collect();
    let mut metrics = BTreeMap::new();
    for name in names {
        if name == DELAY_BUDGET {
            metrics.extend(merge_budget(name, records));
        } else if let Some(metric) = merge_one(name, records) {
            metrics.insert(name.to_owned(), metric);
        }
    }
    bound_one_way_delays(&mut metrics);
    metrics
}

/// One-way delays carry the error bound of the clock that they rest on.
fn bound_one_way_delays(metrics: &mut BTreeMap<String, Metric>) {
    let Some(Metric::Scalar(bound)) = metrics.get("clock_error") else { return };
    let Some(bound) = bound.value else { return };
    for (_, metric) in metrics.range_mut("one_way_delay/".to_owned()..).take_while(|(name, _)| is_one_way(name)) {
        if let Metric::Distribution(summary) = metric {
            summary.error = Some(bound);
        }
    }
}

fn is_one_way(name: &str) -> bool {
    name.starts_with("one_way_delay/")
}

/// One metric of a point by its name in the results (`"delay_budget/waiting"` for a component); `None` when no
/// replication observed it.
pub fn merge_metric(name: &str, records: &[Record]) -> Option<Metric> {
    if name.starts_with(DELAY_BUDGET) {
        return merge_budget(DELAY_BUDGET, records).remove(name);
    }
    merge_one(name, records)
}

/// All samples of a distribution over the replications, in their order; `None` when there is no such distribution.
pub fn pooled(name: &str, records: &[Record]) -> Option<Distribution> {
    let mut found = None;
    for record in records {
        if let Some(Observation::Distribution(distribution)) = record.metrics.get(name) {
            found.get_or_insert_with(Distribution::new).merge(distribution);
        }
    }
    found
}

fn merge_one(name: &str, records: &[Record]) -> Option<Metric> {
    let observations: Vec<&Observation> = records.iter().filter_map(|record| record.metrics.get(name)).collect();
    let unit = unit(name, records);
    let controls = Controls::of(records.iter().filter(|record| record.metrics.contains_key(name)));
    let applying = observations.iter().find(|observation| !matches!(observation, Observation::NotApplicable));
    Some(match applying.or(observations.first())? {
        Observation::Distribution(_) => {
            let mut metric = distribution(unit, &pooled(name, records)?, &observations);
            controls.correct(&mut metric);
            if let Metric::Distribution(summary) = &mut metric
                && name.starts_with(RECOVERY_TIME)
            {
                summary.never = Some(summary.sent - summary.count);
            }
            metric
        }
        Observation::Scalar(_) | Observation::Estimate { .. } | Observation::Count(_) | Observation::Share { .. } => {
            scalar(name, unit, &observations)
        }
        Observation::TimeWeighted { .. } => {
            let mut metric = level(unit, &observations);
            controls.correct(&mut metric);
            metric
        }
        Observation::Timeline(_) => over_time::timeline(unit, &observations),
        Observation::NotApplicable => empty(name, unit),
        Observation::Budget(_) => panic!("a budget is recorded under the name delay_budget, not {name}"),
    })
}

/// The control variates of the replications that observed a metric.
struct Controls {
    variates: Vec<String>,
    deviations: Vec<Vec<f64>>,
}

impl Controls {
    fn of<'a>(records: impl Iterator<Item = &'a Record> + Clone) -> Controls {
        let variates: Vec<String> =
            records.clone().next().into_iter().flat_map(|first| first.controls.keys().cloned()).collect();
        let of_each =
            |record: &Record| variates.iter().map(|name| record.controls.get(name).copied()).collect::<Option<_>>();
        let deviations = if variates.is_empty() { None } else { records.map(of_each).collect::<Option<_>>() };
        Controls { deviations: deviations.unwrap_or_default(), variates }
    }

    /// Puts the corrected mean in place of the mean; the values of the replications stay.
    fn correct(&self, metric: &mut Metric) {
        if self.deviations.is_empty() {
            return;
        }
        let (mean, ci95, found, replications) = match metric {
            Metric::Distribution(summary) => {
                (&mut summary.mean, &mut summary.ci95, &mut summary.control_variates, &summary.by_replication)
            }
            Metric::TimeWeighted(summary) => {
                (&mut summary.mean, &mut summary.ci95, &mut summary.control_variates, &summary.by_replication)
            }
            _ => return,
        };
        let Some(values) =
            replications.get("mean").and_then(|means| means.iter().copied().collect::<Option<Vec<f64>>>())
        else {
            return;
        };
        let Some((corrected, (plain_mean, plain_ci95))) = control::mean(&values, &self.deviations).zip(mean.zip(*ci95))
        else {
            return;
        };
        *found = Some(Box::new(ControlVariates {
            saved: corrected.saved,
            plain_mean,
            plain_ci95,
            variates: self.variates.clone(),
        }));
        (*mean, *ci95) = (Some(corrected.mean), Some(corrected.ci95));
    }
}

/// The unit that a record names, else the registry's, else none: `"1"`.
fn unit(name: &str, records: &[Record]) -> String {
    let base = name.split('/').next().unwrap_or(name);
    let named = records.iter().find_map(|record| record.units.get(base).cloned());
    named.unwrap_or_else(|| registry::find(name).map_or("1", |information| information.unit).to_owned())
}

impl Metric {
    /// A metric that does not apply: an empty object of its registered shape and unit.
    pub fn empty(name: &str) -> Metric {
        empty(name, unit(name, &[]))
    }
}

/// A metric that does not apply, in the shape that the registry gives it.
fn empty(name: &str, unit: String) -> Metric {
    let applies = Some(false);
    match registry::find(name).map(|information| information.shape) {
        Some(Shape::Distribution) => Metric::Distribution(DistributionSummary { unit, applies, ..Default::default() }),
        Some(Shape::TimeWeighted) => Metric::TimeWeighted(LevelSummary { unit, applies, ..Default::default() }),
        Some(Shape::Budget) => Metric::Budget(BudgetSummary { unit, applies, ..Default::default() }),
        Some(Shape::Scalar) | None => Metric::Scalar(ScalarSummary { unit, applies, ..Default::default() }),
    }
}

fn distribution(unit: String, pooled: &Distribution, observations: &[&Observation]) -> Metric {
    let Some(quantiles) = pooled.quantiles(&QUANTILES.map(|(_, q)| q)) else {
        return Metric::Distribution(DistributionSummary { unit, ..Default::default() });
    };
    let none = Distribution::new();
    let replications: Vec<&Distribution> = observations
        .iter()
        .map(|observation| match observation {
            Observation::Distribution(distribution) => distribution,
            _ => &none,
        })
        .collect();
    let of_each = |value: &dyn Fn(&Distribution) -> Option<f64>| replications.iter().map(|one| value(one)).collect();
    let means: Vec<Option<f64>> = of_each(&Distribution::mean);
    let minima: Vec<Option<f64>> = of_each(&|d| d.min().map(|span| span.seconds()));
    let maxima: Vec<Option<f64>> = of_each(&|d| d.max().map(|span| span.seconds()));
    let sections: Vec<Option<Vec<Option<Duration>>>> =
        replications.iter().map(|d| d.quantiles(&[0.5, 0.9, 0.95, 0.99])).collect();
    let section = |index: usize| sections.iter().map(|s| Some(s.as_ref()?[index]?.seconds())).collect();
    let [p50, p90, p95, p99] = [0, 1, 2, 3].map(section);
    let pooled_replications = Replications::new(replications.iter().copied());
    let interval = |index: usize| {
        let (low, high) = pooled_replications.as_ref()?.interval(QUANTILES[index].1)?;
        Some((low * 1e-12, high.map(|high| high * 1e-12)))
    };
    let quantile = |index: usize| quantiles[index].map(|span| span.seconds());
    let not_reached = QUANTILES.iter().zip(&quantiles).filter(|(_, found)| found.is_none());
    Metric::Distribution(DistributionSummary {
        unit,
        applies: None,
        count: pooled.count(),
        sent: pooled.sent(),
        min: pooled.min().map(|span| span.seconds()),
        min_mean: interval::mean(&present(&minima)),
        mean: interval::mean(&present(&means)),
        max: pooled.max().map(|span| span.seconds()),
        max_mean: interval::mean(&present(&maxima)),
        sd: pooled.deviation(),
        error: None,
        bound: None,
        control_variates: None,
        never: None,
        p50: quantile(0),
        p90: quantile(1),
        p95: quantile(2),
        p99: quantile(3),
        p999: quantile(4),
        ci95: interval::of_positive_mean(&present(&means)),
        p50_ci95: interval(0),
        p90_ci95: interval(1),
        p95_ci95: interval(2),
        p99_ci95: interval(3),
        p999_ci95: interval(4),
        not_reached: not_reached.map(|((name, _), _)| (*name).to_owned()).collect(),
        weak: weak(pooled, &replications, pooled_replications.as_ref()),
        by_replication: fields([("mean", means), ("p50", p50), ("p90", p90), ("p95", p95), ("p99", p99)]),
    })
}

/// The names of the quantiles reached that have too few effective samples beyond them.
fn weak(pooled: &Distribution, each: &[&Distribution], replications: Option<&Replications>) -> Vec<String> {
    let by_replications = replications.filter(|_| each.len() >= dependence::REPLICATIONS);
    let repeated = dependence::of(each).map_or(1.0, |found| found.repeated);
    let effective = |q: f64| match by_replications {
        Some(replications) => replications.effective_beyond(q),
        None => pooled.beyond(q) as f64 / repeated,
    };
    let reached = QUANTILES.iter().filter(|(_, q)| pooled.quantile_is_reached(*q));
    reached.filter(|(_, q)| effective(*q) < EFFECTIVE_BEYOND).map(|(name, _)| (*name).to_owned()).collect()
}

fn scalar(name: &str, unit: String, observations: &[&Observation]) -> Metric {
    let values: Vec<Option<f64>> = observations
        .iter()
        .map(|observation| match observation {
            Observation::Scalar(value) | Observation::Estimate { value, .. } => Some(*value),
            Observation::Count(count) => Some(*count as f64),
            Observation::Share { of: 0, .. } => None,
            Observation::Share { part, of } => Some(share(*part, *of)),
            _ => None,
        })
        .collect();
    let given = present(&values);
    let (value, ci95) = match total(observations) {
        Total::Count(count) => (Some(given.iter().sum()), Some(exact_count(count, &given))),
        // a share of zero trials is undefined
        Total::Share(_, 0) => return empty(name, unit),
        Total::Share(part, of) => {
            let [low, high] = interval::hull(exact::of_share(part, of), interval::of_positive_mean(&given));
            (interval::mean(&given), Some([low, high.min(1.0)]))
        }
        Total::None => {
            let of_replications = interval_of_values(name, &given);
            let both = of_estimates(observations).map(|own| interval::hull(own, of_replications));
            (interval::mean(&given), both.or(of_replications))
        }
    };
    Metric::Scalar(ScalarSummary { unit, applies: None, value, ci95, by_replication: fields([("value", values)]) })
}

/// The mean interval of estimates: that of one replication is its own.
fn of_estimates(observations: &[&Observation]) -> Option<Interval> {
    let intervals: Vec<Interval> = observations
        .iter()
        .filter_map(|observation| match observation {
            Observation::Estimate { interval, .. } => Some(*interval),
            _ => None,
        })
        .collect();
    let end = |index: usize| interval::mean(&intervals.iter().map(|interval| interval[index]).collect::<Vec<f64>>());
    Some([end(0)?, end(1)?])
}

/// What scalar observations add up to.
enum Total {
    Count(u64),
    Share(u64, u64),
    None,
}

fn total(observations: &[&Observation]) -> Total {
    observations.iter().fold(Total::None, |total, observation| match (observation, total) {
        (Observation::Count(more), Total::Count(count)) => Total::Count(count + more),
        (Observation::Count(count), _) => Total::Count(*count),
        (Observation::Share { part, of }, Total::Share(so_far, all)) => Total::Share(so_far + part, all + of),
        (Observation::Share { part, of }, _) => Total::Share(*part, *of),
        (_, total) => total,
    })
}

/// The interval of a total: exact for independent events, or that of the replications where these differ more.
fn exact_count(count: u64, values: &[f64]) -> Interval {
    let of_replications = interval::of_total(values).map(|[low, high]| [low.max(0.0), high]);
    interval::hull(exact::of_count(count), of_replications)
}

/// Student's interval, cut at 0 unless the metric may be negative.
fn interval_of_values(name: &str, values: &[f64]) -> Option<Interval> {
    if registry::find(name).is_some_and(|information| information.signed) {
        return interval::of_mean(values);
    }
    match values.iter().all(|&value| value >= 0.0) {
        true => interval::of_positive_mean(values),
        false => interval::of_mean(values),
    }
}

fn level(unit: String, observations: &[&Observation]) -> Metric {
    let levels = observations.iter().map(|observation| match observation {
        Observation::TimeWeighted { mean, max } => (Some(*mean), Some(*max)),
        _ => (None, None),
    });
    let (means, maxima): (Vec<_>, Vec<_>) = levels.unzip();
    Metric::TimeWeighted(LevelSummary {
        unit,
        applies: None,
        mean: interval::mean(&present(&means)),
        max: present(&maxima).into_iter().reduce(f64::max),
        bound: None,
        ci95: interval::of_positive_mean(&present(&means)),
        control_variates: None,
        by_replication: fields([("mean", means)]),
    })
}

fn merge_budget(name: &str, records: &[Record]) -> BTreeMap<String, Metric> {
    let budgets: Vec<&Budget> = records
        .iter()
        .filter_map(|record| match record.metrics.get(name)? {
            Observation::Budget(budget) => Some(budget),
            _ => None,
        })
        .collect();
    let Some(first) = budgets.first() else { return BTreeMap::new() };
    let mut pooled = (*first).clone();
    budgets[1..].iter().for_each(|budget| pooled.merge(budget));
    let means: Vec<Option<Vec<f64>>> = budgets.iter().map(|budget| budget.means()).collect();
    let of_component = |index: usize| means.iter().map(|m| m.as_ref().map(|m| m[index])).collect::<Vec<_>>();
    let mean = |index: usize| interval::mean(&present(&of_component(index)));
    let total: Option<f64> = (0..first.components().len()).map(mean).sum();
    let slowest = pooled.slowest_means();
    let slowest_total = slowest.as_ref().map(|means| means.iter().sum::<f64>());
    let components = first.components().iter().enumerate().map(|(index, component)| {
        let slowest_mean = slowest.as_ref().map(|means| means[index]);
        let summary = BudgetSummary {
            unit: "s".to_owned(),
            applies: None,
            mean: mean(index),
            share: part_of(mean(index), total),
            slowest_mean,
            slowest_share: part_of(slowest_mean, slowest_total),
            by_replication: fields([("mean", of_component(index))]),
        };
        (format!("{DELAY_BUDGET}/{component}"), Metric::Budget(summary))
    });
    components.collect()
}

/// A part as a share of a whole; none of a whole of zero.
fn part_of(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    let (part, whole) = (part?, whole?);
    (whole > 0.0).then(|| part / whole)
}

fn present(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().flatten().copied().collect()
}

fn fields<const N: usize>(named: [(&str, Vec<Option<f64>>); N]) -> ByReplication {
    named.into_iter().map(|(name, values)| (name.to_owned(), values)).collect()
}

#[cfg(test)]
mod tests;
