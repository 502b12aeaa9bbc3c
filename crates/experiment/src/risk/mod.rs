//! Estimates how often a rare event occurs: pilots place levels, then replications run until the rate is precise
//! enough.
//!
//! | file | concern |
//! |---|---|
//! | `question` | the condition, over the gauges and states of the network |
//! | `levels` | where paths are split, from what pilots show |
//! | `replications` | a replication with its copies as one of a model, so that threads and cache are those of any run |
//! | `estimate` | rate, probability, intervals and diagnostics |

mod estimate;
mod levels;
mod question;
mod replications;

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_engine::splitting::{Level, Tally};
use sojourn_engine::stopping::{Passage, Rate, StoppingRule};
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
use replications::{EXPOSURE, OCCURRENCES, RareReplications, reached, tally};

/// Replications of a pilot.
const PILOTS: u32 = 8;
/// The first of them: beyond those of any estimate.
const FIRST_PILOT: u32 = 1 << 30;
/// The first ones simulate this part of a replication each, later ones twice as much where they show no more: all
/// replications of a pilot together take as long as one of the estimate, so that placing levels is a small part of it.
const SHORTEST_PILOT: u64 = PILOTS as u64;
/// Pilots at most; a level that is not reached by then is left out.
const MOST_PILOTS: usize = 24;
/// Replications of a pilot that saw the event: without levels crude runs are as good; with them no more are needed.
const OFTEN: usize = 4;
/// Half-width of the interval, as a share of the rate, where none is asked.
const PRECISION: f64 = 0.3;
/// Replications at which an estimate ends without that precision.
const MOST_REPLICATIONS: u32 = 1000;

/// What `sojourn risk` asks of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Asked {
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
    pub fn new(base: ScenarioBase, asked: &Asked, runs: &Runs) -> Result<Risk, Problems> {
        // precision and replications are those of the rate; the scenario's own run stays as it is
        let own = Runs { seed: runs.seed, ..Runs::default() };
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
        Ok(Risk { plan, question, within, goal: asked.goal, precision, replications })
    }

    /// The scenario as one point.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Computes all of it; `compute` gives what a point gave, with a note of what it is for, or `None` where it was cancelled.
    pub fn run(&self, mut compute: impl FnMut(&PointSpec, &str) -> Option<PointResult>) -> Option<Found> {
        let ordinary = compute(&self.plan.points[0].spec, "the scenario as it is")?;
        if ordinary.failure.is_some() {
            let levels = Vec::new();
            let summary = self.estimate(&levels, &[], 0.0).summary();
            return Some(Found { ordinary, interval: summary.ci95, summary, notes: Vec::new() });
        }
        let warm_up = ordinary.warm_up;
        let (levels, pilot_time) = self.place(warm_up, &mut compute)?;
        let records = self.replicate(&levels, warm_up, &mut compute)?;
        let tallies: Vec<Tally> = records.iter().map(tally).collect();
        let mut summary = self.estimate(&levels, &tallies, pilot_time).summary();
        let mut notes = Vec::new();
        // in a search the looks of a second try would share the 5 % with those of the first
        if self.goal.is_none() && self.is_better_crude(&levels, &summary) {
            let records = self.replicate(&[], warm_up, &mut compute)?;
            let tallies: Vec<Tally> = records.iter().map(tally).collect();
            let crude = self.estimate(&[], &tallies, pilot_time + summary.simulated_time).summary();
            if half_width(&crude) < half_width(&summary) {
                notes.push(format!(
                    "splitting by {} does not help: runs without it need less time for the same interval, and were made",
                    self.question.approach.name
                ));
                summary = crude;
            }
        }
        self.note(&summary, &mut notes);
        let interval = if self.goal.is_some() { self.decisive(&levels, &records) } else { summary.ci95 };
        Some(Found { ordinary, summary, interval, notes })
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

    /// Runs pilots, each with the levels that the one before has shown, until they show no more.
    fn place(
        &self,
        warm_up: Duration,
        compute: &mut impl FnMut(&PointSpec, &str) -> Option<PointResult>,
    ) -> Option<(Vec<Level>, f64)> {
        let (mut levels, mut simulated): (Vec<Level>, f64) = (Vec::new(), 0.0);
        let whole = self.duration();
        let mut duration = whole.divided(SHORTEST_PILOT).max(Duration::from_picoseconds(1));
        for pilot in 1..=MOST_PILOTS {
            let note = format!("pilot {pilot}: {} levels", levels.len());
            let event = self.event(levels.clone(), true);
            let first = FIRST_PILOT + PILOTS * pilot as u32;
            let spec = PointSpec { duration, ..self.spec(event, warm_up, first, StoppingRule::Fixed(PILOTS)) };
            let tallies: Vec<Tally> = compute(&spec, &note)?.records.iter().map(tally).collect();
            simulated += tallies.iter().map(|tally| tally.simulated).sum::<f64>();
            let is_seen = tallies.iter().filter(|tally| tally.occurrences > 0.0).count() >= OFTEN;
            if levels.is_empty() && is_seen {
                break;
            }
            let needed = levels::needed(&levels, &tallies);
            if is_seen && needed < levels.len() {
                levels.truncate(needed);
                break;
            }
            let placed = levels::place(&tallies, self.highest_level());
            let top = |levels: &[Level]| levels.last().map_or(0, |level| level.from);
            if top(&placed) > top(&levels) {
                levels = placed;
            } else if is_seen || duration == whole {
                break;
            } else {
                duration = (duration + duration).min(whole);
            }
        }
        Some((levels, simulated))
    }

    /// Beyond the event itself there is nothing to approach.
    fn highest_level(&self) -> u64 {
        if self.question.importance == self.question.watched { self.question.above } else { u64::MAX }
    }

    fn replicate(
        &self,
        levels: &[Level],
        warm_up: Duration,
        compute: &mut impl FnMut(&PointSpec, &str) -> Option<PointResult>,
    ) -> Option<Vec<Record>> {
        let note = match levels.len() {
            0 => "without splitting".to_owned(),
            count => format!("{count} levels"),
        };
        let rule = self.replications.map_or_else(|| StoppingRule::Rate(self.rate(levels)), StoppingRule::Fixed);
        let spec = self.spec(self.event(levels.to_vec(), false), warm_up, 0, rule);
        Some(compute(&spec, &note)?.records)
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

    fn spec(&self, event: RareEvent, warm_up: Duration, first: u32, rule: StoppingRule) -> PointSpec {
        let own = &self.plan.points[0].spec;
        PointSpec {
            scenario: fingerprint(&format!("{} {event:?} {first}", own.scenario)),
            model: Arc::new(RareReplications::new(own.model.clone(), event, first)),
            duration: self.duration(),
            warm_up: Some(warm_up),
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
