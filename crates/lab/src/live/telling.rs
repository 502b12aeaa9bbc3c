//! From what was measured to results of the same form as a simulation's.

use sojourn_live::{Experiment, Measured};
use sojourn_metrics::merge::merge;
use sojourn_metrics::results::{self, Axis, Results, SCHEMA};
use sojourn_scenario::Expectation;

use super::described::Described;
use super::expected::hold;
use crate::base::fingerprint;
use crate::columns::Columns;
use crate::outcome::{Failure, Outcome, text_of};
use crate::request::{Build, Request};

/// Makes results of what was measured.
pub(super) fn tell(
    outcome: &mut Outcome,
    measured: Measured,
    described: Option<&Described>,
    expectations: &[Expectation],
    request: &Request,
    build: &Build,
) {
    let live = request.live.clone().unwrap_or_default();
    let asked = serde_json::to_string(&(&live, request.seed, request.replications)).expect("a request is plain data");
    let mut points = Vec::new();
    let varies = measured.experiments.iter().flat_map(|experiment| experiment.set.keys().cloned());
    let axes = varies.map(|key| (key, Axis { unit: Some("B".to_owned()) })).collect();
    for (index, experiment) in measured.experiments.into_iter().enumerate() {
        if let Some(message) = &experiment.failure {
            outcome.failures.push(Failure { point: index, message: message.clone() });
        }
        let mut point = point(&experiment);
        if let Some(described) = described {
            described.tell(&mut point, outcome);
        }
        points.push(point);
        outcome.points.push(Columns::of(&experiment.records));
        outcome.records.push(experiment.records);
    }
    let by_scenario = described.into_iter().flat_map(|described| described.scenario.expectations());
    hold(by_scenario.chain(expectations), &points, outcome);
    let mut results = Results {
        schema: SCHEMA,
        sojourn: build.version.clone(),
        commit: build.commit.clone(),
        study: live.url.clone(),
        network: live.url.split("://").next().unwrap_or_default().to_owned(),
        world: "live".to_owned(),
        seed: request.seed.unwrap_or(1),
        scenario_hash: fingerprint(&asked),
        method: "repeated measurements, Student t".to_owned(),
        axes,
        points,
    };
    if let Some(described) = described {
        described.name(&mut results);
    }
    outcome.results_json = Some(text_of(&results));
}

fn point(experiment: &Experiment) -> results::Point {
    results::Point {
        experiment: experiment.name.to_owned(),
        set: experiment.set.clone(),
        status: experiment.failure.as_ref().map_or("ok".to_owned(), |message| format!("failed: {message}")),
        replications: experiment.records.len() as u32,
        duration: experiment.duration.seconds(),
        warm_up: 0.0,
        scenario_hash: None,
        metrics: merge(&experiment.records),
    }
}
