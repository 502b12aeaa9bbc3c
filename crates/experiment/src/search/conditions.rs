//! The conditions of a search, and what a value of the key shows of them.

use std::collections::BTreeMap;

use sojourn_metrics::interval::Interval;
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::registry;
use sojourn_metrics::results::{self, Metric, Stability};
use sojourn_model::Information;
use sojourn_scenario::{Expectation, Problem, Problems, Scenario, Setting};

use crate::claim::{Origin, none_seen};
use crate::condition::refuse_unsampled;
use crate::evaluation::result_of;
use crate::groups::Groups;
use crate::limit::{Condition, Load, RunCount, Trial};
use crate::points::Point;
use crate::rate_condition::RateCondition;
use crate::rounds::PointResult;
use crate::stability;
use crate::verdict::{Judgement, Verdict, judge, runs_that_hold};

/// What must hold at a value.
pub struct Conditions {
    /// Conditions on metrics; none where the condition is about a rare event.
    until: Vec<Expectation>,
    risk: Option<RateCondition>,
    origin: Origin,
}

impl Conditions {
    /// Reads the condition of `--until`, or takes all of the scenario's `[expect]`.
    pub fn read(until: Option<&str>, scenario: &Scenario, network: &Information) -> Result<Conditions, Problems> {
        let risk = until.and_then(RateCondition::read).transpose()?;
        let origin = Origin::Simulated { ends_with_its_probes: network.ends_with_its_probes };
        let until = match (&risk, until) {
            (Some(_), _) => Vec::new(),
            (None, Some(text)) => {
                let condition = Expectation::parse(text)?;
                refuse_unsampled(&condition, scenario, network)?;
                vec![condition]
            }
            (None, None) if scenario.expectations().is_empty() => {
                let message = "find needs --until \"response_time.p99 < 20 ms\", or an [expect] in the scenario";
                return Err(Problem::plain(message).into());
            }
            (None, None) => scenario.expectations().to_vec(),
        };
        Ok(Conditions { until, risk, origin })
    }

    /// The condition on the rate of a rare event, which a search has in place of those on metrics.
    pub fn risk(&self) -> Option<&RateCondition> {
        self.risk.as_ref()
    }

    /// All of them as written.
    pub fn text(&self) -> String {
        let texts = self.until.iter().map(|condition| condition.text.as_str());
        texts.chain(self.risk.iter().map(|risk| risk.text.as_str())).collect::<Vec<_>>().join(" and ")
    }

    /// What a value gave; `None` where it could not be computed.
    pub fn trial(&self, setting: &Setting, point: &Point, finished: &PointResult) -> Option<Trial> {
        if let Some(stability) = &finished.unsettled {
            return Some(self.unsettled(setting, stability));
        }
        finished.failure.is_none().then(|| self.judge(setting, &result_of(point, finished), &finished.records))
    }

    /// Judges the rate of the rare event, by the interval that decides.
    pub fn judge_risk(&self, setting: &Setting, rate: Option<f64>, interval: Interval) -> Trial {
        Trial::new(setting, self.risk.iter().map(|condition| condition.judge(rate, interval)).collect(), None)
    }

    /// Judges a point and its replications.
    fn judge(&self, setting: &Setting, point: &results::Point, records: &[Record]) -> Trial {
        let metrics = &point.metrics;
        let said = self.until.iter().map(|condition| Condition {
            unseen: none_seen(condition, point, records, self.origin),
            groups: groups(condition, metrics, records),
            ..judged(condition, stability::of_search(condition, judge(condition, metrics), point, records))
        });
        let by_condition: Option<Vec<Vec<bool>>> =
            self.until.iter().map(|condition| runs_that_hold(condition, metrics)).collect();
        // runs that have not seen what comes later do not count
        let is_overloaded = stability::overloaded(&point.stability).is_some();
        let runs = by_condition.filter(|_| !is_overloaded).and_then(|holds| RunCount::count(&holds));
        let events = records.iter().map(|record| record.events).sum::<u64>() / (records.len() as u64).max(1);
        Trial { load: Load::of(&point.stability), events, ..Trial::new(setting, said.collect(), runs) }
    }

    /// What a value shows that has not settled, by the pilots that were to find its warm-up: it misses the conditions where more
    /// arrives than is served, and is undecided else.
    fn unsettled(&self, setting: &Setting, stability: &[Stability]) -> Trial {
        let nothing = BTreeMap::new();
        let said = self.until.iter().map(|condition| {
            let unknown = Judgement { verdict: Verdict::Undecided, ..judge(condition, &nothing) };
            judged(condition, stability::corrected(condition, unknown, stability))
        });
        Trial { load: Load::of(stability), ..Trial::new(setting, said.collect(), None) }
    }
}

/// A condition with its judgement.
fn judged(condition: &Expectation, judgement: Judgement) -> Condition {
    Condition {
        text: condition.text.clone(),
        metric: condition.metric.clone(),
        field: condition.field.clone(),
        unit: registry::find(&condition.metric).map_or("1", |information| information.unit),
        limit: condition.value,
        unseen: None,
        groups: None,
        judgement,
    }
}

/// The groups of the replications' values of a condition's field. A mean rests on the samples that a p90 does, the
/// largest and the smallest on one each.
fn groups(condition: &Expectation, metrics: &BTreeMap<String, Metric>, records: &[Record]) -> Option<Groups> {
    let metric = metrics.get(&condition.metric)?;
    let values = metric.by_replication().get(&condition.field)?;
    if !matches!(metric, Metric::Distribution(_)) {
        return Groups::of(&values.iter().copied().flatten().collect::<Vec<f64>>());
    }
    let q = match condition.field.as_str() {
        "mean" => 0.9,
        field => format!("0.{}", field.strip_prefix('p')?).parse().ok()?,
    };
    let sampled =
        values.iter().zip(records).filter_map(|(value, record)| match record.metrics.get(&condition.metric) {
            Some(Observation::Distribution(samples)) => Some(((*value)?, samples)),
            _ => None,
        });
    Groups::of_quantile(q, &sampled.collect::<Vec<_>>())
}
