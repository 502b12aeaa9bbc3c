//! The search for the value of a key up to which conditions hold.

use std::collections::BTreeMap;

use sojourn_metrics::registry;
use sojourn_metrics::results::Metric;
use sojourn_scenario::{Axis, Expectation, Problem, Problems, Scenario, Setting, Vary, check};

use crate::bisection::{Bracket, bisect};
use crate::condition::{refuse_unsampled, refuse_wrong_expectations};
use crate::limit::{Condition, Limit, Runs, Trial};
use crate::points::{Point, ScenarioBase};
use crate::request::{self, Find};
use crate::verdict::{judge, runs_that_hold};

/// A range without whole steps of its own is searched in this many.
const STEPS: u64 = 500;

/// A search that can begin.
pub struct Search {
    base: ScenarioBase,
    axis: Axis,
    vary: Vary,
    last: u64,
    until: Vec<Expectation>,
    question: Option<String>,
    written: Option<Setting>,
    asked: Option<Setting>,
    runs: request::Runs,
}

impl Search {
    /// Reads the request, or what the scenario itself asks, and checks both ends of the range.
    pub fn new(request: &Find) -> Result<Search, Problems> {
        let base = ScenarioBase::from_file(&request.file, &request.set, &request.runs)?;
        let scenario = check(&base.document)?;
        refuse_wrong_expectations(&scenario)?;
        // another key is another question
        let own = scenario.question().filter(|_| request.vary.is_none());
        let argument =
            request.vary.as_deref().or(own.map(|question| question.vary)).ok_or_else(|| {
                Problem::plain("find needs --vary 'KEY=LOW:HIGH UNIT', or a [question] in the scenario")
            })?;
        let vary = base.document.vary(argument)?;
        let last = vary.steps_whole().unwrap_or(STEPS);
        if last == 0 {
            return Err(Problem::argument(argument, 0..argument.len(), "this range holds one value").into());
        }
        let asked = match (&request.ask, own.and_then(|question| question.asked)) {
            (Some(value), _) => Some(base.document.setting(&vary.path, value, &format!("--ask {value}"))?),
            (None, Some(value)) => Some(base.document.setting(&vary.path, value, value)?),
            (None, None) => None,
        };
        let search = Search {
            axis: Axis { path: vary.path.clone(), unit: Some(vary.si), values: Vec::new() },
            until: conditions(request, &scenario)?,
            // its text is about the scenario's own value
            question: own.filter(|_| request.ask.is_none()).and_then(|question| question.text).map(str::to_owned),
            // a value to judge is compared with the one written
            written: if asked.is_some() { base.document.written(&vary.path)? } else { None },
            runs: request.runs.clone(),
            base,
            vary,
            last,
            asked,
        };
        for setting in [search.setting(0)?, search.setting(last)?].iter().chain(&search.asked) {
            search.point(setting)?;
        }
        Ok(search)
    }

    /// The key's row in the results' axes.
    pub fn axis(&self) -> &Axis {
        &self.axis
    }

    /// Name of the scenario.
    pub fn name(&self) -> &str {
        &self.base.experiment
    }

    /// The point at a value of the key.
    pub fn point(&self, setting: &Setting) -> Result<Point, Problems> {
        self.base.point(&[(&self.axis, setting)], &self.runs)
    }

    /// Judges the metrics of a point by the conditions.
    pub fn judge(&self, setting: &Setting, metrics: &BTreeMap<String, Metric>) -> Trial {
        let said = self.until.iter().map(|condition| Condition {
            text: condition.text.clone(),
            metric: condition.metric.clone(),
            field: condition.field.clone(),
            unit: registry::find(&condition.metric).map_or("1", |information| information.unit),
            limit: condition.value,
            judgement: judge(condition, metrics),
        });
        let by_condition: Option<Vec<Vec<bool>>> =
            self.until.iter().map(|condition| runs_that_hold(condition, metrics)).collect();
        Trial::new(setting, said.collect(), by_condition.and_then(|holds| Runs::count(&holds)))
    }

    /// Tries the value to judge and the one written, then bisects, each value once; `None` when a point failed or was
    /// cancelled.
    pub fn run(&self, mut trial: impl FnMut(&Setting) -> Option<Trial>) -> Option<Limit> {
        let mut tried: Vec<(Setting, Trial)> = Vec::new();
        let mut attempt = |setting: &Setting| {
            if let Some((_, known)) = tried.iter().find(|(known, _)| known.json.as_f64() == setting.json.as_f64()) {
                return Some(known.clone());
            }
            let result = trial(setting)?;
            tried.push((setting.clone(), result.clone()));
            Some(result)
        };
        let mut other = |setting: &Option<Setting>| match setting {
            Some(setting) => attempt(setting).map(Some),
            None => Some(None),
        };
        let (asked, written) = (other(&self.asked)?, other(&self.written)?);
        let bracket = bisect(self.last, |step| Some(attempt(&self.setting(step).ok()?)?.step()))?;
        let (found, beyond) = match bracket {
            Bracket::Found { step, largest, .. } => {
                let next = if largest { step + 1 } else { step - 1 };
                (attempt(&self.setting(step).ok()?), attempt(&self.setting(next).ok()?))
            }
            _ => (None, None),
        };
        let text = self.until.iter().map(|condition| condition.text.as_str()).collect::<Vec<_>>().join(" and ");
        let limit = Limit {
            question: self.question.clone(),
            asked,
            written,
            found,
            beyond,
            ..Limit::new(&self.axis, text, tried.len())
        };
        Some(self.placed(bracket, limit))
    }

    /// The limit with what the bisection found.
    fn placed(&self, bracket: Bracket, mut limit: Limit) -> Limit {
        match bracket {
            Bracket::Always => limit.outcome = "always",
            Bracket::Never => limit.outcome = "never",
            Bracket::Found { step, decided_met, decided_missed, largest } => {
                if decided_met.is_none() && decided_missed.is_none() {
                    limit.outcome = "undecided";
                }
                let (met_end, missed_end) = if largest { (0, self.last) } else { (self.last, 0) };
                let mut ends = [decided_met.unwrap_or(met_end), decided_missed.unwrap_or(missed_end)];
                ends.sort_unstable();
                limit.direction = Some(if largest { "largest" } else { "smallest" });
                limit.value = self.si(step);
                limit.value_text = Some(self.text(step));
                limit.decided_met = decided_met.and_then(|step| self.si(step));
                limit.decided_missed = decided_missed.and_then(|step| self.si(step));
                limit.interval = self.si(ends[0]).zip(self.si(ends[1])).map(|(low, high)| [low, high]);
                limit.interval_text = Some(ends.map(|step| self.text(step)));
            }
        }
        limit
    }

    fn setting(&self, step: u64) -> Result<Setting, Problems> {
        let text = self.text(step);
        self.base.document.setting(&self.axis.path, &text, &format!("{}={text}", self.axis.path))
    }

    fn si(&self, step: u64) -> Option<f64> {
        self.setting(step).ok()?.json.as_f64()
    }

    /// The value at a step, with its unit.
    fn text(&self, step: u64) -> String {
        self.vary.at(step, self.last)
    }
}

/// The condition of `--until`, or else all of the scenario's `[expect]`.
fn conditions(request: &Find, scenario: &Scenario) -> Result<Vec<Expectation>, Problems> {
    if let Some(text) = &request.until {
        let condition = Expectation::parse(text)?;
        refuse_unsampled(&condition, scenario)?;
        return Ok(vec![condition]);
    }
    if scenario.expectations().is_empty() {
        let message = "find needs --until \"response_time.p99 < 20 ms\", or an [expect] in the scenario";
        return Err(Problem::plain(message).into());
    }
    Ok(scenario.expectations().to_vec())
}
