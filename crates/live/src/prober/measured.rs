//! What a measurement gives.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_metrics::record::Record;
use sojourn_metrics::results::Setting;

use super::calibration::Calibration;
use super::pacer::Pacing;
use crate::io::wall_clock::Step;

/// What was measured.
#[derive(Debug, Default)]
pub struct Measured {
    /// In the order they were made.
    pub experiments: Vec<Experiment>,
    /// What a reader of the numbers should know.
    pub warnings: Vec<String>,
    /// What this host was like, where that was found out.
    pub circumstances: Option<TestConditions>,
}

impl Measured {
    /// Nothing was: why not.
    pub fn failed(name: &'static str, reason: String) -> Measured {
        let failed = Experiment {
            name,
            set: BTreeMap::new(),
            records: Vec::new(),
            duration: Duration::ZERO,
            failure: Some(reason),
        };
        Measured { experiments: vec![failed], ..Measured::default() }
    }
}

/// What a measurement by the clock was taken under.
#[derive(Clone, Debug, serde::Serialize)]
pub struct TestConditions {
    /// What this host can tell at all, and its state.
    pub calibration: Calibration,
    /// How departures were met.
    pub pacing: Pacing,
    /// How long before a departure sleep ended, at last, in microseconds.
    pub margin_us: f64,
    /// When this host's clock was set meanwhile.
    pub steps: Vec<Step>,
}

/// One kind of measurement, repeated.
#[derive(Debug)]
pub struct Experiment {
    /// `"exchanges"`, `"transfer"`, or what else was measured.
    pub name: &'static str,
    /// What varies between experiments of this name.
    pub set: BTreeMap<String, Setting>,
    /// One per replication.
    pub records: Vec<Record>,
    /// The mean length of a replication.
    pub duration: Duration,
    /// Why there are no more records than there are.
    pub failure: Option<String>,
}
