//! The result of a measurement.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_metrics::record::Record;
use sojourn_metrics::results::{OutageSummary, PathFinding, Setting};

use super::calibration::Calibration;
use super::pacer::Pacing;
use crate::io::wall_clock::Step;

/// The result of a measurement.
#[derive(Debug, Default)]
pub struct Measured {
    /// Phases or kinds of measurement, in order.
    pub experiments: Vec<Experiment>,
    /// Warnings about the validity of the results.
    pub warnings: Vec<String>,
    /// What the path did to packets, of a timed test.
    pub path: Option<Vec<PathFinding>>,
    /// Conditions of the test on this host, if calibrated.
    pub circumstances: Option<TestConditions>,
}

impl Experiment {
    /// The experiment of a phase and, of several, a request size, added if absent.
    pub(super) fn of<'m>(
        experiments: &'m mut Vec<Experiment>,
        name: &'static str,
        octets: u32,
        several: bool,
    ) -> &'m mut Experiment {
        let size = ("probe.size".to_owned(), Setting::Integer(octets.into()));
        let set: BTreeMap<String, Setting> = if several { [size].into() } else { BTreeMap::new() };
        let found = experiments.iter().position(|known| known.name == name && known.set == set);
        let index = found.unwrap_or_else(|| {
            let (records, duration, failure, outages) = (Vec::new(), Duration::ZERO, None, Vec::new());
            experiments.push(Experiment { name, set, records, duration, failure, outages });
            experiments.len() - 1
        });
        &mut experiments[index]
    }
}

impl Measured {
    /// A measurement that failed before it began.
    pub fn failed(name: &'static str, reason: String) -> Measured {
        let failed = Experiment {
            name,
            set: BTreeMap::new(),
            records: Vec::new(),
            duration: Duration::ZERO,
            failure: Some(reason),
            outages: Vec::new(),
        };
        Measured { experiments: vec![failed], ..Measured::default() }
    }
}

/// The conditions of a timed test.
#[derive(Clone, Debug, serde::Serialize)]
pub struct TestConditions {
    /// Noise floor and state of this host.
    pub calibration: Calibration,
    /// How departures were paced.
    pub pacing: Pacing,
    /// Final margin of the pacer before departures, in microseconds.
    pub margin_us: f64,
    /// Steps of this host's clock during the test.
    pub steps: Vec<Step>,
}

/// One kind of measurement with its replications.
#[derive(Debug)]
pub struct Experiment {
    /// `"exchanges"`, `"transfer"`, or what else was measured.
    pub name: &'static str,
    /// Settings that distinguish experiments of this name.
    pub set: BTreeMap<String, Setting>,
    /// One record per replication.
    pub records: Vec<Record>,
    /// The mean length of a replication.
    pub duration: Duration,
    /// Why replications are missing, if any are.
    pub failure: Option<String>,
    /// Times without a response, in the order of replications.
    pub outages: Vec<OutageSummary>,
}
