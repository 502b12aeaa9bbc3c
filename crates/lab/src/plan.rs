//! From what a user asks for to the points to run, in a fixed order, each checked before any runs.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_metrics::results;
use sojourn_networks::Information;
use sojourn_scenario::{Axis, Problem, Problems};

use crate::base::{Base, Point};
use crate::request::{Command, Request};
use crate::study::{Experiment, Study};

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

/// Plans a run, a sweep or a study.
pub fn plan(request: &Request) -> Result<Plan, Problems> {
    request.validate()?;
    if request.command == Command::Study {
        return plan_study(request);
    }
    let base = Base::from_file(request)?;
    let mut axes = Vec::new();
    let mut problems = Problems::new();
    for argument in &request.over {
        match base.document.axis(argument) {
            Ok(axis) => axes.push(axis),
            Err(found) => problems.0.extend(found.0),
        }
    }
    let axes = problems.or(axes)?;
    refuse_repeated_axes(&axes, &request.over)?;
    let points = base.points(&axes, request)?;
    assemble(base.experiment, &axes, points)
}

fn plan_study(request: &Request) -> Result<Plan, Problems> {
    let path = request.study.as_deref().ok_or_else(|| Problem::plain("no study was named"))?;
    let study = Study::read(path)?;
    let mut axes: Vec<Axis> = Vec::new();
    let mut points = Vec::new();
    let mut problems = Problems::new();
    for experiment in study.select(&request.experiments, request.all)? {
        match plan_experiment(&study, experiment, request) {
            Ok((own_axes, own_points)) => {
                axes.extend(own_axes);
                points.extend(own_points);
            }
            Err(found) => problems.0.extend(found.0),
        }
    }
    let plan = assemble(study.name.clone(), &axes, problems.or(points)?)?;
    match study.network {
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
    request: &Request,
) -> Result<(Vec<Axis>, Vec<Point>), Problems> {
    let base = Base::from_experiment(study, experiment, request)?;
    let mut axes = Vec::new();
    for axis in &experiment.over {
        axes.push(base.document.axis_node(&axis.key, axis.key_place.clone(), &axis.values)?);
    }
    let points = base.points(&axes, request)?;
    Ok((axes, points))
}

fn refuse_repeated_axes(axes: &[Axis], arguments: &[String]) -> Result<(), Problems> {
    let mut problems = Problems::new();
    for (index, (axis, argument)) in axes.iter().zip(arguments).enumerate() {
        if axes[..index].iter().any(|other| other.path == axis.path) {
            let message = format!("`{}` varies twice", axis.path);
            problems.push(Problem::argument(argument, 0..axis.path.len().min(argument.len()), message));
        }
    }
    problems.or(())
}

/// A plan of points that differ and belong together.
fn assemble(study: String, axes: &[Axis], points: Vec<Point>) -> Result<Plan, Problems> {
    let first = points.first().ok_or_else(|| Problem::plain("there is nothing to run"))?;
    let (kind, seed) = (first.scenario.kind, first.work.seed);
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
        if point.work.seed != seed && !point.set.contains_key("run.seed") {
            let message = format!("the scenarios have the seeds {seed} and {}", point.work.seed);
            return Err(Problem::plain(message).help("give them one, or --seed").into());
        }
    }
    let information = sojourn_networks::find(kind).expect("every point has a network").information();
    let axes = axes.iter().map(|axis| (axis.path.clone(), results::Axis { unit: axis.unit.map(str::to_owned) }));
    Ok(Plan { study, network: information, axes: axes.collect(), seed, points })
}
