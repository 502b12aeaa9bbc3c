//! From what a user asks for to the points to run, in a fixed order, each checked before any runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use sojourn_engine::stopping::{Precision, StoppingRule};
use sojourn_metrics::{registry, results};
use sojourn_networks::Information;
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::{Axis, Document, Problem, Problems, Scenario, Setting, WarmUp, check};

use crate::cache::hexadecimal;
use crate::execute::Work;
use crate::request::{Command, Request};
use crate::study::{Experiment, Study};

/// A precision adds no replications beyond this many.
const MOST_REPLICATIONS: u32 = 1000;

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

/// One point to run.
pub struct Point {
    /// Id of the experiment, or name of the scenario's file.
    pub experiment: String,
    /// The values of the keys that vary.
    pub set: BTreeMap<String, results::Setting>,
    /// The checked scenario.
    pub scenario: Scenario,
    /// SHA-256 over its canonical form.
    pub hash: String,
    /// Metrics to report whether they apply or not.
    pub metrics: Vec<String>,
    /// What to run.
    pub work: Work,
}

/// Plans a run, a sweep or a study.
pub fn plan(request: &Request) -> Result<Plan, Problems> {
    validate(request)?;
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

/// A scenario with everything set that does not vary.
pub struct Base {
    /// As edited.
    pub document: Document,
    /// Id of the experiment, or name of the scenario's file.
    pub experiment: String,
    metrics: Vec<String>,
    /// What must not be shorter or fewer than what `quick` says.
    unhurried: Option<Document>,
}

impl Base {
    /// The scenario file of a run, a sweep or a search, with its overrides.
    pub fn from_file(request: &Request) -> Result<Base, Problems> {
        let path = request.file.as_deref().ok_or_else(|| Problem::plain("no scenario file was named"))?;
        let mut document = Document::read(path)?;
        override_with(&mut document, request)?;
        Ok(Base { document, experiment: stem(path), metrics: Vec::new(), unhurried: None })
    }

    fn from_experiment(study: &Study, experiment: &Experiment, request: &Request) -> Result<Base, Problems> {
        let path: PathBuf = study.folder.join(&experiment.scenario);
        if !path.is_file() {
            let message = format!("there is no scenario {}", path.display());
            return Err(Problem::at(experiment.scenario_place.clone(), message).into());
        }
        let mut document = Document::read(&path)?;
        for setting in &experiment.set {
            document.set_at(&setting.key, setting.key_place.clone(), setting.value.clone())?;
        }
        let unhurried = request.quick.then(|| document.clone());
        if request.quick {
            hurry(&mut document, experiment)?;
        }
        override_with(&mut document, request)?;
        Ok(Base { document, experiment: experiment.id.clone(), metrics: experiment.metrics.clone(), unhurried })
    }

    /// The product of the axes, the first the slowest.
    fn points(&self, axes: &[Axis], request: &Request) -> Result<Vec<Point>, Problems> {
        let mut combinations: Vec<Vec<(&Axis, &Setting)>> = vec![Vec::new()];
        for axis in axes {
            let extended = combinations.iter().flat_map(|combination| {
                axis.values.iter().map(move |value| [combination.as_slice(), &[(axis, value)]].concat())
            });
            combinations = extended.collect();
        }
        if let Some(unhurried) = &self.unhurried {
            self.refuse_raised(unhurried, &combinations[0])?;
        }
        let mut problems = Problems::new();
        let mut points = Vec::new();
        for combination in &combinations {
            match self.point(combination, request) {
                Ok(point) => points.push(point),
                Err(found) => problems.0.extend(found.0),
            }
        }
        problems.or(points)
    }

    /// The point at one value of each axis.
    pub fn point(&self, values: &[(&Axis, &Setting)], request: &Request) -> Result<Point, Problems> {
        let document = with_values(&self.document, values)?;
        let scenario = check(&document)?;
        judge_expectations(&scenario)?;
        let network = sojourn_networks::find(scenario.kind)
            .ok_or_else(|| Problem::plain(format!("networks of kind {} cannot be simulated", scenario.kind)))?;
        let rule = stopping_rule(request, &scenario, network.information().probe_metric)?;
        let canonical = scenario.canonical_json();
        let set = values.iter().map(|(axis, value)| Ok((axis.path.clone(), result_setting(value)?)));
        let run = scenario.run();
        let work = Work {
            model: Arc::from(network.model(&scenario)?),
            scenario: fingerprint(&without_replications(&canonical)),
            seed: run.seed,
            duration: run.duration,
            warm_up: match run.warm_up {
                WarmUp::Fixed(warm_up) => Some(warm_up),
                WarmUp::Auto => None,
            },
            rule,
            probe: metric_and_field(network.information().probe_metric).0.to_owned(),
        };
        Ok(Point {
            experiment: self.experiment.clone(),
            set: set.collect::<Result<_, Problems>>()?,
            hash: fingerprint(&canonical),
            metrics: self.metrics.clone(),
            scenario,
            work,
        })
    }

    /// `quick` lowers; a study that raises with it is mistaken.
    fn refuse_raised(&self, unhurried: &Document, values: &[(&Axis, &Setting)]) -> Result<(), Problems> {
        let full = check(&with_values(unhurried, values)?)?;
        let quick = check(&with_values(&self.document, values)?)?;
        if quick.run().duration > full.run().duration || quick.run().replications > full.run().replications {
            let message = format!(
                "experiment {}: quick has {} and {} replications, the scenario {} and {}",
                self.experiment,
                quick.run().duration,
                quick.run().replications,
                full.run().duration,
                full.run().replications
            );
            return Err(Problem::plain(message).help("quick only lowers duration and replications").into());
        }
        Ok(())
    }
}

fn with_values(document: &Document, values: &[(&Axis, &Setting)]) -> Result<Document, Problems> {
    let mut document = document.clone();
    for (axis, value) in values {
        document.set(&axis.path, &value.text, &format!("{}={}", axis.path, value.text))?;
    }
    Ok(document)
}

fn hurry(document: &mut Document, experiment: &Experiment) -> Result<(), Problems> {
    if let Some(duration) = &experiment.quick.duration {
        document.set_node("run.duration", duration.clone())?;
    }
    if let Some(replications) = experiment.quick.replications {
        document.set("run.replications", &replications.to_string(), "quick.replications")?;
    }
    Ok(())
}

/// `--set`, then `--seed` and `--replications`.
pub fn override_with(document: &mut Document, request: &Request) -> Result<(), Problems> {
    let mut problems = Problems::new();
    for argument in &request.set {
        let outcome = match argument.split_once('=') {
            Some((key, value)) => document.set(key.trim(), value, argument),
            None => {
                let problem = Problem::argument(argument, 0..argument.len(), "this sets nothing");
                Err(problem.help("write --set KEY=VALUE, as --set run.duration='60 s'").into())
            }
        };
        problems.0.extend(outcome.err().into_iter().flat_map(|found| found.0));
    }
    problems.or(())?;
    if let Some(seed) = request.seed {
        document.set("run.seed", &seed.to_string(), &format!("--seed {seed}"))?;
    }
    if let Some(replications) = request.replications {
        document.set("run.replications", &replications.to_string(), &format!("--replications {replications}"))?;
    }
    Ok(())
}

/// Mistakes in a request that speak of no scenario.
pub fn validate(request: &Request) -> Result<(), Problems> {
    let mut problems = Problems::new();
    let mut refuse = |wrong: bool, message: &str| {
        if wrong {
            problems.push(Problem::plain(message));
        }
    };
    refuse(request.jobs == Some(0), "--jobs 0: a job has at least one thread");
    refuse(request.replications == Some(0), "--replications 0: a point has at least one replication");
    let positive = |share: f64| share > 0.0 && share < 1.0;
    refuse(
        request.precision.is_some_and(|share| !positive(share)),
        "--precision is a share of the value, above 0 and below 1, as 0.02",
    );
    refuse(
        request.precision.is_some() && request.replications.is_some(),
        "--precision decides how many replications there are: leave --replications out",
    );
    refuse(
        request.precision.is_none() && request.precision_of.is_some(),
        "--precision-of says what --precision watches: give --precision, too",
    );
    refuse(request.pcap.is_some() && request.command != Command::Run, "only a single run can be captured");
    problems.or(())
}

fn stopping_rule(request: &Request, scenario: &Scenario, probe: &str) -> Result<StoppingRule, Problems> {
    let Some(target) = request.precision else { return Ok(StoppingRule::Fixed(scenario.run().replications)) };
    let watched = request.precision_of.as_deref().unwrap_or(probe);
    let (metric, field) = metric_and_field(watched);
    refuse_unknown_metric(watched, metric, field)?;
    if !matches!(field, "mean" | "p50" | "p99" | "value") {
        let problem = Problem::argument(watched, 0..watched.len(), format!("`{field}` has no interval to watch"));
        return Err(problem.help("watch mean, p50, p99 or value").into());
    }
    let (metric, field) = (metric.to_owned(), field.to_owned());
    Ok(StoppingRule::Precision(Precision { metric, field, target, cap: MOST_REPLICATIONS }))
}

/// `response_time.p99` in two; a name alone stands for its shape's main field.
pub fn metric_and_field(text: &str) -> (&str, &str) {
    match text.rsplit_once('.') {
        Some(parts) => parts,
        None => match registry::find(text).map(|information| information.shape) {
            Some(registry::Shape::Scalar) => (text, "value"),
            _ => (text, "mean"),
        },
    }
}

/// A condition or precision on a metric that does not exist, or a field its shape lacks, is a mistake.
pub fn refuse_unknown_metric(text: &str, metric: &str, field: &str) -> Result<(), Problems> {
    let argument = |message: String| Problem::argument(text, 0..text.len(), message);
    let Some(information) = registry::find(metric) else {
        let known = registry::all().iter().map(|information| information.name);
        let problem = argument(format!("there is no metric `{metric}`"));
        return Err(problem.maybe_help(suggestion(metric, known)).into());
    };
    let fields = fields_of(information.shape);
    if !fields.contains(&field) {
        let problem = argument(format!("`{metric}` has no field `{field}`"));
        return Err(problem.maybe_help(suggestion(field, fields.iter().copied())).into());
    }
    Ok(())
}

/// The fields a metric of a shape has.
fn fields_of(shape: registry::Shape) -> &'static [&'static str] {
    match shape {
        registry::Shape::Distribution => {
            &["count", "min", "min_mean", "mean", "max", "max_mean", "p50", "p90", "p99", "p999", "sd"]
        }
        registry::Shape::Scalar => &["value"],
        registry::Shape::TimeWeighted => &["mean", "max"],
        registry::Shape::Budget => &["mean", "share", "slowest_mean", "slowest_share"],
    }
}

/// Every `[expect]` speaks of a metric there is.
pub fn judge_expectations(scenario: &Scenario) -> Result<(), Problems> {
    let mut problems = Problems::new();
    for expectation in scenario.expectations() {
        if let Err(found) = refuse_unknown_metric(&expectation.text, &expectation.metric, &expectation.field) {
            let placed = |problem: Problem| Problem { place: expectation.place.clone().or(problem.place), ..problem };
            problems.0.extend(found.0.into_iter().map(placed));
        }
    }
    problems.or(())
}

fn result_setting(value: &Setting) -> Result<results::Setting, Problems> {
    serde_json::from_value(value.json.clone())
        .map_err(|_| Problem::plain(format!("`{}` cannot vary: it is no number and no word", value.text)).into())
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

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// SHA-256 of `text` in hexadecimal.
pub fn fingerprint(text: &str) -> String {
    hexadecimal(&Sha256::digest(text))
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
