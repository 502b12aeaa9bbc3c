//! Advice: which of several changes of a scenario is best, among those that meet its conditions.
//!
//! ```text
//! begin() -> points to compute -> ended() with what each gave -> further replications of some, or none
//! ```
//!
//! | file | concern |
//! |---|---|
//! | `question` | what is asked of a scenario |
//! | `alternatives` | its options and their combinations |
//! | `selection` | the statistics of eliminating alternatives |
//! | `standing` | what the replications of an alternative show |
//! | `answer` | the results |
//!
//! All alternatives have the same replications, with the same random streams, until they are eliminated: by a condition
//! that they miss, or by another that meets them, costs no more and is better. Where a network proposes the options, pairs of
//! the best single ones are compared with the winner in a second stage, and each stage may err half as often (L. J. Hong and
//! B. L. Nelson, "Selecting the best system when systems are revealed sequentially", IIE Transactions 39, 2007).

mod alternatives;
mod answer;
mod question;
mod selection;
mod standing;

use sojourn_engine::stopping::{MOST_REPLICATIONS, StoppingRule};
use sojourn_scenario::Problems;

pub use question::AdviceRequest;

use crate::deciding::EVENTS;
use crate::evaluation::Evaluation;
use crate::plan::Plan;
use crate::points::ScenarioBase;
use crate::rounds::{Part, PointResult, Step};
use crate::{Build, Runs};
use alternatives::{Alternative, pairs};
use question::Question;
use selection::Selection;
use standing::{Feasible, Standing, Status};

/// Events of all alternatives together unless a budget is given: a quarter of a minute to a whole in the networks there are.
const BUDGET: u64 = 4 * EVENTS;
/// How often the wrong alternative may be selected.
const ERROR: f64 = 0.05;
/// The part of it that judgements of conditions may take.
const OF_CONDITIONS: f64 = 0.2;
/// Replications are added in steps of this part of those that there are.
const STEPS: u32 = 8;
/// Of this many single options pairs are compared.
const PAIRED: usize = 4;
/// The most looks up to any number of replications, at which a condition may be judged wrongly.
const LOOKS: f64 = 80.0;

/// A comparison, and what was computed of it.
pub struct Advising {
    question: Question,
    /// A point for each alternative.
    plan: Plan,
    standings: Vec<Standing>,
    /// The places of the alternatives that are being computed.
    open: Vec<usize>,
    /// Replications of those that are left.
    done: u32,
    selection: Option<Selection>,
    events: u64,
    budget: u64,
    is_finished: bool,
    /// Whether the pairs of what the network proposes are compared by now.
    has_pairs: bool,
    runs: Runs,
}

impl Advising {
    /// Reads what is asked and checks every alternative; nothing is computed yet.
    pub fn new(base: ScenarioBase, request: &AdviceRequest, runs: &Runs) -> Result<Advising, Problems> {
        let question = Question::read(base, request, runs)?;
        let plan = question.plan(runs)?;
        let standings = question.alternatives.iter().map(Standing::new).collect();
        let budget = runs.budget.filter(|events| *events > 0).unwrap_or(BUDGET);
        let (open, selection) = (Vec::new(), None);
        let (has_pairs, runs) = (!question.is_proposed, runs.clone());
        let (done, events, is_finished) = (0, 0, false);
        Ok(Advising { question, plan, standings, open, done, selection, events, budget, is_finished, has_pairs, runs })
    }

    /// Replications that are to be expected at first.
    pub fn expected(&self) -> u64 {
        u64::from(self.question.first) * self.standings.len() as u64
    }

    /// The first replications of every alternative.
    pub fn begin(&mut self) -> Vec<Step> {
        self.done = self.question.first;
        self.open = (0..self.standings.len()).collect();
        self.steps()
    }

    /// Keeps what the points gave that were to be computed, in their order; those to compute next, none once it is answered.
    pub fn ended(&mut self, finished: Vec<PointResult>) -> Vec<Step> {
        let ended = std::mem::take(&mut self.open);
        for (&place, finished) in ended.iter().zip(finished) {
            self.events += finished.records.iter().map(|record| record.events).sum::<u64>();
            self.standings[place].add(finished);
        }
        self.judge(&ended);
        if self.selection.is_none() {
            self.begin_selection();
        }
        self.eliminate();
        match self.is_decided() {
            false => match self.afforded() {
                Some(next) => {
                    self.done = next;
                    self.open = self.undecided();
                    return self.steps();
                }
                None => self.leave_open(),
            },
            true if !self.has_pairs => {
                self.has_pairs = true;
                self.reveal_pairs();
                if !self.open.is_empty() {
                    return self.steps();
                }
                self.settle();
            }
            true => self.settle(),
        }
        self.is_finished = true;
        Vec::new()
    }

    /// The scenario of an alternative that is being computed, as text.
    pub fn document(&self, position: usize) -> String {
        self.plan.points[self.open[position]].scenario.expanded_toml()
    }

    /// The overrides that make the scenario that of an alternative being computed.
    pub fn overrides(&self, position: usize) -> Vec<String> {
        self.question.alternatives[self.open[position]].overrides()
    }

    /// Whether it is answered.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// What the replications show so far, with the answer; none before the first.
    pub fn evaluate(&self, build: &Build) -> Option<Evaluation> {
        let (advice, finished) =
            answer::answer(&self.question, &self.standings, self.selection.as_ref(), self.is_finished)?;
        Some(Evaluation::of_advice(&self.plan, &finished, advice, build))
    }

    /// What every alternative gave.
    pub fn into_finished(self) -> Vec<PointResult> {
        self.standings.into_iter().map(|standing| standing.result).collect()
    }

    fn alive(&self) -> Vec<usize> {
        (0..self.standings.len()).filter(|&one| self.standings[one].is_alive()).collect()
    }

    /// The replications after those that each has, of all alternatives that are computed.
    fn steps(&self) -> Vec<Step> {
        let step = |&place: &usize| {
            let standing = &self.standings[place];
            let mut spec = self.plan.points[place].spec.clone();
            spec.rule = StoppingRule::Fixed(self.done);
            let before = standing.replications() as u32;
            if before > 0 {
                spec.warm_up = Some(standing.result.warm_up);
                spec.part = Some(Part { replications: before..self.done, is_continued: true });
            }
            Step { spec, note: standing.name.clone() }
        };
        self.open.iter().map(step).collect()
    }

    /// Judges the conditions of those that have further replications; what misses one is out.
    fn judge(&mut self, ended: &[usize]) {
        let alternatives = self.standings.len() as f64;
        let confidence = 1.0 - ERROR * OF_CONDITIONS / (alternatives * LOOKS);
        for &place in ended {
            let standing = &mut self.standings[place];
            if standing.is_alive() {
                standing.judge(&self.question, self.plan.points[place].bounds.as_ref(), confidence);
            }
        }
    }

    fn begin_selection(&mut self) {
        let means: Vec<f64> = self.alive().iter().filter_map(|&one| self.standings[one].mean()).collect();
        let best = means.iter().copied().min_by(f64::total_cmp);
        let (Some(best), Some(worst)) = (best, means.into_iter().max_by(f64::total_cmp)) else { return };
        let of_means = if self.question.conditions.is_empty() { ERROR } else { ERROR * (1.0 - OF_CONDITIONS) };
        let error = if self.question.is_proposed { of_means / 2.0 } else { of_means };
        let first: Vec<Vec<f64>> = self.standings.iter().map(|standing| standing.values()).collect();
        let indifference = self.question.indifference.value(best, worst);
        let selection = Selection::new(&first, self.done as usize, indifference, error);
        self.selection = Some(selection);
    }

    /// The pairs of the best single options, which get as many replications as the winner has; none where the budget does not
    /// reach or fewer than two options are better than the scenario as it is.
    fn reveal_pairs(&mut self) {
        let as_it_is = self.standings[0].order();
        let mut better: Vec<usize> = (1..self.standings.len())
            .filter(|&one| self.standings[one].is_comparable() && self.standings[one].order() < as_it_is)
            .collect();
        better.sort_by(|a, b| self.standings[*a].order().total_cmp(&self.standings[*b].order()));
        better.truncate(PAIRED);
        let best: Vec<Alternative> = better.iter().map(|&one| self.question.alternatives[one].clone()).collect();
        let events = better.iter().map(|&one| self.standings[one].events_of_a_replication()).max().unwrap_or(0);
        for pair in pairs(&best) {
            let afforded = self.events + events * u64::from(self.done) * (self.open.len() as u64 + 1) <= self.budget;
            let base = &self.question.base;
            let Ok(point) = pair.axes(base).and_then(|own| pair.point(base, &own, &self.runs)) else { continue };
            if afforded {
                self.open.push(self.standings.len());
                self.standings.push(Standing::new(&pair));
                self.plan.points.push(point);
                self.question.alternatives.push(pair);
            }
        }
        if !self.open.is_empty() {
            // its variances are those of the replications that there are now
            self.selection = None;
        }
    }

    /// Eliminates what another makes needless: one that meets the conditions, costs no more and is better.
    fn eliminate(&mut self) {
        let Some(selection) = &self.selection else { return };
        let alive = self.alive();
        let mut beaten = Vec::new();
        for &one in &alive {
            let by = alive.iter().copied().filter(|&other| other != one && self.is_beaten(selection, one, other));
            let better =
                |a: &usize, b: &usize| f64::total_cmp(&self.standings[*a].order(), &self.standings[*b].order());
            if let Some(other) = by.min_by(better) {
                beaten.push((one, other));
            }
        }
        for (one, other) in beaten {
            self.standings[one].status = Status::Beaten(other);
        }
    }

    /// Whether one is worse than another by more than its allowance, and the other is as good in everything else.
    fn is_beaten(&self, selection: &Selection, one: usize, other: usize) -> bool {
        let (own, rival) = (&self.standings[one], &self.standings[other]);
        if rival.feasible != Feasible::Yes || !rival.costs_no_more_than(own) {
            return false;
        }
        match (own.mean(), rival.mean()) {
            (Some(_), Some(_)) => {
                let (difference, allowance) = self.difference(selection, one, other);
                difference > allowance
            }
            // its requests are not all answered in time
            (None, rival) => rival.is_some(),
            (Some(_), None) => false,
        }
    }

    /// By how much one is worse than another in the replications that both have, and what chance allows.
    fn difference(&self, selection: &Selection, one: usize, other: usize) -> (f64, f64) {
        let (own, rival) = (&self.standings[one], &self.standings[other]);
        let both = own.replications().min(rival.replications());
        (own.mean_of(both) - rival.mean_of(both), selection.allowance(one, other, both))
    }

    /// The alternatives that more replications may decide something about: whether a condition is met, or which of a pair is better.
    fn undecided(&self) -> Vec<usize> {
        let alive = self.alive();
        let is_open = |one: &usize| {
            self.standings[*one].feasible == Feasible::Open
                || alive.iter().any(|other| other != one && !self.are_apart(*one, *other))
        };
        alive.iter().copied().filter(is_open).collect()
    }

    /// Whether it is known which of two is better, or that neither is.
    fn are_apart(&self, one: usize, other: usize) -> bool {
        let Some(selection) = &self.selection else { return true };
        if self.standings[one].mean().is_none() || self.standings[other].mean().is_none() {
            return true;
        }
        let (difference, allowance) = self.difference(selection, one, other);
        difference.abs() > allowance || allowance == 0.0
    }

    /// Whether nothing is left that more replications may decide.
    fn is_decided(&self) -> bool {
        self.undecided().is_empty()
    }

    /// The next number of replications that the budget affords.
    fn afforded(&self) -> Option<u32> {
        let next = self.done + (self.done / STEPS).max(1);
        let events = |&one: &usize| {
            let standing = &self.standings[one];
            standing.events_of_a_replication() * (u64::from(next) - standing.replications() as u64)
        };
        let wanted: u64 = self.undecided().iter().map(events).sum();
        (next <= MOST_REPLICATIONS && self.events + wanted <= self.budget).then_some(next)
    }

    /// The budget is spent: which of those that are left is best is not decided.
    fn leave_open(&mut self) {
        for standing in self.standings.iter_mut().filter(|standing| standing.is_alive()) {
            standing.status = Status::Open;
        }
    }

    /// Selects the cheapest of those that are left and meet the conditions, or the best where there are no costs.
    fn settle(&mut self) {
        let has_conditions = !self.question.conditions.is_empty();
        let meets = |&one: &usize| {
            let standing = &self.standings[one];
            standing.feasible == Feasible::Yes && (has_conditions || standing.mean().is_some())
        };
        let order = |a: &usize, b: &usize| {
            let (a, b) = (&self.standings[*a], &self.standings[*b]);
            let by_cost = || a.cost.unwrap_or(0.0).total_cmp(&b.cost.unwrap_or(0.0));
            let by_value = || a.order().total_cmp(&b.order());
            if has_conditions { by_cost().then_with(by_value) } else { by_value() }
        };
        let alive = self.alive();
        let selected = alive.iter().copied().filter(meets).min_by(order);
        for one in alive {
            let standing = &mut self.standings[one];
            standing.status = match selected {
                Some(best) if best == one => Status::Selected,
                Some(_) if standing.feasible == Feasible::Yes => Status::Frontier,
                _ => Status::Open,
            };
        }
    }
}

#[cfg(test)]
mod tests;
