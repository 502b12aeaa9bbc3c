//! The search for the value of a key up to which a condition holds.

use std::collections::BTreeMap;

use serde::Serialize;
use sojourn_scenario::{Axis, Expectation, Problem, Problems, Setting, Vary};

use crate::base::{Base, Point};
use crate::condition::refuse_unknown_metric;
use crate::request::Request;
use crate::search::{Answer, Trial, search};

/// A range without whole steps of its own is searched in this many.
const STEPS: u64 = 500;

/// A search that can begin.
pub struct Search {
    base: Base,
    axis: Axis,
    vary: Vary,
    last: u64,
    /// The condition.
    pub until: Expectation,
    request: Request,
}

/// The answer of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// The key varied.
    pub key: String,
    /// Its SI unit.
    pub unit: Option<String>,
    /// The condition as written.
    pub text: String,
    /// `found`, `always`, `never`, or `undecided` when no value surely meets and none surely misses it.
    pub outcome: &'static str,
    /// Whether the answer is the `largest` or the `smallest` value; null when nothing was found.
    pub direction: Option<&'static str>,
    /// The answer in SI units; null when nothing was found.
    pub value: Option<f64>,
    /// The answer in the unit of the range.
    pub value_text: Option<String>,
    /// The nearest value that surely meets the condition, in SI units; null when none was found.
    pub surely_met: Option<f64>,
    /// The nearest value that surely misses it.
    pub surely_missed: Option<f64>,
    /// Between those two, lower first, in SI units; where one is null, up to that end of the range.
    pub interval: Option<[f64; 2]>,
    /// The same in the unit of the range.
    pub interval_text: Option<[String; 2]>,
    /// How many values were tried.
    pub tried: usize,
}

impl Search {
    /// Reads the request and checks both ends of its range.
    pub fn new(request: &Request) -> Result<Search, Problems> {
        let base = Base::from_file(request)?;
        let vary = request.vary.as_deref().ok_or_else(|| Problem::plain("find needs --vary 'KEY=LOW:HIGH UNIT'"))?;
        let until = request
            .until
            .as_deref()
            .ok_or_else(|| Problem::plain("find needs --until \"response_time.p99 < 20 ms\""))?;
        let (argument, vary) = (vary, base.document.vary(vary)?);
        let until = Expectation::parse(until)?;
        refuse_unknown_metric(&until.text, &until.metric, &until.field)?;
        let axis = Axis { path: vary.path.clone(), unit: Some(vary.si), values: Vec::new() };
        let last = vary.steps_whole().unwrap_or(STEPS);
        if last == 0 {
            return Err(Problem::argument(argument, 0..argument.len(), "this range holds one value").into());
        }
        let search = Search { base, axis, vary, last, until, request: request.clone() };
        search.point(0)?;
        search.point(last)?;
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

    /// The point at a step.
    pub fn point(&self, step: u64) -> Result<Point, Problems> {
        self.base.point(&[(&self.axis, &self.setting(step)?)], &self.request)
    }

    /// Bisects, trying each step once; `None` when a trial gave nothing.
    pub fn run(&self, mut trial: impl FnMut(u64) -> Option<Trial>) -> Option<Limit> {
        let mut tried: BTreeMap<u64, Trial> = BTreeMap::new();
        let answer = search(self.last, |step| {
            if let Some(known) = tried.get(&step) {
                return Some(*known);
            }
            let result = trial(step)?;
            tried.insert(step, result);
            Some(result)
        })?;
        Some(self.limit(answer, tried.len()))
    }

    fn limit(&self, answer: Answer, tried: usize) -> Limit {
        let mut limit = Limit {
            key: self.axis.path.clone(),
            unit: self.axis.unit.map(str::to_owned),
            text: self.until.text.clone(),
            outcome: "found",
            direction: None,
            value: None,
            value_text: None,
            surely_met: None,
            surely_missed: None,
            interval: None,
            interval_text: None,
            tried,
        };
        match answer {
            Answer::Always => limit.outcome = "always",
            Answer::Never => limit.outcome = "never",
            Answer::Found { step, surely_met, surely_missed, largest } => {
                if surely_met.is_none() && surely_missed.is_none() {
                    limit.outcome = "undecided";
                }
                let (met_end, missed_end) = if largest { (0, self.last) } else { (self.last, 0) };
                let mut ends = [surely_met.unwrap_or(met_end), surely_missed.unwrap_or(missed_end)];
                ends.sort_unstable();
                // a range may be written from its upper end
                let rising = self.vary.low < self.vary.high;
                if !rising {
                    ends.reverse();
                }
                limit.direction = Some(if largest == rising { "largest" } else { "smallest" });
                limit.value = self.si(step);
                limit.value_text = Some(self.text(step));
                limit.surely_met = surely_met.and_then(|step| self.si(step));
                limit.surely_missed = surely_missed.and_then(|step| self.si(step));
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
