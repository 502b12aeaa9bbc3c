//! From what a user asks for to the points to run, in a fixed order, each checked before any runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sojourn_metrics::results;
use sojourn_networks::Information;
use sojourn_scenario::{Axis, Document, Problem, Problems};

use crate::points::{Point, ScenarioBase, axes};
use crate::request::{self, Runs};
use crate::study::{self, Experiment, Study};

/// The points to run and what they have in common.
pub struct Plan {
    /// Name of the study, or of the scenario's file.
    pub study: String,
    /// The network of all points.
    pub network: &'static Information,
    /// The keys that vary.
    pub axes: BTreeMap<String, results::Axis>,
    /// The seed of all points.
    pub seed: u64,
    /// In the order of results.
    pub points: Vec<Point>,
}

/// Plans a run, or a sweep over the axes of `over`.
pub fn plan_file(path: &Path, set: &[String], over: &[String], runs: &Runs) -> Result<Plan, Problems> {
    let base = ScenarioBase::from_file(path, set, runs)?;
    let axes = axes(&base.document, over)?;
    let points = base.points(&axes, runs)?;
    assemble(base.experiment, &axes, points)
}

/// Plans the selected experiments of a study.
pub fn plan_study(study: &Study, request: &request::Study) -> Result<Plan, Problems> {
    let mut axes: Vec<Axis> = Vec::new();
    let mut points = Vec::new();
    let mut problems = Problems::new();
    for experiment in study.select(&request.experiments, request.all)? {
        match plan_experiment(study, experiment, request) {
            Ok((own_axes, own_points)) => {
                axes.extend(own_axes);
                points.extend(own_points);
            }
            Err(found) => problems.0.extend(found.0),
        }
    }
    let plan = assemble(study.name.clone(), &axes, problems.or(points)?)?;
    study.refuse_unrun_values(plan.points.iter().map(|point| (point.experiment.as_str(), &point.set)))?;
    match &study.network {
        Some(network) if network != plan.network.kind => {
            let message = format!("the study is of {network}, its scenarios of {}", plan.network.kind);
            Err(Problem::plain(message).into())
        }
        _ => Ok(plan),
    }
}

fn plan_experiment(
    study: &Study,
    experiment: &Experiment,
    request: &request::Study,
) -> Result<(Vec<Axis>, Vec<Point>), Problems> {
    let base = ScenarioBase::from_experiment(study, experiment, request)?;
    let axes = experiment_axes(&base.document, experiment)?;
    let points = base.points(&axes, &request.runs)?;
    Ok((axes, points))
}

/// The axes of an experiment's `over`, in the order written.
pub fn experiment_axes(document: &Document, experiment: &Experiment) -> Result<Vec<Axis>, Problems> {
    let axis = |axis: &study::Axis| document.axis_node(&axis.key, axis.key_place.clone(), &axis.values);
    experiment.over.iter().map(axis).collect()
}

/// A plan of points that differ and belong together.
fn assemble(study: String, axes: &[Axis], points: Vec<Point>) -> Result<Plan, Problems> {
    let first = points.first().ok_or_else(|| Problem::plain("there is nothing to run"))?;
    let (kind, seed) = (first.scenario.kind, first.spec.seed);
    let mut seen = BTreeSet::new();
    for point in &points {
        let set = serde_json::to_string(&point.set).expect("settings are plain data");
        if !seen.insert((point.experiment.as_str(), set.clone())) {
            return Err(Problem::plain(format!("the point {} {set} is there twice", point.experiment)).into());
        }
        if point.scenario.kind != kind {
            let message = format!("one study has one network, not {kind} and {}", point.scenario.kind);
            return Err(Problem::plain(message).into());
        }
        if point.spec.seed != seed && !point.set.contains_key("run.seed") {
            let message = format!("the scenarios have the seeds {seed} and {}", point.spec.seed);
            return Err(Problem::plain(message).help("give them one, or --seed").into());
        }
    }
    let information = sojourn_networks::find(kind).expect("every point has a network").information();
    let axes = axes.iter().map(|axis| (axis.path.clone(), results::Axis { unit: axis.unit.map(str::to_owned) }));
    Ok(Plan { study, network: information, axes: axes.collect(), seed, points })
}
