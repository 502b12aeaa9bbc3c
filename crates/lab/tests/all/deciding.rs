//! Runs that go on until what is expected is decided: how often they are wrong, against the closed forms of M/M/1.

use sojourn_catalogue::NETWORKS;
use sojourn_experiment::computation::{Computation, Request};
use sojourn_experiment::evaluation::Evaluation;
use sojourn_experiment::verdict::Verdict;
use sojourn_experiment::{Build, Runs};

/// Load 0.5 and services of mean 1 s: the time in the system is exponential, of mean 1 / (1 - 0.5) = 2 s.
fn desk(expected: &str) -> String {
    format!(
        r#"
[network]
kind = "queue"
[[station]]
name = "desk"
service = {{ kind = "exponential", mean = "1 s" }}
[[flow]]
name = "customers"
path = ["desk"]
arrivals = {{ kind = "poisson", rate = "0.5 /s" }}
[expect]
{expected}
[run]
duration = "600 s"
warm_up = "60 s"
replications = 5
"#
    )
}

fn evaluated(expected: &str, runs: Runs) -> Evaluation {
    let build = Build { version: "0.1.0".into(), commit: "unknown".into(), identity: "deciding".into() };
    let request = Request { name: "desk.toml".into(), text: desk(expected), runs, ..Request::default() };
    let mut computation = Computation::open(NETWORKS, &request, build).unwrap_or_else(|problems| panic!("{problems}"));
    let mut items = computation.begin();
    while let Some(item) = items.pop() {
        let record = computation.compute(&item);
        items.extend(computation.ended(&item, Ok(&record)));
    }
    computation.evaluate()
}

fn point(evaluation: &Evaluation) -> serde_json::Value {
    let results: serde_json::Value = serde_json::from_str(&evaluation.results_json).unwrap();
    results["points"][0].clone()
}

/// Of this many seeds those whose verdict is this, where the limit is the true value itself: the worst case.
fn wrong(expected: &str, verdict: Verdict, seeds: u64) -> usize {
    let runs = |seed| Runs { seed: Some(seed), budget: Some(40_000), ..Runs::default() };
    (0..seeds).filter(|&seed| evaluated(expected, runs(seed)).verdicts[0].judgement.verdict == verdict).count()
}

#[test]
#[ignore = "4000 runs; `make nightly` runs it"]
fn a_thousand_runs_that_end_once_they_are_decided_err_in_five_percent_at_most() {
    // p90 of the exponential law: 2 s x ln 10
    let missed = ["'response_time.mean' = '<= 2 s'", "'response_time.p90' = '<= 4.6051702 s'"];
    let met = ["'response_time.mean' = '> 2 s'", "'response_time.p90' = '> 4.6051702 s'"];
    for expected in missed {
        let found = wrong(expected, Verdict::Missed, 1000);
        assert!(found <= 50, "{expected}: {found} of 1000 runs say missed");
    }
    for expected in met {
        let found = wrong(expected, Verdict::Met, 1000);
        assert!(found <= 50, "{expected}: {found} of 1000 runs say met");
    }
}

#[test]
fn a_limit_that_is_near_takes_more_replications_than_one_that_is_far_and_the_point_says_why_they_ended() {
    let far = point(&evaluated("'response_time.mean' = '< 4 s'", Runs::default()));
    assert_eq!((far["replications"].as_u64(), far["decided_by"].as_str()), (Some(5), Some("expectations")));
    let near = point(&evaluated("'response_time.mean' = '< 2.05 s'", Runs::default()));
    assert!(near["replications"].as_u64() > Some(50), "{near}");
    assert_eq!(near["decided_by"].as_str(), Some("expectations"));
}

#[test]
fn what_a_budget_does_not_decide_stays_open_and_a_given_number_of_replications_is_that_number() {
    let near = "'response_time.mean' = '< 2.05 s'";
    let spent = evaluated(near, Runs { budget: Some(10_000), ..Runs::default() });
    assert_eq!(spent.verdicts[0].judgement.verdict, Verdict::Undecided);
    assert_eq!(point(&spent)["decided_by"].as_str(), Some("budget"));
    let fixed = point(&evaluated(near, Runs { replications: Some(7), ..Runs::default() }));
    assert_eq!((fixed["replications"].as_u64(), fixed["decided_by"].as_str()), (Some(7), None));
    let written = point(&evaluated(near, Runs { budget: Some(0), ..Runs::default() }));
    assert_eq!(written["replications"].as_u64(), Some(5));
}
