//! A scenario with all fixed settings applied, and the points that its axes generate.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use sojourn_core::Duration;
use sojourn_engine::stopping::{MOST_REPLICATIONS, Precision, StoppingRule};
use sojourn_metrics::control;
use sojourn_metrics::results::{self, Bounds};
use sojourn_model::{Catalogue, Drawn, Model, Network};
use sojourn_scenario::redaction::shown_value;
use sojourn_scenario::{Axis, Document, Problem, Problems, Scenario, Setting, WarmUp, check};

use crate::Runs;
use crate::condition::{has_interval, metric_and_field, refuse_unknown_metric, refuse_wrong_expectations};
use crate::deciding::Deciding;
use crate::entry::hexadecimal;
use crate::rounds::PointSpec;
use crate::warm_up;

/// One point to run.
pub struct Point {
    /// Id of the experiment, or name of the scenario's file.
    pub experiment: String,
    /// The values of the keys that vary.
    pub set: BTreeMap<String, results::Setting>,
    /// The scenario, checked at these values.
    pub scenario: Scenario,
    /// Its network.
    pub network: &'static dyn Network,
    /// SHA-256 over its canonical form.
    pub hash: String,
    /// Metrics to report whether they apply or not.
    pub metrics: Vec<String>,
    /// The simulation to run.
    pub spec: PointSpec,
    /// The worst cases, where they were asked for.
    pub bounds: Option<Bounds>,
}

impl Point {
    /// Asks for the worst cases, too.
    pub fn bound(&mut self) -> Result<(), Problems> {
        self.bounds = Some(self.network.worst_cases(&self.scenario)?);
        Ok(())
    }
}

/// A scenario with everything set that does not vary.
pub struct ScenarioBase {
    /// The networks that there are.
    pub catalogue: Catalogue,
    /// The document with its overrides.
    pub document: Document,
    /// Id of the experiment, or name of the scenario's file.
    pub experiment: String,
    /// Metrics to report whether they apply or not.
    pub metrics: Vec<String>,
    /// The scenario before and after `quick`, if that applies.
    pub quick: Option<[Document; 2]>,
}

impl ScenarioBase {
    /// The scenario file of a run, a sweep or a search, with its overrides.
    pub fn from_file(catalogue: Catalogue, path: &Path, set: &[String], runs: &Runs) -> Result<ScenarioBase, Problems> {
        ScenarioBase::new(catalogue, catalogue.kinds().read(path)?, stem(path)).with(set, runs)
    }

    /// A document as it is, under the name of an experiment.
    pub fn new(catalogue: Catalogue, document: Document, experiment: String) -> ScenarioBase {
        ScenarioBase { catalogue, document, experiment, metrics: Vec::new(), quick: None }
    }

    /// The network of the document.
    pub fn network(&self) -> &'static dyn Network {
        self.catalogue.find(self.document.kind()).expect("the document was read by the keys of one of them")
    }

    /// The same with the overrides of a request.
    pub fn with(mut self, set: &[String], runs: &Runs) -> Result<ScenarioBase, Problems> {
        override_keys(&mut self.document, set)?;
        override_runs(&mut self.document, runs.seed, runs.replications)?;
        Ok(self)
    }

    /// The product of the axes, the first the slowest.
    pub fn points(&self, axes: &[Axis], runs: &Runs) -> Result<Vec<Point>, Problems> {
        let combinations = combinations(axes);
        self.refuse_raised(&combinations[0])?;
        let mut problems = Problems::new();
        let mut points = Vec::new();
        for combination in &combinations {
            match self.point(combination, runs) {
                Ok(point) => points.push(point),
                Err(found) => problems.0.extend(found.0),
            }
        }
        problems.or(points)
    }

    /// The point at one value of each axis.
    pub fn point(&self, values: &[(&Axis, &Setting)], runs: &Runs) -> Result<Point, Problems> {
        let document = with_values(&self.document, values)?;
        let scenario = check(&document)?;
        if scenario.is_measurement() {
            let message = "this document describes a measurement: it has no stations to simulate";
            return Err(Problem::plain(message).help("sojourn measure FILE").into());
        }
        let network = self.network();
        refuse_wrong_expectations(&scenario, network.information())?;
        let model: Arc<dyn Model> = Arc::from(network.model(&scenario)?);
        let probe = warm_up::probe(&scenario, &*model)?;
        let rule = stopping_rule(runs, &scenario, &format!("{probe}.mean"))?;
        let canonical = scenario.canonical_json();
        let run = scenario.run();
        let spec = PointSpec {
            model,
            scenario: reproducible(&scenario),
            seed: run.seed,
            duration: run.duration,
            warm_up: match run.warm_up {
                WarmUp::Fixed(warm_up) => Some(warm_up),
                WarmUp::Auto => None,
            },
            rule,
            probe: probe.to_owned(),
            control_variates: runs.control_variates,
            deciding: Deciding::of(runs, &scenario),
            beginning: None,
            part: None,
        };
        if runs.control_variates {
            refuse_missing_controls(&spec, scenario.kind)?;
        }
        let bounds = match scenario.expectations().iter().any(|condition| condition.field == "bound") {
            true => Some(network.worst_cases(&scenario)?),
            false => None,
        };
        Ok(Point {
            experiment: self.experiment.clone(),
            set: settings(values)?,
            network,
            hash: fingerprint(&canonical),
            metrics: self.metrics.clone(),
            scenario,
            spec,
            bounds,
        })
    }

    /// Refuses a `quick` that raises what it is to lower.
    fn refuse_raised(&self, values: &[(&Axis, &Setting)]) -> Result<(), Problems> {
        let Some([full, quick]) = &self.quick else { return Ok(()) };
        let (full, quick) = (check(&with_values(full, values)?)?, check(&with_values(quick, values)?)?);
        let (full, quick) = (full.run(), quick.run());
        if quick.duration > full.duration || quick.replications > full.replications {
            let message = format!(
                "experiment {}: quick has {} and {} replications, the scenario {} and {}",
                self.experiment, quick.duration, quick.replications, full.duration, full.replications
            );
            return Err(Problem::plain(message).help("quick only lowers duration and replications").into());
        }
        Ok(())
    }
}

/// The product of the axes, the first the slowest; one empty combination of none.
pub fn combinations(axes: &[Axis]) -> Vec<Vec<(&Axis, &Setting)>> {
    let mut combinations: Vec<Vec<(&Axis, &Setting)>> = vec![Vec::new()];
    for axis in axes {
        let extended = combinations.iter().flat_map(|combination| {
            axis.values.iter().map(move |value| [combination.as_slice(), &[(axis, value)]].concat())
        });
        combinations = extended.collect();
    }
    combinations
}

/// The axes of `--over`, all mistakes at once; none may vary twice.
pub fn axes(document: &Document, over: &[String]) -> Result<Vec<Axis>, Problems> {
    let (mut axes, mut problems): (Vec<Axis>, Problems) = (Vec::new(), Problems::new());
    for argument in over {
        match document.axis(argument) {
            Ok(axis) if axes.iter().any(|other| other.path == axis.path) => {
                let span = 0..axis.path.len().min(argument.len());
                problems.push(Problem::argument(argument, span, format!("`{}` varies twice", axis.path)));
            }
            Ok(axis) => axes.push(axis),
            Err(found) => problems.0.extend(found.0),
        }
    }
    problems.or(axes)
}

/// A document with one value of each axis.
pub fn with_values(document: &Document, values: &[(&Axis, &Setting)]) -> Result<Document, Problems> {
    let mut document = document.clone();
    for (axis, value) in values {
        document.set(&axis.path, &value.text, &format!("{}={}", axis.path, value.text))?;
    }
    Ok(document)
}

/// One value of each axis as results have it, without secrets.
pub fn settings(values: &[(&Axis, &Setting)]) -> Result<BTreeMap<String, results::Setting>, Problems> {
    values.iter().map(|(axis, value)| Ok((axis.path.clone(), result_setting(&axis.path, value)?))).collect()
}

/// Sets keys by `KEY=VALUE`, all mistakes at once.
pub fn override_keys(document: &mut Document, set: &[String]) -> Result<(), Problems> {
    let mut problems = Problems::new();
    for argument in set {
        let outcome = match argument.split_once('=') {
            Some((key, value)) => document.set(key.trim(), value, argument),
            None => {
                let problem = Problem::argument(argument, 0..argument.len(), "expected KEY=VALUE");
                Err(problem.help("write --set KEY=VALUE, as --set run.duration='60 s'").into())
            }
        };
        problems.0.extend(outcome.err().into_iter().flat_map(|found| found.0));
    }
    problems.or(())
}

/// Sets `--seed` and `--replications`.
pub fn override_runs(document: &mut Document, seed: Option<u64>, replications: Option<u32>) -> Result<(), Problems> {
    if let Some(seed) = seed {
        document.set("run.seed", &seed.to_string(), &format!("--seed {seed}"))?;
    }
    if let Some(replications) = replications {
        document.set("run.replications", &replications.to_string(), &format!("--replications {replications}"))?;
    }
    Ok(())
}

/// Refuses control variates of a model that has none, or of too few replications.
fn refuse_missing_controls(spec: &PointSpec, kind: &str) -> Result<(), Problems> {
    let drawn = Drawn { seed: spec.seed, index: 0, warm_up: Duration::ZERO, duration: spec.duration };
    let controls = spec.model.controls(drawn).len();
    if controls == 0 {
        let message = format!(
            "--control-variates: nothing in this network of kind {kind} has a known mean that could correct another"
        );
        let help =
            "there are some in networks of kind queue, without events: Poisson arrivals and exponential services";
        return Err(Problem::plain(message).help(help).into());
    }
    match spec.rule {
        StoppingRule::Fixed(replications) if (replications as usize) < control::fewest(controls) => {
            let message = format!("--control-variates: {replications} replications are too few for {controls} of them");
            Err(Problem::plain(message).help(format!("--replications {} or more", control::fewest(controls))).into())
        }
        _ => Ok(()),
    }
}

fn stopping_rule(runs: &Runs, scenario: &Scenario, probe: &str) -> Result<StoppingRule, Problems> {
    let Some(target) = runs.precision else { return Ok(StoppingRule::Fixed(scenario.run().replications)) };
    let watched = runs.precision_of.as_deref().unwrap_or(probe);
    let (metric, field) = metric_and_field(watched);
    refuse_unknown_metric(watched, metric, field)?;
    if !has_interval(field) {
        let problem = Problem::argument(watched, 0..watched.len(), format!("`{field}` has no interval to watch"));
        return Err(problem.help("watch mean, p50, p90, p95, p99, p999 or value").into());
    }
    let (metric, field) = (metric.to_owned(), field.to_owned());
    Ok(StoppingRule::Precision(Precision { metric, field, target, cap: MOST_REPLICATIONS }))
}

fn result_setting(path: &str, value: &Setting) -> Result<results::Setting, Problems> {
    let shown = match &value.json {
        serde_json::Value::String(text) => shown_value(path, text).into(),
        other => other.clone(),
    };
    serde_json::from_value(shown)
        .map_err(|_| Problem::plain(format!("`{}` cannot vary: it is neither a number nor a word", value.text)).into())
}

/// The name of a scenario: that of its file, without its ending.
pub fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// SHA-256 of `text` in hexadecimal.
pub fn fingerprint(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
}

/// Fingerprint of all that decides a scenario's replications, but for their seed and numbers.
pub fn reproducible(scenario: &Scenario) -> String {
    fingerprint(&without_replications(&scenario.canonical_json()))
}

/// The canonical scenario without its number of replications, on which no single replication depends: asking
/// for more of them finds the first ones in the cache.
fn without_replications(canonical: &str) -> String {
    let mut scenario: serde_json::Value = serde_json::from_str(canonical).expect("a canonical scenario is JSON");
    if let Some(run) = scenario.get_mut("run").and_then(serde_json::Value::as_object_mut) {
        run.remove("replications");
    }
    scenario.to_string()
}
