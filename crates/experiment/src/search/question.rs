//! What a search is asked: the key and its range, the conditions, a value to judge, and how much it may simulate.

use serde::Deserialize;
use sojourn_engine::stopping::StoppingRule;
use sojourn_model::Network;
use sojourn_scenario::{Problem, Problems, Setting, check};

use super::conditions::Conditions;
use super::range::Range;
use crate::Runs;
use crate::bisection::Budget;
use crate::condition::refuse_wrong_expectations;
use crate::deciding::EVENTS;
use crate::points::{Point, ScenarioBase, with_values};
use crate::risk::{self, Risk};

/// A search simulates this many times the replications of one value, whatever they take, unless it is given a budget.
const VALUES: u64 = 40;

/// The request of a search, without its scenario.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// The key that varies and its range, `KEY=LOW:HIGH UNIT`; without it, that of the scenario's `[question]`.
    pub vary: Option<String>,
    /// The condition, `response_time.p99 < 20 ms` or `risk(failures > 0) < 1 /year`; without it, all of the scenario's
    /// `[expect]`.
    pub until: Option<String>,
    /// A value of the key to judge in addition to the limit.
    pub ask: Option<String>,
}

/// A value of the key to try.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The value.
    pub setting: Setting,
    /// Its replications; `None` where what they show decides their number.
    pub replications: Option<u32>,
}

/// The question of a search.
pub(crate) struct Question {
    pub(crate) range: Range,
    pub(crate) conditions: Conditions,
    /// As the scenario puts it.
    pub(crate) text: Option<String>,
    /// The value to judge, and with it the one that the scenario has.
    pub(crate) asked: Option<Setting>,
    pub(crate) written: Option<Setting>,
    base: ScenarioBase,
    seed: u64,
    /// Replications of each value at first.
    replications: u32,
    runs: Runs,
}

impl Question {
    /// Reads the request, or what the scenario itself asks, and checks both ends of the range.
    pub fn read(base: ScenarioBase, request: &SearchRequest, runs: &Runs) -> Result<Question, Problems> {
        let scenario = check(&base.document)?;
        let network = base.network().information();
        refuse_wrong_expectations(&scenario, network)?;
        // another key is another question
        let own = scenario.question().filter(|_| request.vary.is_none());
        let argument =
            request.vary.as_deref().or(own.map(|question| question.vary)).ok_or_else(|| {
                Problem::plain("find needs --vary 'KEY=LOW:HIGH UNIT', or a [question] in the scenario")
            })?;
        let range = Range::read(&base.document, argument)?;
        let path = &range.axis.path;
        let asked = match (&request.ask, own.and_then(|question| question.asked)) {
            (Some(value), _) => Some(base.document.setting(path, value, &format!("--ask {value}"))?),
            (None, Some(value)) => Some(base.document.setting(path, value, value)?),
            (None, None) => None,
        };
        let question = Question {
            conditions: Conditions::read(request.until.as_deref(), &scenario, network)?,
            // its text is about the scenario's own value
            text: own.filter(|_| request.ask.is_none()).and_then(|question| question.text).map(str::to_owned),
            // a value to judge is compared with the one written
            written: if asked.is_some() { base.document.written(path)? } else { None },
            seed: scenario.run().seed,
            replications: scenario.run().replications,
            runs: runs.clone(),
            range,
            asked,
            base,
        };
        let ends = [question.range.setting(0)?, question.range.setting(question.range.last)?];
        for setting in ends.iter().chain(&question.asked) {
            question.point(&Value { setting: setting.clone(), replications: None })?;
            question.risk(setting)?;
        }
        Ok(question)
    }

    /// Name of the scenario.
    pub fn name(&self) -> &str {
        &self.base.experiment
    }

    /// Its network.
    pub fn network(&self) -> &'static dyn Network {
        self.base.network()
    }

    /// Seed of its random streams.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The point at a value, with its replications or those asked for.
    pub fn point(&self, value: &Value) -> Result<Point, Problems> {
        let mut point = self.base.point(&[(&self.range.axis, &value.setting)], &self.runs)?;
        // the search decides which value gets more
        point.spec.deciding = None;
        if let Some(replications) = value.replications {
            point.spec.rule = StoppingRule::Fixed(replications);
        }
        Ok(point)
    }

    /// The rare event to estimate at a value of the key; `None` where the conditions are about metrics.
    pub fn risk(&self, setting: &Setting) -> Result<Option<Risk>, Problems> {
        let Some(condition) = self.conditions.risk() else { return Ok(None) };
        let document = with_values(&self.base.document, &[(&self.range.axis, setting)])?;
        let base = ScenarioBase::new(self.base.catalogue, document, self.base.experiment.clone());
        let asked = risk::RiskRequest { of: condition.of.clone(), within: None, goal: Some(condition.limit) };
        Risk::new(base, &asked, &self.runs).map(Some)
    }

    /// A value with this many replications, unless they decide their number themselves.
    pub fn value(&self, setting: Setting, replications: u32) -> Value {
        Value { setting, replications: (!self.decides_itself()).then_some(replications) }
    }

    /// Whether each value decides its number of replications by what they show.
    pub fn decides_itself(&self) -> bool {
        self.runs.precision.is_some() || self.conditions.risk().is_some()
    }

    /// Replications of each value at first, and what all may take.
    pub fn budget(&self) -> Budget {
        let first = self.replications;
        // a precision decides the number of replications itself: every value is tried once
        let (total, events) = match self.runs.budget {
            Some(events) if events > 0 => (0, events),
            None if self.runs.replications.is_none() => (VALUES * u64::from(first), EVENTS),
            _ => (VALUES * u64::from(first), 0),
        };
        let total = (!self.decides_itself()).then_some(total);
        Budget { first, total, events, asked: self.asked.as_ref().and_then(|asked| self.range.step_of(asked)) }
    }
}
