//! Confidence interval of the limit of a condition within a range, by inverting the test of the condition.
//!
//! The condition is assumed to be monotone in the key. At each step tried, the 95 % interval of the quantity in the
//! condition lies on one side of the required value (met, missed) or includes it (undecided). The interval of the
//! limit is what those tests do not exclude: from the last step that is met to the first that is missed. A test at
//! the limit itself is wrong in 5 % of searches, so the interval contains the limit in about 95 %, whatever steps
//! were tried. Replications are added inside that interval, where they decide, until it is narrow or the budget is
//! spent.

use std::collections::BTreeMap;

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
    /// Replications of all steps together; `None` where a precision decides the replications of each: no step is tried
    /// again with more.
    pub total: Option<u64>,
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
    /// The step is tried with this many replications, and [`Bisection::tried`] is told what they show.
    Try(u64, u32),
    /// The search has ended.
    Ended(Bracket),
}

/// A search of the steps `0..=last`: the steps tried, counted from the end of the range that meets the condition.
pub struct Bisection {
    last: u64,
    largest: bool,
    spent: u64,
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
        Bisection { last, largest, spent, budget, tried, replications, stage: Stage::Ends, open: None }
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

    /// Keeps what the replications of the step show that was tried.
    pub fn tried(&mut self, shown: StepVerdict) {
        let Some((step, replications)) = self.open.take() else { return };
        let known = self.tried.insert(step, (replications, shown));
        self.spent += u64::from(replications - known.map_or(0, |(run, _)| run));
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
        self.budget.total.is_none_or(|total| self.spent + u64::from(replications) <= total)
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

/// The nearest values that never fall, by least squares with weights: pool adjacent violators (Barlow et al. 1972).
fn isotonic(values: impl Iterator<Item = (f64, f64)>) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (value, weight) in values {
        pools.push((value, weight, 1));
        while let [.., (low, _, _), (high, _, _)] = pools[..]
            && low > high
        {
            let (upper, lower) = (pools.pop().expect("two pools"), pools.pop().expect("two pools"));
            let weight = lower.1 + upper.1;
            pools.push(((lower.0 * lower.1 + upper.0 * upper.1) / weight, weight, lower.2 + upper.2));
        }
    }
    pools.into_iter().flat_map(|(value, _, steps)| std::iter::repeat_n(value, steps)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENOUGH: Budget = Budget { first: 10, total: Some(400), asked: None };

    /// Where a search ends that is told what `trial` shows of each step.
    fn invert(last: u64, budget: Budget, mut trial: impl FnMut(u64, u32) -> StepVerdict) -> Bracket {
        let mut bisection = Bisection::new(last, budget);
        loop {
            match bisection.next() {
                Next::Try(step, replications) => bisection.tried(trial(step, replications)),
                Next::Ended(bracket) => return bracket,
            }
        }
    }

    /// Met up to `limit`; ten replications decide what lies farther than `doubt` from it, forty half as far.
    fn up_to(limit: f64, doubt: f64) -> impl Fn(u64, u32) -> StepVerdict {
        move |step, replications| {
            let excess = ((step as f64 - limit) / 1000.0).clamp(-1.0, 1.0);
            let doubt = doubt * (10.0 / f64::from(replications)).sqrt();
            let verdict = match step as f64 - limit {
                beyond if beyond > doubt => Verdict::Missed,
                beyond if beyond <= -doubt => Verdict::Met,
                _ => Verdict::Undecided,
            };
            StepVerdict { verdict, excess }
        }
    }

    fn within(bracket: Bracket) -> (Option<u64>, Option<u64>, u64, bool) {
        match bracket {
            Bracket::Within { met, missed, estimate, largest, .. } => (met, missed, estimate, largest),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_sharp_limit_lies_between_neighbours() {
        assert_eq!(within(invert(200, ENOUGH, up_to(57.5, 0.0))), (Some(57), Some(58), 57, true));
    }

    #[test]
    fn a_condition_met_above_a_limit_gives_the_smallest() {
        let falling = |step, replications| up_to(200.0 - 57.5, 0.0)(200 - step, replications);
        assert_eq!(within(invert(200, ENOUGH, falling)), (Some(58), Some(57), 58, false));
    }

    #[test]
    fn always_and_never_take_two_trials() {
        let mut trials = 0;
        let mut counted = |step, replications| {
            trials += 1;
            up_to(2000.0, 0.0)(step, replications)
        };
        assert_eq!(invert(1000, ENOUGH, &mut counted), Bracket::Always);
        assert_eq!(trials, 2);
        assert_eq!(invert(1000, ENOUGH, up_to(-1.0, 0.0)), Bracket::Never);
    }

    #[test]
    fn without_a_decision_the_whole_range_is_open() {
        let undecided = |_, _| StepVerdict { verdict: Verdict::Undecided, excess: 0.1 };
        assert_eq!(within(invert(100, ENOUGH, undecided)), (None, None, 0, true));
    }

    #[test]
    fn replications_are_added_inside_the_interval_until_the_budget_is_spent() {
        let width = |total| {
            let mut spent = BTreeMap::new();
            let bracket = invert(1000, Budget { total: Some(total), ..ENOUGH }, |step, replications| {
                spent.insert(step, u64::from(replications));
                up_to(400.0, 150.0)(step, replications)
            });
            assert!(spent.values().sum::<u64>() <= total, "{spent:?}");
            let (met, missed, estimate, _) = within(bracket);
            assert!((399..=401).contains(&estimate), "{estimate}");
            missed.unwrap() - met.unwrap()
        };
        assert!(width(200) > 290, "{}", width(200));
        assert!(width(2000) < 160, "{}", width(2000));
    }

    #[test]
    fn a_step_that_is_asked_for_gets_as_many_replications_as_its_neighbours() {
        let mut spent = BTreeMap::new();
        let bracket = invert(1000, Budget { asked: Some(413), ..ENOUGH }, |step, replications| {
            spent.insert(step, replications);
            up_to(400.0, 150.0)(step, replications)
        });
        let Bracket::Within { replications, .. } = bracket else { panic!("{bracket:?}") };
        assert!(replications > 10, "{replications}");
        assert_eq!(spent.get(&413), Some(&replications));
    }

    #[test]
    fn where_a_precision_decides_the_replications_no_step_is_tried_twice() {
        let mut tried = Vec::new();
        let bracket = invert(1000, Budget { total: None, ..ENOUGH }, |step, replications| {
            tried.push(step);
            up_to(400.0, 150.0)(step, replications)
        });
        assert!(matches!(bracket, Bracket::Within { replications: 10, .. }), "{bracket:?}");
        let all = tried.len();
        tried.sort_unstable();
        tried.dedup();
        assert_eq!(tried.len(), all);
    }

    #[test]
    fn steps_decided_against_the_order_of_the_others_widen_the_interval() {
        let noisy = |step, replications| match step {
            500 => StepVerdict { verdict: Verdict::Missed, excess: 0.01 },
            _ => up_to(600.0, 20.0)(step, replications),
        };
        let (met, missed, ..) = within(invert(1000, ENOUGH, noisy));
        assert!(met < Some(500) && missed >= Some(500), "{met:?} {missed:?}");
    }

    #[test]
    fn a_bisection_waits_for_what_it_asked_and_counts_it_once() {
        let mut bisection = Bisection::new(100, ENOUGH);
        assert_eq!(bisection.next(), Next::Try(0, 10));
        assert_eq!(bisection.next(), Next::Try(0, 10), "it was told nothing");
        let met = StepVerdict { verdict: Verdict::Met, excess: -0.5 };
        bisection.tried(met);
        bisection.tried(StepVerdict { verdict: Verdict::Missed, excess: 0.5 });
        assert_eq!((bisection.spent, bisection.next()), (10, Next::Try(100, 10)));
        bisection.tried(met);
        assert_eq!((bisection.spent, bisection.next()), (20, Next::Ended(Bracket::Always)));
    }

    #[test]
    fn an_isotonic_fit_pools_what_falls() {
        let fitted = isotonic([(1.0, 1.0), (3.0, 1.0), (2.0, 3.0), (4.0, 1.0)].into_iter());
        assert_eq!(fitted, [1.0, 2.25, 2.25, 4.0]);
    }

    proptest! {
        #[test]
        fn the_interval_contains_the_limit(last in 1u64..2000, share in 0.0f64..1.0, doubt in 0.0f64..200.0) {
            let limit = share * last as f64;
            let bracket = invert(last, ENOUGH, up_to(limit, doubt));
            if let Bracket::Within { met, missed, estimate, largest, .. } = bracket {
                prop_assert!(largest);
                prop_assert!(met.is_none_or(|met| met as f64 <= limit));
                prop_assert!(missed.is_none_or(|missed| missed as f64 > limit));
                prop_assert!(met.is_none_or(|met| met <= estimate) && missed.is_none_or(|missed| estimate < missed));
            }
        }
    }
}
