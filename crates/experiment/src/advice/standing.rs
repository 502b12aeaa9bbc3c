//! What the replications of an alternative show by now.

use std::collections::BTreeMap;

use sojourn_metrics::interval;
use sojourn_metrics::merge::merge_metric;
use sojourn_metrics::results::{Bounds, Metric};

use super::alternatives::Alternative;
use super::question::Question;
use crate::condition::has_interval;
use crate::rounds::PointResult;
use crate::stability;
use crate::verdict::{Verdict, judge_wider};

/// Whether an alternative meets all conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feasible {
    /// It does.
    Yes,
    /// More replications may decide it.
    Open,
    /// No number of replications decides it.
    Unknown,
}

/// What became of an alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is compared.
    Alive,
    /// Another makes it needless.
    Beaten(usize),
    /// It misses a condition.
    Misses(String),
    /// More arrives than is served.
    Unstable(String),
    /// It could not be computed.
    Failed(String),
    /// It is the answer.
    Selected,
    /// It meets the conditions; it costs more than the answer and is better, or costs less and is worse.
    Frontier,
    /// Not decided.
    Open,
}

/// An alternative, its replications and what became of it.
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Its options.
    pub options: Vec<String>,
    /// The sum of their costs.
    pub cost: Option<f64>,
    /// What it gave by now.
    pub result: PointResult,
    /// Whether it meets the conditions.
    pub feasible: Feasible,
    /// What became of it.
    pub status: Status,
    /// The objective in each replication, so that smaller is better; `None` where a replication has no value.
    values: Vec<Option<f64>>,
}

impl Standing {
    /// An alternative without replications.
    pub fn new(alternative: &Alternative) -> Standing {
        Standing {
            name: alternative.name(),
            options: alternative.options.clone(),
            cost: alternative.cost,
            result: PointResult::default(),
            feasible: Feasible::Open,
            status: Status::Alive,
            values: Vec::new(),
        }
    }

    /// Whether it is still compared.
    pub fn is_alive(&self) -> bool {
        self.status == Status::Alive
    }

    /// Keeps further replications.
    pub fn add(&mut self, finished: PointResult) {
        if self.result.records.is_empty() {
            self.result = finished;
        } else {
            self.result.records.extend(finished.records);
            self.result.failure = self.result.failure.take().or(finished.failure);
        }
        if let Some(message) = &self.result.failure {
            let overloaded = self.result.unsettled.as_deref().and_then(stability::overloaded);
            self.status = match overloaded {
                Some(_) => Status::Unstable(message.clone()),
                None => Status::Failed(message.clone()),
            };
        }
    }

    /// Judges it by conditions with intervals of this confidence, and reads the values of the objective.
    pub fn judge(&mut self, question: &Question, bounds: Option<&Bounds>, confidence: f64) {
        let Question { conditions, objective, .. } = question;
        let records = &self.result.records;
        let load = sojourn_metrics::stability::of(records);
        let times = interval::wider(records.len(), confidence);
        let metric = merge_metric(&objective.metric, records);
        let found = metric.as_ref().and_then(|metric| metric.by_replication().get(&objective.field));
        let oriented = |value: Option<f64>| value.map(|value| objective.oriented(value));
        self.values = found.map(|values| values.iter().map(|value| oriented(*value)).collect()).unwrap_or_default();
        self.feasible = Feasible::Yes;
        for condition in conditions {
            let metric = merge_metric(&condition.metric, records);
            let mut metrics: BTreeMap<String, Metric> =
                metric.map(|metric| (condition.metric.clone(), metric)).into_iter().collect();
            if let Some(bounds) = bounds {
                bounds.clone().compare(&mut metrics);
            }
            let judged = stability::corrected(condition, judge_wider(condition, &metrics, times), &load);
            match judged.verdict {
                Verdict::Met => {}
                Verdict::Missed => {
                    self.status = Status::Misses(condition.text.clone());
                    return;
                }
                Verdict::Undecided if has_interval(&condition.field) && self.feasible != Feasible::Unknown => {
                    self.feasible = Feasible::Open;
                }
                Verdict::Undecided => self.feasible = Feasible::Unknown,
            }
        }
        if conditions.is_empty()
            && let Some(row) = stability::overloaded(&load)
        {
            self.status = Status::Unstable(format!("more arrives at {} than it serves", row.resource));
        }
    }

    /// The mean of the objective, smaller is better; `None` where a replication has no value.
    pub fn mean(&self) -> Option<f64> {
        let values: Vec<f64> = self.values.iter().copied().collect::<Option<_>>()?;
        interval::mean(&values)
    }

    /// Its replications.
    pub fn replications(&self) -> usize {
        self.result.records.len()
    }

    /// The mean of the first replications, all of which have a value.
    pub fn mean_of(&self, replications: usize) -> f64 {
        interval::mean(&self.values()[..replications.min(self.values.len())]).unwrap_or(f64::INFINITY)
    }

    /// Values of the objective; 0 where a replication has none.
    pub fn values(&self) -> Vec<f64> {
        self.values.iter().map(|value| value.unwrap_or(0.0)).collect()
    }

    /// Whether it may be part of a pair: it has a value, and no fault.
    pub fn is_comparable(&self) -> bool {
        let is_sound = !matches!(self.status, Status::Failed(_) | Status::Unstable(_));
        is_sound && self.mean().is_some()
    }

    /// The mean, by which alternatives are put in order: those without come last.
    pub fn order(&self) -> f64 {
        self.mean().unwrap_or(f64::INFINITY)
    }

    /// Whether its cost is not above that of another.
    pub fn costs_no_more_than(&self, other: &Standing) -> bool {
        self.cost.unwrap_or(0.0) <= other.cost.unwrap_or(0.0)
    }

    /// Events of one replication, about.
    pub fn events_of_a_replication(&self) -> u64 {
        let records = &self.result.records;
        records.iter().map(|record| record.events).sum::<u64>() / (records.len() as u64).max(1)
    }
}
