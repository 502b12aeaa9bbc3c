//! The results: every alternative as a point, and what became of it.

use sojourn_metrics::interval::{self, CONFIDENCE, Interval};
use sojourn_metrics::registry::Better;
use sojourn_metrics::results::{AdviceSummary, AlternativeSummary};

use super::question::Question;
use super::selection::Selection;
use super::standing::{Feasible, Standing, Status};
use crate::rounds::PointResult;

/// The answer, and what each alternative gave; none before the first replications.
pub fn answer(
    question: &Question,
    standings: &[Standing],
    selection: Option<&Selection>,
    is_finished: bool,
) -> Option<(AdviceSummary, Vec<PointResult>)> {
    let has_begun = |one: &Standing| !one.result.records.is_empty() || one.result.failure.is_some();
    standings.iter().any(has_begun).then(|| {
        let finished = standings.iter().map(|standing| standing.result.clone()).collect();
        (summary(question, standings, selection, is_finished), finished)
    })
}

fn summary(
    question: &Question,
    standings: &[Standing],
    selection: Option<&Selection>,
    is_finished: bool,
) -> AdviceSummary {
    let selected = standings.iter().position(|standing| standing.status == Status::Selected);
    let is_open = standings.iter().any(|standing| matches!(standing.status, Status::Open | Status::Alive));
    let alternatives: Vec<AlternativeSummary> = standings
        .iter()
        .map(|one| alternative(question, one, selected.map(|best| &standings[best]), selection))
        .collect();
    let counts = || standings.iter().map(|standing| standing.result.records.len() as u64);
    AdviceSummary {
        objective: question.objective.text(),
        unit: question.objective.unit.to_owned(),
        better: if question.objective.better == Better::Lower { "lower" } else { "higher" }.to_owned(),
        conditions: question.conditions.iter().map(|condition| condition.text.clone()).collect(),
        proposed: question.is_proposed,
        indifference: selection.map(Selection::indifference),
        confidence: CONFIDENCE,
        outcome: match selected {
            Some(_) => "selected",
            None if is_open || !is_finished => "undecided",
            None => "none",
        }
        .to_owned(),
        selected,
        replications: counts().sum(),
        equal_allocation: counts().max().unwrap_or(0) * standings.len() as u64,
        alternatives,
    }
}

fn alternative(
    question: &Question,
    standing: &Standing,
    selected: Option<&Standing>,
    selection: Option<&Selection>,
) -> AlternativeSummary {
    let oriented = |[low, high]: Interval| match question.objective.better {
        Better::Lower => [low, high],
        Better::Higher => [-high, -low],
    };
    let mean = standing.mean();
    let values = standing.values();
    let compared = selected.filter(|best| best.name != standing.name).and_then(|best| difference(standing, best));
    let is_equal = matches!(standing.status, Status::Beaten(_) | Status::Frontier)
        && selected.zip(selection).is_some_and(|(best, selection)| is_within(standing, best, selection.indifference()));
    let (status, reason) = match &standing.status {
        Status::Alive | Status::Open => ("open", None),
        Status::Selected => ("selected", None),
        _ if is_equal => ("equal", None),
        Status::Beaten(_) => ("worse", None),
        Status::Frontier => ("dearer", None),
        Status::Misses(condition) => ("misses", Some(condition.clone())),
        Status::Unstable(why) => ("unstable", Some(why.clone())),
        Status::Failed(why) => ("failed", Some(why.clone())),
    };
    AlternativeSummary {
        name: standing.name.clone(),
        options: standing.options.clone(),
        cost: standing.cost,
        value: mean.map(|mean| question.objective.oriented(mean)),
        ci95: mean.and_then(|_| interval::of_mean(&values)).map(oriented),
        met: match (&standing.status, standing.feasible) {
            _ if question.conditions.is_empty() => None,
            (Status::Misses(_), _) => Some(false),
            (Status::Unstable(_) | Status::Failed(_), _) => None,
            (_, Feasible::Yes) => Some(true),
            (_, Feasible::Open | Feasible::Unknown) => None,
        },
        replications: standing.result.records.len() as u32,
        status: status.to_owned(),
        eliminated_by: match standing.status {
            Status::Beaten(by) => Some(by),
            _ => None,
        },
        difference: compared.map(|(difference, _)| difference),
        difference_ci95: compared.and_then(|(_, interval)| interval),
        reason,
    }
}

/// The differences of the values of two alternatives in the replications that both have.
fn differences(one: &Standing, best: &Standing) -> Option<Vec<f64>> {
    one.mean().zip(best.mean())?;
    let differences: Vec<f64> = one.values().iter().zip(best.values()).map(|(one, best)| one - best).collect();
    (!differences.is_empty()).then_some(differences)
}

/// The difference as a share of the best one's mean in the same replications, and its 95 % interval.
fn difference(one: &Standing, best: &Standing) -> Option<(f64, Option<Interval>)> {
    let differences = differences(one, best)?;
    let of = interval::mean(&best.values()[..differences.len().min(best.values().len())])?.abs();
    let share = |value: f64| value / of;
    let mean = interval::mean(&differences).filter(|_| of > 0.0)?;
    Some((share(mean), interval::of_mean(&differences).map(|ends| ends.map(share))))
}

/// Whether the difference of two alternatives is at most the indifference, as far as its 95 % interval reaches.
fn is_within(one: &Standing, best: &Standing, indifference: f64) -> bool {
    let interval = differences(one, best).and_then(|differences| interval::of_mean(&differences));
    interval.is_some_and(|[low, high]| low >= -indifference && high <= indifference)
}
