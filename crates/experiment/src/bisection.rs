//! Confidence interval of the limit of a condition within a range, by inverting the test of the condition.
//!
//! The condition is assumed to be monotone in the key. At each step tried, the 95 % interval of the quantity in the
//! condition lies on one side of the required value (met, missed) or includes it (undecided). The interval of the
//! limit is what those tests do not exclude: from the last step that is met to the first that is missed. A test at
//! the limit itself is wrong in 5 % of searches, so the interval contains the limit in about 95 %, whatever steps
//! were tried. Replications are added inside that interval, where they decide, until it is narrow or the budget is
//! spent.

use std::collections::BTreeMap;

use crate::isotonic::isotonic;
use crate::verdict::Verdict;

/// What the replications of one step show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepVerdict {
    /// What the 95 % interval decides.
    pub verdict: Verdict,
    /// How far the value lies beyond the required one, as a share of it, within -1 and 1; positive where it is missed.
    pub excess: f64,
}

/// How much a search may simulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Replications of each step at first.
    pub first: u32,
    /// Replications of all steps together that are always afforded; `None` where a precision decides the replications of
    /// each: no step is tried again with more.
    pub total: Option<u64>,
    /// Events of all steps together, within which more replications than those are afforded.
    pub events: u64,
    /// A step that is to be decided itself; it gets as many replications as its neighbours.
    pub asked: Option<u64>,
}

/// Where the condition stops holding. Steps are those of the range, from its lower end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// Both ends of the range meet it.
    Always,
    /// Both ends of the range miss it.
    Never,
    /// The limit lies within the range, or replications do not exclude that it does.
    Within {
        /// The last step that is met, towards the limit; `None` where not even the end of the range is.
        met: Option<u64>,
        /// The first step that is missed, beyond the limit; `None` where not even the end of the range is.
        missed: Option<u64>,
        /// The last step that meets the condition, by a monotone fit of all steps tried.
        estimate: u64,
        /// Whether the condition is met at the lower end: then the limit is the largest value.
        largest: bool,
        /// Most replications of a step inside the interval.
        replications: u32,
    },
}

/// Both ends of the interval are found to this share of the range.
const RESOLUTION: u64 = 256;

/// An interval within this share of the range needs no more replications.
const NARROW: u64 = 64;

/// What a bisection does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The step is tried with this many replications, and [`Bisection::tried`] takes what they show.
    Try(u64, u32),
    /// The search has ended.
    Ended(Bracket),
}

/// A search of the steps `0..=last`: the steps tried, counted from the end of the range that meets the condition.
pub struct Bisection {
    last: u64,
    largest: bool,
    /// Replications by now, and the events that they took.
    spent: u64,
    events: u64,
    budget: Budget,
    /// Replications of each step, and what they show.
    tried: BTreeMap<u64, (u32, StepVerdict)>,
    /// Replications of a step at present.
    replications: u32,
    stage: Stage,
    /// The step being tried.
    open: Option<(u64, u32)>,
}

/// What steps are tried for.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// Both ends of the range show where the condition is met.
    Ends,
    /// The step that is to be decided is, where the others leave it open.
    Asked,
    /// The end of the interval that has a verdict moves towards the limit.
    Side(Verdict),
    /// The end of the range gets that verdict, unless no step has it; `without` is the nearest that has another.
    EndOfRange {
        end: u64,
        without: u64,
        verdict: Verdict,
    },
    /// Bisects from a step with a verdict towards one without it, to within the resolution.
    Between {
        with: u64,
        without: u64,
        verdict: Verdict,
    },
    /// The interval is narrow enough, or gets more replications.
    Width,
    Ended(Bracket),
}

impl Bisection {
    /// Nothing was tried yet.
    pub fn new(last: u64, budget: Budget) -> Bisection {
        let (largest, spent, tried, replications) = (true, 0, BTreeMap::new(), budget.first);
        Bisection { last, largest, spent, events: 0, budget, tried, replications, stage: Stage::Ends, open: None }
    }

    /// What to do next.
    pub fn next(&mut self) -> Next {
        loop {
            if let Stage::Ended(bracket) = self.stage {
                return Next::Ended(bracket);
            }
            match self.after() {
                Ok(stage) => self.stage = stage,
                Err((step, replications)) => {
                    self.open = Some((step, replications));
                    return Next::Try(self.place(step), replications);
                }
            }
        }
    }

    /// Keeps what the replications of the step show that was tried, and how many events each of them took.
    pub fn tried(&mut self, shown: StepVerdict, events_of_each: u64) {
        let Some((step, replications)) = self.open.take() else { return };
        let known = self.tried.insert(step, (replications, shown));
        let more = u64::from(replications - known.map_or(0, |(run, _)| run));
        self.spent += more;
        self.events += more * events_of_each;
    }

    /// The stage after the present one, or the step that it wants tried before, with its replications.
    fn after(&mut self) -> Result<Stage, (u64, u32)> {
        Ok(match self.stage {
            Stage::Ends => self.begun()?,
            Stage::Asked => {
                self.decide_asked()?;
                Stage::Side(Verdict::Met)
            }
            Stage::Side(verdict) => self.side(verdict),
            Stage::EndOfRange { end, without, verdict } => match self.at(end)?.verdict == verdict {
                true => Stage::Between { with: end, without, verdict },
                false => after_side(verdict),
            },
            Stage::Between { with, without, verdict } => self.halved(with, without, verdict)?,
            Stage::Width => self.widened(),
            Stage::Ended(_) => self.stage,
        })
    }

    /// Tries both ends of the range.
    fn begun(&mut self) -> Result<Stage, (u64, u32)> {
        let (low, high) = (self.at(0)?, self.at(self.last)?);
        match (low.verdict, high.verdict) {
            (Verdict::Met, Verdict::Met) => return Ok(Stage::Ended(Bracket::Always)),
            (Verdict::Missed, Verdict::Missed) => return Ok(Stage::Ended(Bracket::Never)),
            (Verdict::Met, _) | (_, Verdict::Missed) => {}
            (Verdict::Undecided, Verdict::Undecided) if low.excess <= high.excess => {}
            _ => self.turn(),
        }
        Ok(Stage::Asked)
    }

    /// Counts from the upper end of the range.
    fn turn(&mut self) {
        self.largest = false;
        self.tried =
            std::mem::take(&mut self.tried).into_iter().map(|(step, shown)| (self.last - step, shown)).collect();
    }

    /// The step of the range, from its lower end.
    fn place(&self, step: u64) -> u64 {
        if self.largest { step } else { self.last - step }
    }

    fn affords(&self, replications: u32) -> bool {
        let Some(total) = self.budget.total else { return true };
        let spent = self.spent + u64::from(replications);
        // those to come take as many events as those before
        let events = u128::from(self.events) * u128::from(spent);
        spent <= total || events > 0 && events <= u128::from(self.budget.events) * u128::from(self.spent)
    }

    /// What at least the present number of replications of a step show.
    fn at(&self, step: u64) -> Result<StepVerdict, (u64, u32)> {
        let known = self.tried.get(&step).filter(|(run, _)| *run >= self.replications);
        known.map(|(_, shown)| *shown).ok_or((step, self.replications))
    }

    /// Tries the step that is to be decided, where the others leave it open.
    fn decide_asked(&self) -> Result<(), (u64, u32)> {
        let Some(asked) = self.budget.asked.map(|asked| self.place(asked)) else { return Ok(()) };
        let (met, missed) = self.interval();
        let is_open = met.is_none_or(|met| met < asked) && missed.is_none_or(|missed| asked < missed);
        if is_open && self.affords(self.replications) {
            self.at(asked)?;
        }
        Ok(())
    }

    /// From where the end of the interval with a verdict moves.
    fn side(&self, verdict: Verdict) -> Stage {
        let (met, missed) = self.interval();
        let sides = [(met, 0), (missed, self.last)];
        let [(with, end), (without, other)] = if verdict == Verdict::Met { sides } else { [sides[1], sides[0]] };
        let without = without.unwrap_or(other);
        match with {
            Some(with) => Stage::Between { with, without, verdict },
            None if self.affords(self.replications) => Stage::EndOfRange { end, without, verdict },
            None => after_side(verdict),
        }
    }

    /// Tries the middle of two steps.
    fn halved(&self, with: u64, without: u64, verdict: Verdict) -> Result<Stage, (u64, u32)> {
        let resolution = (self.last / RESOLUTION).max(1);
        if with.abs_diff(without) <= resolution || !self.affords(self.replications) {
            return Ok(after_side(verdict));
        }
        let middle = with.midpoint(without);
        Ok(match self.at(middle)?.verdict == verdict {
            true => Stage::Between { with: middle, without, verdict },
            false => Stage::Between { with, without: middle, verdict },
        })
    }

    /// Doubles the replications inside a wide interval, where the budget affords it.
    fn widened(&mut self) -> Stage {
        let (met, missed) = self.interval();
        let width = missed.unwrap_or(self.last) - met.unwrap_or(0);
        let more = self.budget.total.and_then(|_| self.replications.checked_mul(2)).filter(|&more| self.affords(more));
        match more {
            Some(more) if width > (self.last / NARROW).max(1) => {
                self.replications = more;
                Stage::Asked
            }
            _ => Stage::Ended(self.bracket(met, missed)),
        }
    }

    fn bracket(&self, met: Option<u64>, missed: Option<u64>) -> Bracket {
        if met == Some(self.last) {
            return Bracket::Always;
        }
        if missed == Some(0) {
            return Bracket::Never;
        }
        let (estimate, largest, replications) = (self.place(self.crossing()), self.largest, self.replications);
        let (met, missed) = (met.map(|step| self.place(step)), missed.map(|step| self.place(step)));
        Bracket::Within { met, missed, estimate, largest, replications }
    }

    /// What the tests do not exclude. Steps decided against the order of the others widen it.
    fn interval(&self) -> (Option<u64>, Option<u64>) {
        let decided =
            |wanted| self.tried.iter().filter(move |(_, (_, shown))| shown.verdict == wanted).map(|(&step, _)| step);
        let (last_met, first_missed) = (decided(Verdict::Met).max(), decided(Verdict::Missed).min());
        let met = decided(Verdict::Met).filter(|&step| first_missed.is_none_or(|missed| step < missed)).max();
        let missed = decided(Verdict::Missed).filter(|&step| last_met.is_none_or(|met| step > met)).min();
        (met, missed)
    }

    /// The last step at which a monotone fit of the excess is not positive, within the interval.
    fn crossing(&self) -> u64 {
        let fitted = isotonic(self.tried.values().map(|&(run, shown)| (shown.excess, f64::from(run))));
        let (met, missed) = self.interval();
        let ends = met.unwrap_or(0)..=missed.map_or(self.last, |missed| missed.saturating_sub(1));
        let steps: Vec<u64> = self.tried.keys().copied().collect();
        let step = match fitted.iter().position(|&excess| excess > 0.0) {
            None => self.last,
            Some(0) => 0,
            Some(over) => {
                let (below, above) = (fitted[over - 1], fitted[over]);
                let share = -below / (above - below);
                let (from, to) = (steps[over - 1], steps[over]);
                from + (share * (to - from) as f64) as u64
            }
        };
        step.clamp(*ends.start(), (*ends.end()).max(*ends.start()))
    }
}

/// What follows the end of the interval with a verdict: first the one that is met moves, then the one that is missed.
fn after_side(verdict: Verdict) -> Stage {
    if verdict == Verdict::Met { Stage::Side(Verdict::Missed) } else { Stage::Width }
}

#[cfg(test)]
mod tests;
