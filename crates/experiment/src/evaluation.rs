//! Evaluates the replications of a plan: the results file, verdicts, failures and warnings.

use std::collections::BTreeMap;

use serde::Serialize;
use sojourn_core::Duration;
use sojourn_metrics::display::Shown;
use sojourn_metrics::merge::merge;
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::results::{self, BoundRow, Bounds, Results, SCHEMA, Setting};
use sojourn_model::Meaning;
use sojourn_scenario::{Event, Place, WarmUp};

use crate::claim::{Origin, needed};
use crate::condition_unit::ConditionUnit;
use crate::limit::Limit;
use crate::notes::{notes, of_points, unused};
use crate::plan::Plan;
use crate::points::{Point, fingerprint};
use crate::rounds::PointResult;
use crate::stability;
#[cfg(feature = "rare")]
use crate::tail;
use crate::verdict::{Judgement, judge};

/// Occurrences of an event that results list.
const LISTED: u64 = 100;

/// Which build computes: it names results, and keys the cache.
#[derive(Clone, Debug, Serialize)]
pub struct Build {
    /// Version of the build, as `0.1.0`.
    pub version: String,
    /// Short commit the build was made from, with `-dirty` if its tree was changed, or `unknown`.
    pub commit: String,
    /// Fingerprint of all that can change a result: sources, locked libraries, compiler.
    pub identity: String,
}

/// All that the replications of a plan show.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Evaluation {
    /// The exact text of `results.json`.
    pub results_json: String,
    /// For each point and each of its expectations.
    pub verdicts: Vec<PointVerdict>,
    /// Points that could not be computed.
    pub failures: Vec<Failure>,
    /// What a reader of the numbers should know.
    pub warnings: Vec<String>,
}

/// A point judged by one expectation.
#[derive(Clone, Debug, Serialize)]
pub struct PointVerdict {
    /// Index of the point in the results.
    pub point: usize,
    /// Id of its experiment.
    pub experiment: String,
    /// Its values of the keys that vary.
    pub set: BTreeMap<String, results::Setting>,
    /// The expectation as written.
    pub text: String,
    /// The unit in which pages show its value: that of results, but shares in percent.
    pub unit: &'static str,
    /// The verdict and the value it is based on.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// What it would take to claim more, where the verdict is undecided or an event was not seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
}

/// A point that could not be computed.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Index of the point in the results.
    pub point: usize,
    /// Why it could not be computed.
    pub message: String,
}

/// The answer to what was asked, beside the metrics of the points.
enum Answer {
    None,
    Risk(results::RiskSummary),
    Advice(results::AdviceSummary),
}

impl Evaluation {
    /// Of a plan whose points were all tried; `finished` in the order of the plan. A search has a limit, too.
    pub fn of(plan: &Plan, finished: &[PointResult], limit: Option<&Limit>, build: &Build) -> Evaluation {
        Evaluation::assembled(plan, finished, limit, Answer::None, build)
    }

    /// Of a plan of one point, and how often a rare event of it occurs.
    pub fn of_risk(plan: &Plan, finished: &[PointResult], risk: results::RiskSummary, build: &Build) -> Evaluation {
        Evaluation::assembled(plan, finished, None, Answer::Risk(risk), build)
    }

    /// Of a plan with a point for each alternative, and which of them is best.
    pub fn of_advice(
        plan: &Plan,
        finished: &[PointResult],
        advice: results::AdviceSummary,
        build: &Build,
    ) -> Evaluation {
        Evaluation::assembled(plan, finished, None, Answer::Advice(advice), build)
    }

    fn assembled(
        plan: &Plan,
        finished: &[PointResult],
        limit: Option<&Limit>,
        answer: Answer,
        build: &Build,
    ) -> Evaluation {
        let mut evaluation = Evaluation::default();
        let (mut points, mut noted, mut broken) = (Vec::new(), Vec::new(), Vec::new());
        let origin = Origin::Simulated { ends_with_its_probes: plan.network.information().ends_with_its_probes };
        for (index, (point, finished)) in plan.points.iter().zip(finished).enumerate() {
            let result = result_of(point, finished);
            let name = name_of(point, &plan.axes);
            let meaning = point.network.meaning(&point.scenario);
            evaluation.warn_of_design(point, &name, &meaning, finished.records.len(), &mut broken);
            if let Some(warning) = finished.warning.as_ref().filter(|_| finished.failure.is_none()) {
                evaluation.warnings.push(format!("{name}: {warning}"));
            }
            match limit
                .is_some()
                .then_some(finished.failure.as_ref())
                .flatten()
                .filter(|_| finished.unsettled.is_some())
            {
                // a search goes on without a value that does not settle
                Some(why) => evaluation.warnings.push(format!("{name}: {why}; it decides nothing")),
                None => evaluation.add_point(index, point, &result, finished, origin),
            }
            let mut own = notes(&result, &finished.records, &point.spec.probe, origin);
            own.extend(unused(&result, &meaning.passed));
            noted.push((name, own));
            points.push(result);
        }
        for warning in of_points(&noted) {
            if !evaluation.warnings.contains(&warning) {
                evaluation.warnings.push(warning);
            }
        }
        let limit = limit.map(Limit::summary);
        let (risk, advice) = match answer {
            Answer::None => (None, None),
            Answer::Risk(risk) => (Some(risk), None),
            Answer::Advice(advice) => (None, Some(advice)),
        };
        let found = bounds_of(plan, &mut points);
        evaluation.warnings.extend(found.iter().flat_map(|found| &found.rows).filter_map(above_bound));
        let results = Results { limit, risk, advice, ..results_of(plan, points, build) };
        let results = match found {
            Some(Bounds { rows, assumptions, priorities }) => {
                Results { bounds: Some(rows), bound_assumptions: assumptions, bound_priorities: priorities, ..results }
            }
            None => results,
        };
        #[cfg(feature = "rare")]
        let results = {
            let tail = tail::of(plan, finished);
            evaluation.warnings.extend(tail.as_ref().and_then(tail::too_few));
            Results { tail, ..results }
        };
        evaluation.results_json = text_of(&results);
        evaluation
    }

    fn add_point(
        &mut self,
        index: usize,
        point: &Point,
        result: &results::Point,
        finished: &PointResult,
        origin: Origin,
    ) {
        if let Some(message) = &finished.failure {
            self.failures.push(Failure { point: index, message: message.clone() });
            return;
        }
        for expectation in point.scenario.expectations() {
            let judgement = judge(expectation, &result.metrics);
            let judgement = stability::corrected(expectation, judgement, &result.stability);
            self.verdicts.push(PointVerdict {
                point: index,
                experiment: point.experiment.clone(),
                set: point.set.clone(),
                text: expectation.text.clone(),
                unit: ConditionUnit::shown(&expectation.metric, &expectation.field),
                needs: needed(expectation, &judgement, result, &finished.records, origin),
                judgement,
            });
        }
    }

    /// Adds the notes on the scenario of a point. A note that several points share names the first of them.
    fn warn_of_design(
        &mut self,
        point: &Point,
        name: &str,
        meaning: &Meaning<'_>,
        replications: usize,
        broken: &mut Vec<(&'static str, Option<Place>)>,
    ) {
        let replications = if replications > 0 { replications as u32 } else { point.scenario.run().replications };
        for warning in point.network.notes(&point.scenario, meaning, replications) {
            let rule = (warning.rule, warning.problem.place.clone());
            if !broken.contains(&rule) {
                broken.push(rule);
                let first = if point.set.is_empty() { String::new() } else { format!("{name}: ") };
                self.warnings.push(format!("{first}{}", warning.in_words()));
            }
        }
    }
}

/// A point in the words of a person: `D (background.rate = 300 /s)`.
fn name_of(point: &Point, axes: &BTreeMap<String, results::Axis>) -> String {
    let shown = |(key, value): (&String, &Setting)| {
        let unit = axes.get(key).and_then(|axis| axis.unit.as_deref()).unwrap_or_default().trim_start_matches('1');
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        match value {
            Setting::Flag(flag) => format!("{key} = {flag}"),
            Setting::Integer(number) => format!("{key} = {number}{unit}"),
            Setting::Number(number) => format!("{key} = {number}{unit}"),
            Setting::Word(word) => format!("{key} = {word}"),
        }
    };
    let settings: Vec<String> = point.set.iter().map(shown).collect();
    match settings.is_empty() {
        true => point.experiment.clone(),
        false => format!("{} ({})", point.experiment, settings.join(", ")),
    }
}

/// A point's place in the results.
pub fn result_of(point: &Point, finished: &PointResult) -> results::Point {
    let mut metrics = merge(&finished.records);
    for name in point.metrics.iter().filter(|name| !metrics.contains_key(*name)).collect::<Vec<_>>() {
        let mut empty = Record::default();
        empty.observe(name.as_str(), Observation::NotApplicable);
        metrics.extend(merge(&[empty]));
    }
    if let Some(bounds) = &point.bounds {
        bounds.clone().compare(&mut metrics);
    }
    results::Point {
        experiment: point.experiment.clone(),
        set: point.set.clone(),
        status: finished.failure.as_ref().map_or("ok".to_owned(), |message| format!("failed: {message}")),
        replications: finished.records.len() as u32,
        decided_by: finished.stop.map(|stop| stop.word().to_owned()),
        duration: point.spec.duration.seconds(),
        warm_up: finished.warm_up.seconds(),
        scenario_hash: Some(point.hash.clone()),
        metrics,
        stability: sojourn_metrics::stability::of(&finished.records),
        events: events_of(point),
        outages: Vec::new(),
    }
}

/// The events whose times are known before the run.
fn events_of(point: &Point) -> Vec<results::EventSummary> {
    let run = point.scenario.run();
    let WarmUp::Fixed(warm_up) = run.warm_up else { return Vec::new() };
    let end = warm_up.seconds() + run.duration.seconds();
    let end = Duration::from_seconds(end).unwrap_or(Duration::MAX);
    let of = |event: &Event| {
        let summary = |(begin, end): (Duration, Option<Duration>)| results::EventSummary {
            name: event.name.clone(),
            action: event.action.word.word.to_owned(),
            begin: begin.seconds(),
            end: end.map(Duration::seconds),
        };
        event.schedule.known(end, LISTED).into_iter().map(summary).collect::<Vec<_>>()
    };
    point.scenario.events().iter().flat_map(of).collect()
}

/// That a measured value is above its bound: the real network is not the one described.
fn above_bound(row: &BoundRow) -> Option<String> {
    let (measured, bound) = row.measured_max.zip(row.bound())?;
    let of = row.metric.as_ref()?;
    (measured > bound).then(|| {
        let [measured, bound] = Shown::unit(&row.unit).apart(measured, bound);
        format!(
            "{of}: {measured} was measured, above the bound of {bound}: the network has delays that the scenario leaves out, or \
             sources beyond their envelopes"
        )
    })
}

/// The worst cases of a plan of one point, beside what was simulated.
fn bounds_of(plan: &Plan, points: &mut [results::Point]) -> Option<Bounds> {
    let ([planned], [point]) = (&plan.points[..], points) else { return None };
    let mut bounds = planned.bounds.clone()?;
    bounds.compare(&mut point.metrics);
    Some(bounds)
}

fn results_of(plan: &Plan, points: Vec<results::Point>, build: &Build) -> Results {
    let hashes: Vec<&str> = plan.points.iter().map(|point| point.hash.as_str()).collect();
    Results {
        schema: SCHEMA,
        sojourn: build.version.clone(),
        commit: build.commit.clone(),
        study: plan.study.clone(),
        network: plan.network.kind().to_owned(),
        world: "simulated".to_owned(),
        seed: plan.seed,
        scenario_hash: fingerprint(&hashes.join("\n")),
        method: "replications, Student t".to_owned(),
        axes: plan.axes.clone(),
        limit: None,
        risk: None,
        advice: None,
        tail: None,
        bounds: None,
        bound_assumptions: Vec::new(),
        bound_priorities: Vec::new(),
        path: None,
        slowest: None,
        roles: None,
        points,
    }
}

/// The file: one line for what all points share, one for each point.
pub fn text_of(results: &Results) -> String {
    let head =
        serde_json::to_string(&Results { points: Vec::new(), ..results.clone() }).expect("results are plain data");
    let head = head.strip_suffix("[]}").expect("the points come last");
    let points = results.points.iter().map(|point| serde_json::to_string(point).expect("results are plain data"));
    format!("{head}[\n{}\n]}}\n", points.collect::<Vec<_>>().join(",\n"))
}
