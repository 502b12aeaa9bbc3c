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

/// Searches the steps `0..=last`; `trial` returns the verdict of a step after the given number of replications, or
/// `None` if the search was cancelled or a point failed; then the search returns `None`.
pub fn invert(last: u64, budget: Budget, trial: impl FnMut(u64, u32) -> Option<StepVerdict>) -> Option<Bracket> {
    let mut steps = Steps { last, largest: true, spent: 0, budget, tried: BTreeMap::new(), trial };
    let (low, high) = (steps.at(0, budget.first)?, steps.at(last, budget.first)?);
    match (low.verdict, high.verdict) {
        (Verdict::Met, Verdict::Met) => return Some(Bracket::Always),
        (Verdict::Missed, Verdict::Missed) => return Some(Bracket::Never),
        (Verdict::Met, _) | (_, Verdict::Missed) => {}
        (Verdict::Undecided, Verdict::Undecided) if low.excess <= high.excess => {}
        _ => steps.turn(),
    }
    let mut replications = budget.first;
    loop {
        steps.asked(replications)?;
        steps.last_met(replications)?;
        steps.first_missed(replications)?;
        let (met, missed) = steps.interval();
        let width = missed.unwrap_or(last) - met.unwrap_or(0);
        let more = budget.total.and_then(|_| replications.checked_mul(2)).filter(|&more| steps.affords(more));
        match more {
            Some(more) if width > (last / NARROW).max(1) => replications = more,
            _ => return Some(steps.bracket(met, missed, replications)),
        }
    }
}

/// The steps tried, counted from the end of the range that meets the condition.
struct Steps<Trial> {
    last: u64,
    largest: bool,
    spent: u64,
    budget: Budget,
    /// Replications of each step, and what they show.
    tried: BTreeMap<u64, (u32, StepVerdict)>,
    trial: Trial,
}

impl<Trial: FnMut(u64, u32) -> Option<StepVerdict>> Steps<Trial> {
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

    fn bracket(&self, met: Option<u64>, missed: Option<u64>, replications: u32) -> Bracket {
        if met == Some(self.last) {
            return Bracket::Always;
        }
        if missed == Some(0) {
            return Bracket::Never;
        }
        let (estimate, largest) = (self.place(self.crossing()), self.largest);
        let (met, missed) = (met.map(|step| self.place(step)), missed.map(|step| self.place(step)));
        Bracket::Within { met, missed, estimate, largest, replications }
    }

    fn affords(&self, replications: u32) -> bool {
        self.budget.total.is_none_or(|total| self.spent + u64::from(replications) <= total)
    }

    /// What at least this many replications of a step show.
    fn at(&mut self, step: u64, replications: u32) -> Option<StepVerdict> {
        let known = self.tried.get(&step).copied();
        if let Some((_, shown)) = known.filter(|&(run, _)| run >= replications) {
            return Some(shown);
        }
        let place = self.place(step);
        let shown = (self.trial)(place, replications)?;
        self.spent += u64::from(replications - known.map_or(0, |(run, _)| run));
        self.tried.insert(step, (replications, shown));
        Some(shown)
    }

    /// Tries the step that is to be decided, where the others leave it open.
    fn asked(&mut self, replications: u32) -> Option<()> {
        let Some(asked) = self.budget.asked.map(|asked| self.place(asked)) else { return Some(()) };
        let (met, missed) = self.interval();
        let is_open = met.is_none_or(|met| met < asked) && missed.is_none_or(|missed| asked < missed);
        if is_open && self.affords(replications) {
            self.at(asked, replications)?;
        }
        Some(())
    }

    /// Moves the end that is met towards the limit.
    fn last_met(&mut self, replications: u32) -> Option<()> {
        let (met, missed) = self.interval();
        let far = missed.unwrap_or(self.last);
        let near = match met {
            Some(met) => met,
            None if !self.affords(replications) || self.at(0, replications)?.verdict != Verdict::Met => return Some(()),
            None => 0,
        };
        self.between(near, far, replications, Verdict::Met)
    }

    /// Moves the end that is missed towards the limit.
    fn first_missed(&mut self, replications: u32) -> Option<()> {
        let (met, missed) = self.interval();
        let near = met.unwrap_or(0);
        let far = match missed {
            Some(missed) => missed,
            None if !self.affords(replications) || self.at(self.last, replications)?.verdict != Verdict::Missed => {
                return Some(());
            }
            None => self.last,
        };
        self.between(far, near, replications, Verdict::Missed)
    }

    /// Bisects from a step with a verdict towards one without it, to within the resolution.
    fn between(&mut self, mut with: u64, mut without: u64, replications: u32, verdict: Verdict) -> Option<()> {
        let resolution = (self.last / RESOLUTION).max(1);
        while with.abs_diff(without) > resolution && self.affords(replications) {
            let middle = with.midpoint(without);
            match self.at(middle, replications)?.verdict == verdict {
                true => with = middle,
                false => without = middle,
            }
        }
        Some(())
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

    /// Met up to `limit`; ten replications decide what lies farther than `doubt` from it, forty half as far.
    fn up_to(limit: f64, doubt: f64) -> impl Fn(u64, u32) -> Option<StepVerdict> {
        move |step, replications| {
            let excess = ((step as f64 - limit) / 1000.0).clamp(-1.0, 1.0);
            let doubt = doubt * (10.0 / f64::from(replications)).sqrt();
            let verdict = match step as f64 - limit {
                beyond if beyond > doubt => Verdict::Missed,
                beyond if beyond <= -doubt => Verdict::Met,
                _ => Verdict::Undecided,
            };
            Some(StepVerdict { verdict, excess })
        }
    }

    fn within(bracket: Option<Bracket>) -> (Option<u64>, Option<u64>, u64, bool) {
        match bracket {
            Some(Bracket::Within { met, missed, estimate, largest, .. }) => (met, missed, estimate, largest),
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
        assert_eq!(invert(1000, ENOUGH, &mut counted), Some(Bracket::Always));
        assert_eq!(trials, 2);
        assert_eq!(invert(1000, ENOUGH, up_to(-1.0, 0.0)), Some(Bracket::Never));
    }

    #[test]
    fn without_a_decision_the_whole_range_is_open() {
        let undecided = |_, _| Some(StepVerdict { verdict: Verdict::Undecided, excess: 0.1 });
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
        let Some(Bracket::Within { replications, .. }) = bracket else { panic!("{bracket:?}") };
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
        assert!(matches!(bracket, Some(Bracket::Within { replications: 10, .. })), "{bracket:?}");
        let all = tried.len();
        tried.sort_unstable();
        tried.dedup();
        assert_eq!(tried.len(), all);
    }

    #[test]
    fn steps_decided_against_the_order_of_the_others_widen_the_interval() {
        let noisy = |step, replications| match step {
            500 => Some(StepVerdict { verdict: Verdict::Missed, excess: 0.01 }),
            _ => up_to(600.0, 20.0)(step, replications),
        };
        let (met, missed, ..) = within(invert(1000, ENOUGH, noisy));
        assert!(met < Some(500) && missed >= Some(500), "{met:?} {missed:?}");
    }

    #[test]
    fn a_search_that_loses_a_trial_has_no_answer() {
        let lost = |step, replications| if step == 500 { None } else { up_to(100.0, 0.0)(step, replications) };
        assert_eq!(invert(1000, ENOUGH, lost), None);
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
            let bracket = invert(last, ENOUGH, up_to(limit, doubt)).unwrap();
            if let Bracket::Within { met, missed, estimate, largest, .. } = bracket {
                prop_assert!(largest);
                prop_assert!(met.is_none_or(|met| met as f64 <= limit));
                prop_assert!(missed.is_none_or(|missed| missed as f64 > limit));
                prop_assert!(met.is_none_or(|met| met <= estimate) && missed.is_none_or(|missed| estimate < missed));
            }
        }
    }
}
