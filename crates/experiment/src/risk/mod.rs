//! Estimates how often a rare event occurs: pilots place levels, then replications run until the rate is precise
//! enough. It says which point to compute next, and takes what that gave:
//!
//! ```text
//! begin() -> the scenario's own run -> ended() with its replications -> pilots, the estimate, or what was found
//! ```
//!
//! | file | concern |
//! |---|---|
//! | `question` | the condition, over the gauges and states of the network |
//! | `pilots` | the pilots, each with the levels that the one before has shown |
//! | `levels` | where paths are split, from what pilots show |
//! | `stages` | which point is computed next |
//! | `replications` | a replication with its copies as one of a model, so that threads and cache are those of any run |
//! | `estimate` | rate, probability, intervals and diagnostics |

mod estimate;
mod levels;
mod pilots;
mod question;
mod replications;
mod stages;

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_engine::splitting::{Level, Tally};
use sojourn_engine::stopping::{MOST_REPLICATIONS, Passage, Rate, StoppingRule};
use sojourn_metrics::display::apart;
use sojourn_metrics::interval::{CONFIDENCE, Interval};
use sojourn_metrics::record::Record;
use sojourn_metrics::results::RiskSummary;
use sojourn_model::rare::RareEvent;
use sojourn_scenario::quantity::{Dimension, Quantity};
use sojourn_scenario::{Problem, Problems};

use crate::Runs;
use crate::plan::Plan;
use crate::points::{ScenarioBase, fingerprint};
use crate::rounds::{PointResult, PointSpec};

use estimate::Estimate;
use question::Question;
use replications::{EXPOSURE, OCCURRENCES, RareReplications, reached};
use stages::Stage;

pub use stages::Next;

/// Half-width of the interval, as a share of the rate, where none is asked.
const PRECISION: f64 = 0.3;

/// What `sojourn risk` asks of a scenario.
#[derive(Clone, Debug, Default)]
pub struct RiskRequest {
    /// The condition: `queue_length/server > 40`.
    pub of: String,
    /// A time within which the probability of an occurrence is asked: `1 h`.
    pub within: Option<String>,
    /// A rate, per second, that the one found is compared with: replications end once they decide on which side it is.
    pub goal: Option<f64>,
}

/// A rare event of a scenario.
pub struct Risk {
    plan: Plan,
    question: Question,
    within: Option<Duration>,
    goal: Option<f64>,
    /// Half-width that is enough, as a share of the rate.
    precision: f64,
    /// Replications, where they are not decided by what they show.
    replications: Option<u32>,
    /// The scenario's own run, once it has ended.
    ordinary: PointResult,
    stage: Stage,
}

/// What became of it.
pub struct Found {
    /// The replications of the scenario as any run has them.
    pub ordinary: PointResult,
    /// The rate.
    pub summary: RiskSummary,
    /// Its interval at whichever look decided on which side of the goal it is; of an estimate that of the summary.
    pub interval: Interval,
    /// What a reader of the numbers should know.
    pub notes: Vec<String>,
}

impl Risk {
    /// Checks what is asked of a scenario.
    pub fn new(base: ScenarioBase, asked: &RiskRequest, runs: &Runs) -> Result<Risk, Problems> {
        // precision and replications are those of the rate; the scenario's own run stays as it is
        let own = Runs { seed: runs.seed, budget: Some(0), ..Runs::default() };
        let plan = Plan::of(base, &[], &own)?;
        let point = &plan.points[0];
        let network = point.network;
        let Some(model) = point.spec.model.rare() else {
            if !point.scenario.events().is_empty() {
                let message = "rare events are asked of a network that does not change: the scenario has [[event]]";
                return Err(Problem::plain(message)
                    .help("remove [[event]], or count with `sojourn run --replications N`")
                    .into());
            }
            let message = format!("rare events of {} cannot be simulated yet", point.scenario.kind);
            return Err(Problem::plain(message).help("`sojourn run --replications N` counts them as they come").into());
        };
        let question = Question::read(&asked.of, network, model)?;
        let within = asked.within.as_deref().map(span).transpose()?;
        let (precision, replications) = (runs.precision.unwrap_or(PRECISION), runs.replications);
        let (goal, ordinary, stage) = (asked.goal, PointResult::default(), Stage::Ordinary);
        Ok(Risk { plan, question, within, goal, precision, replications, ordinary, stage })
    }

    /// The scenario as one point.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether the importance does not lead to the event: runs without splitting would have taken less time.
    fn is_better_crude(&self, levels: &[Level], summary: &RiskSummary) -> bool {
        let helps = summary.equivalent_time.is_none_or(|crude| crude >= summary.simulated_time);
        !levels.is_empty() && !helps && self.replications.is_none()
    }

    /// The interval by which a goal is decided.
    fn decisive(&self, levels: &[Level], records: &[Record]) -> Interval {
        let rate = self.rate(levels);
        // a number of replications that was asked for is looked at once
        let confidence = self.replications.map_or_else(|| rate.confidence(), |_| CONFIDENCE);
        rate.interval(records, confidence)
    }

    /// When the rate is known well enough.
    fn rate(&self, levels: &[Level]) -> Rate {
        Rate {
            part: OCCURRENCES.to_owned(),
            whole: EXPOSURE.to_owned(),
            target: self.precision,
            cap: MOST_REPLICATIONS,
            goal: self.goal,
            is_crude: levels.is_empty(),
            passages: self.passages(levels),
        }
    }

    /// The levels that every path to the event comes by: of a gauge that is its own importance all, else none for certain.
    fn passages(&self, levels: &[Level]) -> Vec<Passage> {
        if self.question.importance != self.question.watched {
            return Vec::new();
        }
        let weights = levels.iter().scan(1.0, |weight, level| {
            let before = *weight;
            *weight /= f64::from(level.copies);
            Some(before)
        });
        (1..).zip(weights).map(|(level, weight)| Passage { metric: reached(level), weight }).collect()
    }

    /// Beyond the event itself there is nothing to approach.
    fn highest_level(&self) -> u64 {
        if self.question.importance == self.question.watched { self.question.above } else { u64::MAX }
    }

    fn event(&self, levels: Vec<Level>, keeps_course: bool) -> RareEvent {
        RareEvent {
            condition: self.question.watched,
            above: self.question.above,
            importance: self.question.importance,
            levels,
            ends_at_first: self.question.gauge.lasts,
            keeps_course,
        }
    }

    fn spec(&self, event: RareEvent, first: u32, rule: StoppingRule) -> PointSpec {
        let own = &self.plan.points[0].spec;
        PointSpec {
            scenario: fingerprint(&format!("{} {event:?} {first}", own.scenario)),
            model: Arc::new(RareReplications::new(own.model.clone(), event, first)),
            duration: self.duration(),
            warm_up: Some(self.ordinary.warm_up),
            rule,
            ..own.clone()
        }
    }

    /// How long a replication is observed: the time asked about where it is no longer than the scenario's.
    fn duration(&self) -> Duration {
        let own = self.plan.points[0].spec.duration;
        self.within.filter(|within| *within <= own).unwrap_or(own)
    }

    fn estimate<'a>(&'a self, levels: &'a [Level], tallies: &'a [Tally], pilot_time: f64) -> Estimate<'a> {
        let duration = self.duration();
        Estimate {
            question: &self.question,
            levels,
            tallies,
            duration: duration.seconds(),
            within: self.within.map(|within| (within.seconds(), within == duration)),
            pilot_time,
        }
    }

    fn note(&self, summary: &RiskSummary, notes: &mut Vec<String>) {
        let (seen, of) = (summary.replications_with_occurrence, summary.replications);
        if seen == 0 {
            notes.push(format!("{} did not occur: the rate has an upper bound only", summary.condition));
        } else if summary.method == "splitting" && seen < 10 {
            notes.push(format!("it occurred in {seen} of {of} replications only: the interval may be too narrow"));
        }
        if self.replications.is_none()
            && let Some(rate) = summary.rate
        {
            let reached = half_width(summary) / rate;
            if reached > self.precision {
                let [reached, target] = apart(100.0 * reached, 100.0 * self.precision);
                notes
                    .push(format!("the half-width is {reached} % of the rate after {of} replications, not {target} %"));
            }
        }
    }
}

/// Half-width of the interval of a rate; infinite without one.
fn half_width(summary: &RiskSummary) -> f64 {
    let [low, high] = summary.ci95;
    summary.rate.map_or(f64::INFINITY, |_| 0.5 * (high - low))
}

/// A time as an option has it.
fn span(text: &str) -> Result<Duration, Problem> {
    let refused = || {
        let problem = Problem::argument(text, 0..text.len(), format!("`{text}` is not a time"));
        problem.help(format!("units: {}", Dimension::Time.units_in_words()))
    };
    let seconds = Quantity::parse(text, Dimension::Time).map_err(|_| refused())?.number();
    Duration::from_seconds(seconds).filter(|span| *span > Duration::ZERO).ok_or_else(refused)
}

#[cfg(test)]
mod tests;
