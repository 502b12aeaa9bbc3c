//! The search for the limit of a key up to which conditions are met. It says which value to try next, and takes what
//! that gave:
//!
//! ```text
//! begin() -> a value -> ended() with its trial -> another value, or the limit
//! ```
//!
//! | file | concern |
//! |---|---|
//! | `question` | what is asked of a scenario, and the point at a value |
//! | `range` | the key that varies, in steps |
//! | `conditions` | the judgement of a value |
//! | `answer` | the limit by the values tried |
//!
//! [`bisection`](crate::bisection) chooses the steps.

mod answer;
mod conditions;
mod question;
mod range;

use sojourn_scenario::Problems;

use crate::Runs;
use crate::bisection::{self, Bisection, Bracket};
use crate::limit::{Limit, Trial};
use crate::points::ScenarioBase;
use crate::verdict::Verdict;

pub(crate) use question::Question;
pub use question::{SearchRequest, Value};

/// What a search does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// The value is tried, and [`Search::ended`] takes what it gave.
    Try(Value),
    /// The search has ended.
    Found(Box<Limit>),
}

/// What values are tried for.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The value to judge.
    Asked,
    /// The one that the scenario has.
    Written,
    /// Steps of the range.
    Steps,
    /// The estimate of the limit.
    Estimate(Bracket),
    /// The value to judge again: it deserves as many replications as its neighbours got.
    AskedAgain(Bracket),
    Found(Bracket),
}

/// A search: its question, and the values tried by now.
pub struct Search {
    question: Question,
    bisection: Bisection,
    stage: Stage,
    /// The value being tried.
    open: Option<Value>,
    /// The latest last; more replications of a value take the place of fewer.
    tried: Vec<(Value, Trial)>,
    asked: Option<Trial>,
    written: Option<Trial>,
    found: Option<Trial>,
}

impl Search {
    /// Reads the request, or what the scenario itself asks, and checks both ends of the range.
    pub fn new(base: ScenarioBase, request: &SearchRequest, runs: &Runs) -> Result<Search, Problems> {
        let question = Question::read(base, request, runs)?;
        let bisection = Bisection::new(question.range.last, question.budget());
        let (asked, written, found) = (None, None, None);
        Ok(Search { question, bisection, stage: Stage::Asked, open: None, tried: Vec::new(), asked, written, found })
    }

    /// What is asked.
    pub(crate) fn question(&self) -> &Question {
        &self.question
    }

    /// Replications of all values together that are to be expected; those of one value where they decide their number themselves.
    pub fn expected(&self) -> u64 {
        let budget = self.question.budget();
        budget.total.unwrap_or_default().max(u64::from(budget.first))
    }

    /// What to do first.
    pub fn begin(&mut self) -> Result<Next, Problems> {
        self.next()
    }

    /// Keeps what the value gave that was to be tried; what to do next.
    pub fn ended(&mut self, trial: Trial) -> Result<Next, Problems> {
        if let Some(value) = self.open.take() {
            self.tried.retain(|(known, _)| known.setting.json.as_f64() != value.setting.json.as_f64());
            self.tried.push((value, trial.clone()));
            self.keep(trial);
        }
        self.next()
    }

    fn next(&mut self) -> Result<Next, Problems> {
        while let Some(value) = self.wanted()? {
            match self.known(&value) {
                Some(trial) => self.keep(trial),
                None => {
                    self.open = Some(value.clone());
                    return Ok(Next::Try(value));
                }
            }
        }
        Ok(Next::Found(Box::new(self.limit())))
    }

    /// The value that the search needs next, known or not; `None` once it needs no more.
    fn wanted(&mut self) -> Result<Option<Value>, Problems> {
        let Question { range, asked, written, .. } = &self.question;
        let first = self.question.budget().first;
        loop {
            let wanted = match self.stage {
                Stage::Asked => asked.clone().map(|asked| (asked, first)),
                Stage::Written => written.clone().map(|written| (written, first)),
                Stage::Steps => match self.bisection.next() {
                    bisection::Next::Try(step, replications) => Some((range.setting(step)?, replications)),
                    bisection::Next::Ended(bracket) => {
                        self.stage = Stage::Estimate(bracket);
                        continue;
                    }
                },
                Stage::Estimate(Bracket::Within { estimate, .. }) => Some((range.setting(estimate)?, first)),
                Stage::AskedAgain(Bracket::Within { replications, .. }) if is_undecided(self.asked.as_ref()) => {
                    asked.clone().map(|asked| (asked, replications))
                }
                Stage::Estimate(_) | Stage::AskedAgain(_) => None,
                Stage::Found(_) => return Ok(None),
            };
            if let Some((setting, replications)) = wanted {
                return Ok(Some(self.question.value(setting, replications)));
            }
            self.stage = self.stage.following();
        }
    }

    /// What a value gave with at least as many replications.
    fn known(&self, value: &Value) -> Option<Trial> {
        let same = |(known, _): &&(Value, Trial)| {
            known.setting.json.as_f64() == value.setting.json.as_f64() && known.replications >= value.replications
        };
        self.tried.iter().find(same).map(|(_, trial)| trial.clone())
    }

    /// Takes what a value gave for what it was wanted for.
    fn keep(&mut self, trial: Trial) {
        match self.stage {
            // the range needs more than one
            Stage::Steps => return self.bisection.tried(trial.step(), trial.events),
            Stage::Asked | Stage::AskedAgain(_) => self.asked = Some(trial),
            Stage::Written => self.written = Some(trial),
            Stage::Estimate(_) => self.found = Some(trial),
            Stage::Found(_) => {}
        }
        self.stage = self.stage.following();
    }

    fn limit(&mut self) -> Limit {
        let Stage::Found(bracket) = self.stage else { unreachable!("a search ends with a bracket") };
        let mut limit = answer::limit(&self.question, bracket, &self.tried);
        (limit.asked, limit.written, limit.found) = (self.asked.take(), self.written.take(), self.found.take());
        limit
    }
}

impl Stage {
    /// The stage after one whose value was tried.
    fn following(self) -> Stage {
        match self {
            Stage::Asked => Stage::Written,
            Stage::Written | Stage::Steps => Stage::Steps,
            Stage::Estimate(bracket) => Stage::AskedAgain(bracket),
            Stage::AskedAgain(bracket) | Stage::Found(bracket) => Stage::Found(bracket),
        }
    }
}

fn is_undecided(trial: Option<&Trial>) -> bool {
    trial.is_some_and(|trial| trial.verdict == Verdict::Undecided)
}

#[cfg(test)]
mod tests;
