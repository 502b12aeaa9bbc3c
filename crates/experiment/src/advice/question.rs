//! What is asked: the alternatives, the objective, the conditions, and the indifference.

use serde::Deserialize;
use sojourn_metrics::registry::{self, Better};
use sojourn_model::{Information, Network};
use sojourn_scenario::quantity::{Dimension, Quantity};
use sojourn_scenario::{Axis, Expectation, Problem, Problems, Scenario, check};

use super::alternatives::{Alternative, combined};
use crate::Runs;
use crate::condition::{
    has_interval, metric_and_field, refuse_unknown_metric, refuse_unsampled, refuse_wrong_expectations,
};
use crate::plan::Plan;
use crate::points::ScenarioBase;

/// A difference below this share of the best value does not count, unless another is asked for.
const INDIFFERENCE: f64 = 0.05;

/// The request of advice, without its scenario.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdviceRequest {
    /// Options in addition to those of the scenario, each `NAME: KEY=VALUE, KEY=VALUE, cost=NUMBER`.
    pub options: Vec<String>,
    /// The metric and field to compare by, `response_time.p99`; without it that of the first condition, or the p99 of the network's probe.
    pub by: Option<String>,
    /// The condition that the answer must meet; without it, all of the scenario's `[expect]`.
    pub until: Option<String>,
    /// The indifference, the smallest difference that counts: `5 %` of the best value, or `2 ms`.
    pub indifference: Option<String>,
    /// Options that are combined at most; by default pairs, where these are few.
    pub combine: Option<u32>,
}

/// The smallest difference that counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Indifference {
    /// Of the best value.
    Share(f64),
    /// In the unit of the metric.
    Value(f64),
}

/// The metric and field by which alternatives are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    /// The metric, with its member.
    pub metric: String,
    /// The field of it.
    pub field: String,
    /// Its unit.
    pub unit: &'static str,
    /// Which values are better.
    pub better: Better,
}

/// The question.
pub struct Question {
    /// The scenario.
    pub base: ScenarioBase,
    /// The scenario as it is, then the changes.
    pub alternatives: Vec<Alternative>,
    /// By what they are compared.
    pub objective: Objective,
    /// What the answer must meet.
    pub conditions: Vec<Expectation>,
    /// The smallest difference that counts.
    pub indifference: Indifference,
    /// Whether the options are those of the network.
    pub is_proposed: bool,
    /// Replications of each alternative at first.
    pub first: u32,
}

/// Fewer replications give no variance to go by.
const FEWEST: u32 = 10;

impl Question {
    /// Reads the request; every alternative is checked.
    pub fn read(mut base: ScenarioBase, request: &AdviceRequest, runs: &Runs) -> Result<Question, Problems> {
        let mut problems = Problems::new();
        for option in &request.options {
            problems.0.extend(base.document.add_option(option).err().into_iter().flat_map(|found| found.0));
        }
        problems.or(())?;
        let scenario = check(&base.document)?;
        let network = base.network();
        refuse_wrong_expectations(&scenario, network.information())?;
        let conditions = conditions(request.until.as_deref(), &scenario, network.information())?;
        let objective = Objective::read(request.by.as_deref(), &conditions, network)?;
        let indifference = match &request.indifference {
            Some(text) => Indifference::read(text, &objective)?,
            None => Indifference::Share(INDIFFERENCE),
        };
        let is_proposed = scenario.options().is_empty();
        let alternatives = match is_proposed {
            true => proposed(&base, runs)?,
            false => combined(scenario.options(), request.combine)?,
        };
        let first = scenario.run().replications.max(FEWEST);
        Ok(Question { base, alternatives, objective, conditions, indifference, is_proposed, first })
    }
}

impl Question {
    /// A point for each alternative; all mistakes of all of them.
    pub fn plan(&self, runs: &Runs) -> Result<Plan, Problems> {
        let mut problems = Problems::new();
        let (mut points, mut axes) = (Vec::new(), Vec::<Axis>::new());
        for alternative in &self.alternatives {
            match alternative.axes(&self.base).and_then(|own| Ok((alternative.point(&self.base, &own, runs)?, own))) {
                Ok((point, own)) => {
                    points.push(point);
                    axes.extend(
                        own.into_iter()
                            .filter(|axis| axes.iter().all(|known| known.path != axis.path))
                            .collect::<Vec<_>>(),
                    );
                }
                Err(found) => problems.0.extend(found.0),
            }
        }
        problems.or(())?;
        Plan::assemble(self.base.experiment.clone(), &axes, points)
    }
}

/// The scenario as it is, and with each change that its network proposes and its model takes.
fn proposed(base: &ScenarioBase, runs: &Runs) -> Result<Vec<Alternative>, Problems> {
    let mut alternatives = combined(&base.document.proposals(), Some(1))?;
    alternatives.retain(|one| one.set.is_empty() || one.axes(base).and_then(|own| one.point(base, &own, runs)).is_ok());
    if alternatives.len() > 1 {
        return Ok(alternatives);
    }
    let problem =
        Problem::plain("there is nothing to compare: the scenario has no [[option]], and its network proposes none");
    Err(problem.help("write [[option]] tables, or --option 'NAME: KEY=VALUE'").into())
}

fn conditions(until: Option<&str>, scenario: &Scenario, network: &Information) -> Result<Vec<Expectation>, Problems> {
    let Some(text) = until else { return Ok(scenario.expectations().to_vec()) };
    let condition = Expectation::parse(text)?;
    refuse_unsampled(&condition, scenario, network)?;
    Ok(vec![condition])
}

impl Objective {
    fn read(by: Option<&str>, conditions: &[Expectation], network: &dyn Network) -> Result<Objective, Problems> {
        let own = || conditions.iter().find(|one| has_interval(&one.field) && better(&one.metric).is_some());
        let text = match (by, own()) {
            (Some(by), _) => by.trim().to_owned(),
            (None, Some(condition)) => format!("{}.{}", condition.metric, condition.field),
            (None, None) => format!("{}.p99", network.information().probe_metric),
        };
        let (metric, field) = metric_and_field(&text);
        refuse_unknown_metric(&text, metric, field)?;
        let refused = |message: &str, help: &str| {
            let problem = Problem::argument(&text, 0..text.len(), message.to_owned());
            Problems::from(problem.help(help))
        };
        let name = metric.split('/').next().unwrap_or_default();
        if !network.information().metrics.contains(&name) {
            return Err(refused("this network has no such metric", "sojourn networks lists the metrics of each"));
        }
        if !has_interval(field) {
            return Err(refused(
                &format!("`{field}` has no interval"),
                "compare by mean, p50, p90, p95, p99, p999 or value",
            ));
        }
        let Some(better) = better(metric) else {
            return Err(refused("this metric is neither good nor bad", "compare by a response time, a loss or a rate"));
        };
        let unit = registry::find(metric).map_or("1", |information| information.unit);
        Ok(Objective { metric: metric.to_owned(), field: field.to_owned(), unit, better })
    }

    /// As it is written.
    pub fn text(&self) -> String {
        format!("{}.{}", self.metric, self.field)
    }

    /// A value so that smaller is better.
    pub fn oriented(&self, value: f64) -> f64 {
        if self.better == Better::Lower { value } else { -value }
    }
}

fn better(metric: &str) -> Option<Better> {
    registry::find(metric)?.better
}

impl Indifference {
    fn read(text: &str, objective: &Objective) -> Result<Indifference, Problems> {
        let refused = || {
            let problem = Problem::argument(text, 0..text.len(), "an indifference is above 0");
            Problems::from(problem.help("write a share of the best value, 5 %, or a value with its unit, 2 ms"))
        };
        let above_zero = |value: f64| (value.is_finite() && value > 0.0).then_some(value);
        if let Some(percent) = text.trim().strip_suffix('%') {
            let share = percent.trim().parse::<f64>().ok().and_then(above_zero).filter(|percent| *percent < 100.0);
            return share.map(|percent| Indifference::Share(percent / 100.0)).ok_or_else(refused);
        }
        let dimension = match objective.unit {
            "s" => Dimension::Time,
            "1/s" => Dimension::Rate,
            "bit/s" => Dimension::BitRate,
            _ => Dimension::None,
        };
        let value = Quantity::parse(text.trim(), dimension).map_err(|_| refused())?.number();
        above_zero(value).map(Indifference::Value).ok_or_else(refused)
    }

    /// In the unit of the metric, by the best of the first values. A share of nothing would make chance count: where the best
    /// is 0, as of losses, it is that of the worst.
    pub fn value(self, best: f64, worst: f64) -> f64 {
        match self {
            Indifference::Share(share) if best == 0.0 => share * worst.abs(),
            Indifference::Share(share) => share * best.abs(),
            Indifference::Value(value) => value,
        }
    }
}
