//! Worst-case bounds in results, next to simulated or measured values.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Metric;

/// Worst cases of a scenario: what no run exceeds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Delays of flows, whole and by hop, then queues.
    pub rows: Vec<BoundRow>,
    /// What the bounds rest on.
    pub assumptions: Vec<String>,
    /// An order of priorities that meets all deadlines, the highest first; empty where none was looked for, or there is none.
    pub priorities: Vec<PriorityRow>,
}

/// The place of a message in an order of priorities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PriorityRow {
    /// The medium on which it contends.
    pub medium: String,
    /// The flow.
    pub flow: String,
    /// Who sends it.
    pub station: String,
    /// Its identifier in the scenario.
    pub identifier: String,
    /// Of the identifiers that the scenario has on the medium the one that gives it this place; null where their formats differ.
    pub assigned: Option<String>,
    /// Its deadline, else its period, in seconds.
    pub deadline: f64,
    /// Its worst case in this order in seconds.
    pub delay: f64,
}

/// The bound of one delay or queue, beside what the simulation has seen of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundRow {
    /// The flow, or `all flows`.
    pub flow: String,
    /// Server, output or queue; `end to end` for a whole path.
    pub hop: String,
    /// Unit of all values: `"s"` of a delay, `"packets"` or another of what a queue holds.
    pub unit: String,
    /// The delay that is never exceeded; null where there is no bound, or where the row is about a queue.
    pub delay: Option<f64>,
    /// What a queue never exceeds; null where there is no bound, or where the row is about a delay.
    pub buffer: Option<f64>,
    /// The theorem that the bound follows from.
    pub theorem: Option<String>,
    /// Where the theorem is proved.
    pub source: Option<String>,
    /// Why there is no bound.
    pub why: Option<String>,
    /// The metric that the simulation observes of the same; null where it observes none.
    pub metric: Option<String>,
    /// The largest value simulated.
    pub simulated_max: Option<f64>,
    /// The largest value measured on a real network, where one was.
    pub measured_max: Option<f64>,
    /// The median of what was simulated.
    pub p50: Option<f64>,
    /// The 99 % quantile of what was simulated.
    pub p99: Option<f64>,
    /// The 99.9 % quantile of what was simulated.
    pub p999: Option<f64>,
    /// The largest value simulated as a share of the bound.
    pub tightness: Option<f64>,
}

impl BoundRow {
    /// What is never exceeded; `None` where there is no bound.
    pub fn bound(&self) -> Option<f64> {
        self.delay.or(self.buffer)
    }
}

impl Bounds {
    /// The bound of a metric; `None` where it has none.
    pub fn of(&self, metric: &str) -> Option<f64> {
        self.rows.iter().find(|row| row.metric.as_deref() == Some(metric))?.bound()
    }

    /// Puts what a measurement has seen beside the bounds; `largest` gives the largest value of a metric.
    pub fn measured(&mut self, largest: impl Fn(&str) -> Option<f64>) {
        for row in &mut self.rows {
            row.measured_max = row.metric.as_deref().and_then(&largest);
        }
    }

    /// Puts what a simulation has seen beside the bounds, and the bounds into its metrics.
    pub fn compare(&mut self, metrics: &mut BTreeMap<String, Metric>) {
        for row in &mut self.rows {
            let Some(metric) = row.metric.as_ref().and_then(|name| metrics.get_mut(name)) else { continue };
            let field = |name: &str| metric.field(name);
            (row.simulated_max, row.p50, row.p99, row.p999) = (field("max"), field("p50"), field("p99"), field("p999"));
            let comparable = row.bound().filter(|bound| *bound > 0.0).zip(row.simulated_max);
            row.tightness = comparable.map(|(bound, largest)| largest / bound);
            if let Metric::TimeWeighted(level) = metric {
                row.unit.clone_from(&level.unit);
            }
            metric.set_bound(row.bound());
        }
    }
}
