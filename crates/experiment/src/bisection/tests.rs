//! The steps that a bisection tries, and the brackets that it ends with.

use proptest::prelude::*;

use super::*;

const ENOUGH: Budget = Budget { first: 10, total: Some(400), events: 0, asked: None };

/// Where a search ends of whose steps `trial` shows the verdicts.
fn invert(last: u64, budget: Budget, mut trial: impl FnMut(u64, u32) -> StepVerdict) -> Bracket {
    let mut bisection = Bisection::new(last, budget);
    loop {
        match bisection.next() {
            Next::Try(step, replications) => bisection.tried(trial(step, replications), 0),
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
    assert_eq!(bisection.next(), Next::Try(0, 10), "it knows nothing yet");
    let met = StepVerdict { verdict: Verdict::Met, excess: -0.5 };
    bisection.tried(met, 0);
    bisection.tried(StepVerdict { verdict: Verdict::Missed, excess: 0.5 }, 0);
    assert_eq!((bisection.spent, bisection.next()), (10, Next::Try(100, 10)));
    bisection.tried(met, 0);
    assert_eq!((bisection.spent, bisection.next()), (20, Next::Ended(Bracket::Always)));
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
