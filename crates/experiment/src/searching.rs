//! The points of a search: which one is computed next, by what the others gave. One point gives the trial of a value,
//! or some of them the rate of a rare event there.

use sojourn_scenario::Problems;

use crate::Build;
use crate::evaluation::Evaluation;
use crate::limit::{Limit, Trial};
use crate::points::Point;
#[cfg(feature = "rare")]
use crate::risk::{self, Risk};
use crate::rounds::{PointResult, Step};
use crate::search::{Next, Search, Value};
use crate::tried::Tried;

/// A search and what was computed of it.
pub struct Searching {
    search: Search,
    tried: Tried,
    /// The value being computed.
    open: Option<Open>,
    limit: Option<Limit>,
}

/// A value being computed.
struct Open {
    value: Value,
    point: Point,
    /// The estimate of a rare event there.
    #[cfg(feature = "rare")]
    risk: Option<Box<Risk>>,
}

impl Searching {
    /// Of a search that has not begun.
    pub fn new(search: Search) -> Searching {
        Searching { tried: Tried::new(search.question()), search, open: None, limit: None }
    }

    /// The search.
    pub fn search(&self) -> &Search {
        &self.search
    }

    /// The first point to compute.
    pub fn begin(&mut self) -> Result<Option<Step>, Problems> {
        let next = self.search.begin()?;
        self.follow(next)
    }

    /// Keeps what the point gave that was to be computed; the one to compute next. None once the search has ended, as it does
    /// where a value cannot be computed.
    pub fn ended(&mut self, finished: PointResult) -> Result<Option<Step>, Problems> {
        let Some(open) = self.open.take() else { return Ok(None) };
        #[cfg(feature = "rare")]
        let open = match open {
            Open { value, point, risk: Some(risk) } => return self.ended_of_risk(value, point, risk, finished),
            open => open,
        };
        let Open { value, point, .. } = open;
        let trial = self.search.question().conditions.trial(&value.setting, &point, &finished);
        self.tried(&value, point, finished, trial)
    }

    /// What is being computed: the scenario at the value that is tried, as text.
    pub fn document(&self) -> String {
        self.open.as_ref().map(|open| open.point.scenario.expanded_toml()).unwrap_or_default()
    }

    /// The override that makes the scenario the one being computed: `KEY=VALUE`.
    pub fn override_of_value(&self) -> Option<String> {
        let path = &self.search.question().range.axis.path;
        self.open.as_ref().map(|open| format!("{path}={}", open.value.setting.text))
    }

    /// The answer, once all is computed; none where a value could not be.
    pub fn limit(&self) -> Option<&Limit> {
        self.limit.as_ref()
    }

    /// The values tried by now, and the answer.
    pub fn into_parts(self) -> (Tried, Option<Limit>) {
        (self.tried, self.limit)
    }

    /// What the values tried by now show; none before the first.
    pub fn evaluate(&self, build: &Build) -> Option<Evaluation> {
        let plan = self.tried.plan();
        (!plan.points.is_empty()).then(|| Evaluation::of(plan, self.tried.finished(), self.limit(), build))
    }

    /// Begins to compute the next value.
    fn follow(&mut self, next: Next) -> Result<Option<Step>, Problems> {
        let value = match next {
            Next::Try(value) => value,
            Next::Found(limit) => {
                self.limit = Some(*limit);
                return Ok(None);
            }
        };
        let question = self.search.question();
        let point = question.point(&value)?;
        let path = &question.range.axis.path;
        let note = format!("{path} = {}", serde_json::json!(point.set[path]));
        let step = Step { spec: point.spec.clone(), note };
        #[cfg(feature = "rare")]
        let risk = question.risk(&value.setting)?.map(Box::new);
        #[cfg(feature = "rare")]
        let step = risk.as_ref().map(|risk| self.at(&value, risk.begin())).unwrap_or(step);
        self.open = Some(Open {
            value,
            point,
            #[cfg(feature = "rare")]
            risk,
        });
        Ok(Some(step))
    }

    /// Keeps what a value gave.
    fn tried(
        &mut self,
        value: &Value,
        point: Point,
        finished: PointResult,
        trial: Option<Trial>,
    ) -> Result<Option<Step>, Problems> {
        self.tried.keep(value.setting.json.as_f64(), point, finished);
        let Some(trial) = trial else { return Ok(None) };
        let next = self.search.ended(trial)?;
        self.follow(next)
    }

    /// Goes on with the estimate of a rare event.
    #[cfg(feature = "rare")]
    fn ended_of_risk(
        &mut self,
        value: Value,
        point: Point,
        mut risk: Box<Risk>,
        finished: PointResult,
    ) -> Result<Option<Step>, Problems> {
        match risk.ended(finished) {
            risk::Next::Compute(step) => {
                let step = self.at(&value, *step);
                self.open = Some(Open { value, point, risk: Some(risk) });
                Ok(Some(step))
            }
            risk::Next::Found(found) => {
                let question = self.search.question();
                let trial = question.conditions.judge_risk(&value.setting, found.summary.rate, found.interval);
                let trial = found.ordinary.failure.is_none().then_some(trial);
                self.tried(&value, point, found.ordinary, trial)
            }
        }
    }

    /// A step of the estimate at a value.
    #[cfg(feature = "rare")]
    fn at(&self, value: &Value, step: Step) -> Step {
        let path = &self.search.question().range.axis.path;
        Step { note: format!("{path} = {}, {}", value.setting.text, step.note), ..step }
    }
}
