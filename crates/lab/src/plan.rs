//! Converts a study to the points to run, in a fixed order; each is checked before any of them runs.

use std::path::PathBuf;

use sojourn_catalogue::NETWORKS;
use sojourn_experiment::plan::Plan;
use sojourn_experiment::points::{Point, ScenarioBase, override_keys, override_runs};
use sojourn_scenario::{Axis, Document, Problem, Problems};

use crate::request;
use crate::study::{self, Experiment, Study};

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
    let plan = Plan::assemble(study.name.clone(), &axes, problems.or(points)?)?;
    study.refuse_unrun_values(plan.points.iter().map(|point| (point.experiment.as_str(), &point.set)))?;
    match &study.network {
        Some(network) if network != plan.network.kind() => {
            let message = format!("the study is of {network}, its scenarios of {}", plan.network.kind());
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
    let base = base_of(study, experiment, request)?;
    let axes = experiment_axes(&base.document, experiment)?;
    let points = base.points(&axes, &request.runs)?;
    Ok((axes, points))
}

/// The axes of an experiment's `over`, in the order written.
pub fn experiment_axes(document: &Document, experiment: &Experiment) -> Result<Vec<Axis>, Problems> {
    let axis = |axis: &study::Axis| document.axis_node(&axis.key, axis.key_place.clone(), &axis.values);
    experiment.over.iter().map(axis).collect()
}

/// The scenario of an experiment, with its overrides and those of the request.
pub fn base_of(study: &Study, experiment: &Experiment, request: &request::Study) -> Result<ScenarioBase, Problems> {
    let path: PathBuf = study.folder.join(&experiment.scenario);
    if !path.is_file() {
        let message = format!("there is no scenario {}", path.display());
        return Err(Problem::at(experiment.scenario_place.clone(), message).into());
    }
    let mut document = NETWORKS.kinds().read(&path)?;
    for setting in &experiment.set {
        document.set_at(&setting.key, setting.key_place.clone(), setting.value.clone())?;
    }
    let full = document.clone();
    if request.quick {
        apply_quick(&mut document, experiment)?;
    }
    let quick = request.quick.then(|| [full, document.clone()]);
    override_keys(&mut document, &request.set)?;
    override_runs(&mut document, request.runs.seed, request.runs.replications)?;
    let metrics = experiment.metrics.clone();
    Ok(ScenarioBase { metrics, quick, ..ScenarioBase::new(NETWORKS, document, experiment.id.clone()) })
}

fn apply_quick(document: &mut Document, experiment: &Experiment) -> Result<(), Problems> {
    if let Some(duration) = &experiment.quick.duration {
        document.set_node("run.duration", duration.clone())?;
    }
    if let Some(replications) = experiment.quick.replications {
        document.set("run.replications", &replications.to_string(), "quick.replications")?;
    }
    Ok(())
}
