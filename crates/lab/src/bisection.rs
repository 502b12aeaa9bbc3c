//! The last step of a range that still meets a condition, by bisection.
//!
//! The condition is taken to be monotone: met on one side of some step, missed on the other. A step whose
//! interval reaches over the limit is undecided; the answer carries the bracket from the nearest step that
//! is decided to meet the condition to the nearest that is decided to miss it.

use crate::verdict::Verdict;

/// Whether one step meets the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepVerdict {
    /// Whether the value alone meets the condition.
    pub holds: bool,
    /// What its 95 % interval decides.
    pub verdict: Verdict,
}

/// Where the condition stops holding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// It holds at both ends.
    Always,
    /// It holds at neither end.
    Never,
    /// It holds at `step` and no longer at its neighbour.
    Found {
        /// The last step that meets the condition.
        step: u64,
        /// The nearest step that meets it over its whole interval, if one was found.
        decided_met: Option<u64>,
        /// The nearest step that misses it over its whole interval, if one was found.
        decided_missed: Option<u64>,
        /// Whether the condition is met at the lower end: then `step` is the largest.
        largest: bool,
    },
}

/// The ends of the bracket are found to a range's share of this.
const BRACKET_SHARE: u64 = 64;

/// Searches the steps `0..=last`. `None` when `trial` gives none: the search was cancelled or a point failed.
pub fn bisect(last: u64, mut trial: impl FnMut(u64) -> Option<StepVerdict>) -> Option<Bracket> {
    let (low, high) = (trial(0)?, trial(last)?);
    match (low.holds, high.holds) {
        (true, true) => return Some(Bracket::Always),
        (false, false) => return Some(Bracket::Never),
        _ => {}
    }
    let largest = low.holds;
    let mut at = |from_met: u64| trial(if largest { from_met } else { last - from_met });
    // steps count from the end that meets the condition
    let mut trials = vec![(0, if largest { low } else { high }), (last, if largest { high } else { low })];
    let met = last_that(0, last, 1, &mut |step| {
        let trial = at(step)?;
        trials.push((step, trial));
        Some(trial.holds)
    })?;
    let coarse = (last / BRACKET_SHARE).max(1);
    let nearest_met = trials.iter().filter(|(_, trial)| trial.verdict == Verdict::Met).map(|&(step, _)| step).max();
    let nearest_missed =
        trials.iter().filter(|(_, trial)| trial.verdict == Verdict::Missed).map(|&(step, _)| step).min();
    let decided_met = match nearest_met {
        Some(step) if step < met => {
            Some(last_that(step, met, coarse, &mut |step| Some(at(step)?.verdict == Verdict::Met))?)
        }
        found => found,
    };
    let decided_missed = match nearest_missed {
        // from the far side: the last step back that is still decided
        Some(step) if step > met + 1 => {
            let back = last_that(0, step - met, coarse, &mut |back| Some(at(step - back)?.verdict == Verdict::Missed))?;
            Some(step - back)
        }
        found => found,
    };
    let place = |from_met: u64| if largest { from_met } else { last - from_met };
    Some(Bracket::Found {
        step: place(met),
        decided_met: decided_met.map(place),
        decided_missed: decided_missed.map(place),
        largest,
    })
}

/// The last step for which `holds`, to within `resolution`: it holds at `low` and not at `high`.
fn last_that(mut low: u64, mut high: u64, resolution: u64, holds: &mut dyn FnMut(u64) -> Option<bool>) -> Option<u64> {
    while high - low > resolution {
        let middle = low + (high - low) / 2;
        match holds(middle)? {
            true => low = middle,
            false => high = middle,
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Met up to `limit`, sure outside `limit ± doubt`.
    fn up_to(limit: u64, doubt: u64) -> impl Fn(u64) -> Option<StepVerdict> {
        move |step| {
            let holds = step <= limit;
            let sure = if holds { step + doubt <= limit } else { step > limit + doubt };
            let verdict = match (sure, holds) {
                (false, _) => Verdict::Undecided,
                (true, true) => Verdict::Met,
                (true, false) => Verdict::Missed,
            };
            Some(StepVerdict { holds, verdict })
        }
    }

    #[test]
    fn a_sharp_limit_is_found_with_its_neighbours_as_bracket() {
        let answer = bisect(1000, up_to(357, 0)).unwrap();
        let expected = Bracket::Found { step: 357, decided_met: Some(357), decided_missed: Some(358), largest: true };
        assert_eq!(answer, expected);
    }

    #[test]
    fn a_condition_met_above_a_limit_gives_the_smallest() {
        let falling = |step: u64| up_to(1000 - 357, 0)(1000 - step);
        let expected = Bracket::Found { step: 357, decided_met: Some(357), decided_missed: Some(356), largest: false };
        assert_eq!(bisect(1000, falling).unwrap(), expected);
    }

    #[test]
    fn always_and_never_are_said_after_two_trials() {
        let mut trials = 0;
        let mut counted = |step| {
            trials += 1;
            up_to(2000, 0)(step)
        };
        assert_eq!(bisect(1000, &mut counted), Some(Bracket::Always));
        assert_eq!(trials, 2);
        assert_eq!(bisect(1000, |step| up_to(5, 0)(step + 6)), Some(Bracket::Never));
    }

    #[test]
    fn a_search_that_loses_a_trial_has_no_answer() {
        assert_eq!(bisect(1000, |step| if step == 500 { None } else { up_to(100, 0)(step) }), None);
    }

    proptest! {
        #[test]
        fn the_bracket_holds_the_answer_and_every_doubtful_step(last in 1u64..2000, share in 0.0f64..1.0, doubt in 0u64..200) {
            let limit = (share * last as f64) as u64;
            prop_assume!(limit < last);
            let mut count = 0;
            let answer = bisect(last, |step| { count += 1; up_to(limit, doubt)(step) }).unwrap();
            let Bracket::Found { step, decided_met, decided_missed, largest } = answer else { panic!("{answer:?}") };
            prop_assert!(largest && step == limit);
            prop_assert!(decided_met.is_none_or(|met| met + doubt <= limit));
            prop_assert!(decided_missed.is_none_or(|missed| missed > limit + doubt));
            prop_assert!(count <= 40, "{count} trials");
        }
    }
}
