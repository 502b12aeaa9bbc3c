//! The points of a search: which one is computed next, by what the others gave. One point gives the trial of a value,
//! or some of them the rate of a rare event there.

use sojourn_scenario::Problems;

use crate::Build;
use crate::evaluation::Evaluation;
use crate::limit::Limit;
use crate::points::Point;
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
        let Some(mut open) = self.open.take() else { return Ok(None) };
        let conditions = &self.search.question().conditions;
        let (finished, trial) = match &mut open.risk {
            None => {
                let trial = conditions.trial(&open.value.setting, &open.point, &finished);
                (finished, trial)
            }
            Some(risk) => match risk.ended(finished) {
                risk::Next::Compute(step) => {
                    let step = self.at(&open.value, *step);
                    self.open = Some(open);
                    return Ok(Some(step));
                }
                risk::Next::Found(found) => {
                    let trial = conditions.judge_risk(&open.value.setting, found.summary.rate, found.interval);
                    let trial = found.ordinary.failure.is_none().then_some(trial);
                    (found.ordinary, trial)
                }
            },
        };
        self.tried.keep(open.value.setting.json.as_f64(), open.point, finished);
        let Some(trial) = trial else { return Ok(None) };
        let next = self.search.ended(trial)?;
        self.follow(next)
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
        let risk = question.risk(&value.setting)?.map(Box::new);
        let step = match &risk {
            Some(risk) => self.at(&value, risk.begin()),
            None => self.at(&value, Step { spec: point.spec.clone(), note: String::new() }),
        };
        self.open = Some(Open { value, point, risk });
        Ok(Some(step))
    }

    /// A step at a value.
    fn at(&self, value: &Value, step: Step) -> Step {
        let mut note = format!("{} = {}", self.search.question().range.axis.path, value.setting.text);
        if !step.note.is_empty() {
            note = note + ", " + &step.note;
        }
        Step { note, ..step }
    }
}
