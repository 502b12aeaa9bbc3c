//! The limit by the values that a search has tried.

use super::question::{Question, Value};
use crate::bisection::Bracket;
use crate::limit::{Capacity, Limit, Load, Narrower, Trial};
use crate::stability;

/// More replications are proposed to divide the width of an interval by this.
const NARROWER: f64 = 4.0;

/// No proposal asks for more replications.
const MOST_PROPOSED: u32 = 1000;

/// The answer, but for the trials of single values.
pub fn limit(question: &Question, bracket: Bracket, tried: &[(Value, Trial)]) -> Limit {
    let limit = Limit::new(&question.range.axis, question.conditions.text(), tried.len());
    let mut limit = placed(question, bracket, Limit { question: question.text.clone(), ..limit });
    limit.within(capacity(question, tried, limit.direction));
    limit.trials = tried.iter().map(|(_, trial)| trial.clone()).collect();
    limit.trials.sort_by(|one, other| one.value.unwrap_or(0.0).total_cmp(&other.value.unwrap_or(0.0)));
    if let Some(end) = end_that_meets(question, bracket) {
        let si = question.range.si(end);
        let there = tried.iter().find(|(value, _)| value.setting.json.as_f64() == si);
        limit.unseen = there.and_then(|(_, trial)| trial.unseen());
    }
    limit.open_where_unseen();
    limit
}

/// The limit with what the bisection found.
fn placed(question: &Question, bracket: Bracket, mut limit: Limit) -> Limit {
    let range = &question.range;
    match bracket {
        Bracket::Always => limit.outcome = "always",
        Bracket::Never => limit.outcome = "never",
        Bracket::Within { met, missed, estimate, largest, replications } => {
            // of whole numbers the first that is missed is not the answer
            let whole = u64::from(range.is_whole());
            let ends = match largest {
                true => [met, missed.map(|step| step - whole)],
                false => [missed.map(|step| step + whole), met],
            };
            limit.outcome = if met.is_some() && missed.is_some() { "found" } else { "undecided" };
            limit.direction = Some(if largest { "largest" } else { "smallest" });
            limit.value = range.si(estimate);
            limit.value_text = Some(range.text(estimate));
            limit.interval = ends.map(|step| step.and_then(|step| range.si(step)));
            limit.interval_text = ends.map(|step| step.map(|step| range.text(step)));
            limit.replications = replications;
            limit.narrower = narrower(question, &limit.interval, replications);
        }
    }
    limit
}

/// How many replications would make an interval of more than two steps much narrower.
fn narrower(question: &Question, interval: &[Option<f64>; 2], replications: u32) -> Option<Narrower> {
    let range = &question.range;
    let ends = [range.si(0)?, range.si(range.last)?];
    let (low, high) = (interval[0].unwrap_or(ends[0].min(ends[1])), interval[1].unwrap_or(ends[0].max(ends[1])));
    let (width, step) = (high - low, (ends[1] - ends[0]).abs() / range.last as f64);
    if width <= 2.0 * step || question.decides_itself() {
        return None;
    }
    let more = (f64::from(replications) * NARROWER * NARROWER).min(f64::from(MOST_PROPOSED));
    let narrowed = width * (f64::from(replications) / more).sqrt();
    let width = if range.is_whole() { narrowed.ceil() } else { narrowed };
    (more > f64::from(replications)).then_some(Narrower { replications: more as u32, width: width.max(step) })
}

/// The value at which the demand for a resource reaches what it serves, by the demands of the values tried.
fn capacity(question: &Question, tried: &[(Value, Trial)], direction: Option<&str>) -> Option<Capacity> {
    let loads: Vec<(f64, &Load)> =
        tried.iter().filter_map(|(_, trial)| Some((trial.value?, trial.load.as_ref()?))).collect();
    let (_, beyond) = *loads
        .iter()
        .filter(|(_, load)| load.demand >= 1.0)
        .min_by(|(_, one), (_, other)| one.demand.total_cmp(&other.demand))?;
    let same = loads.iter().filter(|(_, load)| load.resource == beyond.resource);
    let demands: Vec<(f64, f64)> = same.map(|(value, load)| (*value, load.demand)).collect();
    let value = stability::crossing(&demands, direction != Some("smallest"))?;
    Some(Capacity { value, value_text: question.range.text_of(value), load: beyond.clone() })
}

/// The last step that meets the conditions.
fn end_that_meets(question: &Question, bracket: Bracket) -> Option<u64> {
    match bracket {
        Bracket::Always => Some(question.range.last),
        Bracket::Never => None,
        Bracket::Within { met, .. } => met,
    }
}
