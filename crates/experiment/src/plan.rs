//! The points to run, in a fixed order; each is checked before any of them runs.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_metrics::results;
use sojourn_model::Network;
use sojourn_scenario::{Axis, Problem, Problems};

use crate::Runs;
#[cfg(feature = "rare")]
use crate::beginnings;
use crate::points::{Point, ScenarioBase, axes};

/// The points to run and what they have in common.
pub struct Plan {
    /// Name of the study, or of the scenario's file.
    pub study: String,
    /// The network of all points.
    pub network: &'static dyn Network,
    /// The keys that vary.
    pub axes: BTreeMap<String, results::Axis>,
    /// The seed of all points.
    pub seed: u64,
    /// In the order of results.
    pub points: Vec<Point>,
    /// A share of the requests: the time that they exceed is asked of the only point.
    pub tail: Option<f64>,
}

impl Plan {
    /// Plans a run, or a sweep over the axes of `over`.
    pub fn of(base: ScenarioBase, over: &[String], runs: &Runs) -> Result<Plan, Problems> {
        let axes = axes(&base.document, over)?;
        let points = base.points(&axes, runs)?;
        Plan::assemble(base.experiment, &axes, points)
    }

    /// A plan of points that differ and belong together; they share a budget of events.
    pub fn assemble(study: String, axes: &[Axis], mut points: Vec<Point>) -> Result<Plan, Problems> {
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
        let share = points.len() as u64;
        for deciding in points.iter_mut().filter_map(|point| point.spec.deciding.as_mut()) {
            deciding.events /= share;
        }
        let network = points[0].network;
        #[cfg(feature = "rare")]
        let points = beginnings::shared(points);
        let axes = axes.iter().map(|axis| (axis.path.clone(), results::Axis { unit: axis.unit.map(str::to_owned) }));
        Ok(Plan { study, network, axes: axes.collect(), seed, points, tail: None })
    }
}
