//! The observations of one replication, by metric name.

mod reading;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::distribution::Distribution;
use crate::load::Load;
use crate::timeline::Timeline;

/// Observations of one replication, stored as a whole and merged in order of replication.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Observations by metric name, as `"response_time"` or `"response_time/alarm"`.
    pub metrics: BTreeMap<String, Observation>,
    /// Traces by metric name, (picoseconds, value in the metric's unit), when they were asked for.
    pub traces: BTreeMap<String, Vec<(u64, f64)>>,
    /// Units that differ from the registry's, by metric name without member (`"queue_length"` in `"customers"`).
    #[serde(default)]
    pub units: BTreeMap<String, String>,
    /// What each resource that serves was offered and carried, by name.
    #[serde(default)]
    pub loads: BTreeMap<String, Load>,
    /// What a reader of the numbers should know: why nothing arrived.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Events that the simulation handled: what the replication cost, whatever the machine.
    #[serde(default)]
    pub events: u64,
    /// Control variates, where they were asked for: deviations of what was drawn from its known expectation, by name. They follow
    /// from the seed and are not stored.
    #[serde(skip)]
    pub controls: BTreeMap<String, f64>,
}

/// A share of trials; 0 of none.
pub fn share(part: u64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

/// One metric of one replication.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Observation {
    /// A mean or rate of the replication; the point's value is the mean over replications.
    Scalar(f64),
    /// A value that a replication estimates, with its own 95 % interval; the point's value is the mean over replications.
    Estimate {
        /// The estimate.
        value: f64,
        /// Its interval.
        interval: [f64; 2],
    },
    /// A count; the point's value is the total over replications.
    Count(u64),
    /// A share of trials, as of messages lost; the point's value is the mean over replications, a share of none is 0.
    Share {
        /// Trials that came out so.
        part: u64,
        /// All trials.
        of: u64,
    },
    /// A level over time: its mean after the warm-up, its maximum from time 0.
    TimeWeighted {
        /// Time average after the warm-up.
        mean: f64,
        /// Largest value from time 0 on.
        max: f64,
    },
    /// Durations, one per sample.
    Distribution(Distribution),
    /// Delay budget of the probed transactions; recorded once under the name `"delay_budget"`.
    Budget(Budget),
    /// A metric over time, in windows.
    Timeline(Timeline),
    /// The metric does not apply to this scenario; it is reported as an empty object of its registered shape.
    NotApplicable,
}

impl Record {
    /// Stores a mean or rate of the replication.
    pub fn scalar(&mut self, name: impl Into<String>, value: f64) {
        self.metrics.insert(name.into(), Observation::Scalar(value));
    }

    /// Stores a trace, in the order of its instants.
    pub fn trace(&mut self, name: String, mut rows: Vec<(u64, f64)>) {
        rows.sort_by_key(|&(at, _)| at);
        self.traces.insert(name, rows);
    }

    /// Stores a count of the replication.
    pub fn count(&mut self, name: impl Into<String>, value: u64) {
        self.metrics.insert(name.into(), Observation::Count(value));
    }

    /// Stores a share of trials of the replication.
    pub fn share(&mut self, name: impl Into<String>, part: u64, of: u64) {
        self.metrics.insert(name.into(), Observation::Share { part, of });
    }

    /// Stores what a resource was offered and carried.
    pub fn load(&mut self, resource: impl Into<String>, load: Load) {
        self.loads.insert(resource.into(), load);
    }

    /// Adds what a reader of the numbers should know, once.
    pub fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Stores the count of something, where the scenario has what it counts.
    pub fn count_if(&mut self, applies: bool, name: impl Into<String>, value: u64) {
        self.observe(name, if applies { Observation::Count(value) } else { Observation::NotApplicable });
    }

    /// Stores an observation of any shape.
    pub fn observe(&mut self, name: impl Into<String>, observation: Observation) {
        self.metrics.insert(name.into(), observation);
    }
}
