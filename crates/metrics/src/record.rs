//! What one replication observed, by metric name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One replication's observations, ready to be stored whole and merged in order of replication.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Observations by metric name, as `"response_time"` or `"response_time/alarm"`.
    pub metrics: BTreeMap<String, Observation>,
    /// Traces by metric name, (picoseconds, value in the metric's unit), when they were asked for.
    pub traces: BTreeMap<String, Vec<(u64, f64)>>,
}

/// What one replication says of one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Observation {
    /// A mean or rate of the replication; the point's value is the mean over replications.
    Scalar(f64),
    /// A count; the point's value is the total over replications.
    Count(u64),
    /// A level over time: its mean after the warm-up, its maximum from time 0.
    TimeWeighted {
        /// Time average after the warm-up.
        mean: f64,
        /// Largest value from time 0 on.
        max: f64,
    },
}
