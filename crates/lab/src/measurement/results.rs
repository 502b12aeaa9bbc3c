//! Converts measurements to results in the form of a simulation.

use std::collections::BTreeMap;

use sojourn_experiment::evaluation::{Failure, text_of};
use sojourn_experiment::points::fingerprint;
use sojourn_live::Experiment;
use sojourn_live::transport::Measured;
use sojourn_metrics::merge::merge;
use sojourn_metrics::results::{self, Axis, PathFinding, Results, SCHEMA};
use sojourn_metrics::{one_run, stability};
use sojourn_scenario::Expectation;

use crate::columns::Columns;
use crate::expected::judge_points;
use crate::outcome::Outcome;
use crate::request::Build;

/// What all points of a measurement have in common.
pub struct Header<'a> {
    /// Name of the study, of the document's file, or the URL.
    pub study: String,
    /// The kind of network, or the scheme of a URL.
    pub network: String,
    /// The keys that vary.
    pub axes: BTreeMap<String, Axis>,
    /// Seed of random schedules and of data sent.
    pub seed: u64,
    /// The build that measured.
    pub build: &'a Build,
}

/// What was measured for one point.
pub struct PointMeasured {
    /// The values of the keys that vary.
    pub set: BTreeMap<String, results::Setting>,
    /// The experiment's name, where it is not that of a phase or a kind of measurement.
    pub experiment: Option<String>,
    /// SHA-256 over the document or the request.
    pub hash: String,
    /// What the transport returned.
    pub measured: Measured,
}

impl Header<'_> {
    /// Adds what was measured to an outcome: results, columns, verdicts, warnings and failures.
    pub fn add(self, measured: Vec<PointMeasured>, expectations: &[&Expectation], outcome: &mut Outcome) {
        let (mut points, mut hashes) = (Vec::new(), Vec::new());
        let mut path: Option<Vec<PathFinding>> = None;
        for PointMeasured { set, experiment: name, hash, measured } in measured {
            for experiment in measured.experiments {
                if let Some(message) = &experiment.failure {
                    outcome.failures.push(Failure { point: points.len(), message: message.clone() });
                }
                points.push(point(&experiment, name.as_deref(), &set, &hash));
                outcome.points.push(Columns::of(&experiment.records));
                outcome.records.push(experiment.records);
            }
            hashes.push(hash);
            outcome.warn(measured.warnings);
            path = path.into_iter().chain(measured.path).reduce(|all, more| [all, more].concat());
            outcome.provenance.circumstances = measured.circumstances.or(outcome.provenance.circumstances.take());
        }
        if points.is_empty() {
            return;
        }
        judge_points(expectations, &points, outcome);
        let results = Results {
            schema: SCHEMA,
            sojourn: self.build.version.clone(),
            commit: self.build.commit.clone(),
            study: self.study,
            network: self.network,
            world: "live".to_owned(),
            seed: self.seed,
            scenario_hash: fingerprint(&hashes.join("\n")),
            method: "repeated measurements, or batches of one, Student t".to_owned(),
            axes: self.axes,
            limit: None,
            bounds: None,
            bound_assumptions: Vec::new(),
            bound_priorities: Vec::new(),
            risk: None,
            advice: None,
            tail: None,
            path,
            slowest: None,
            roles: None,
            points,
        };
        outcome.results_json = Some(text_of(&results));
    }
}

fn point(
    experiment: &Experiment,
    name: Option<&str>,
    set: &BTreeMap<String, results::Setting>,
    hash: &str,
) -> results::Point {
    let mut set = set.clone();
    set.extend(experiment.set.clone());
    let mut metrics = merge(&experiment.records);
    if let [record] = experiment.records.as_slice() {
        one_run::add_intervals(&mut metrics, record);
    }
    results::Point {
        experiment: name.unwrap_or(experiment.name).to_owned(),
        set,
        status: experiment.failure.as_ref().map_or("ok".to_owned(), |message| format!("failed: {message}")),
        replications: experiment.records.len() as u32,
        decided_by: None,
        duration: experiment.duration.seconds(),
        warm_up: 0.0,
        scenario_hash: Some(hash.to_owned()),
        metrics,
        stability: stability::of(&experiment.records),
        events: Vec::new(),
        outages: experiment.outages.clone(),
    }
}
