//! Searches for the value up to which a rare event stays below a rate, against the closed form of M/M/1.

use crate::common::{computing, find, folder, in_one_thread, refusal, request, results, run};
use sojourn_experiment::limit::Limit;
use sojourn_experiment::search::SearchRequest;
use sojourn_experiment::verdict::Verdict;
use sojourn_lab::request::{Find, Risk, Runs};

/// Services of mean 1 s.
const DESK: &str = r#"
[network]
kind = "queue"
[[station]]
name = "desk"
service = { kind = "exponential", mean = "1 s" }
[[flow]]
name = "customers"
path = ["desk"]
arrivals = { kind = "poisson", rate = "0.5 /s" }
[run]
duration = "600 s"
warm_up = "60 s"
replications = 2
seed = 3
"#;

/// How often M/M/1 with services of 1 s exceeds `beyond` customers, a second: the inverse of the mean first passage of the birth and
/// death chain, the sum over i <= `beyond` of the sum over j <= i of load^-(i-j+1).
fn rate_of(load: f64, beyond: i32) -> f64 {
    1.0 / (0..=beyond).map(|i| (0..=i).map(|j| load.powi(-(i - j + 1))).sum::<f64>()).sum::<f64>()
}

/// The load at which more than 15 customers are there as often as `goal`.
fn load_of(goal: f64) -> f64 {
    let (mut low, mut high) = (0.1, 0.9);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if rate_of(middle, 15) < goal { low = middle } else { high = middle }
    }
    low
}

fn search(name: &str, until: &str, seed: u64) -> (Limit, u64) {
    let search = Find {
        vary: Some("flow.customers.arrivals.rate=0.2:0.8 /s".into()),
        until: Some(until.into()),
        runs: Runs { seed: Some(seed), ..Runs::default() },
        ..find(&folder(name), DESK)
    };
    let job = run(search);
    (job.wait().find.clone().unwrap_or_else(|| panic!("{:?}", job.wait().error)), job.progress().replications_done)
}

#[test]
fn the_load_up_to_which_a_queue_overflows_less_than_once_a_day_is_that_of_the_closed_form() {
    let truth = load_of(1.0 / 86_400.0);
    let (limit, replications) = search("rare-find", "risk(queue_length > 15) < 1 /day", 3);
    assert_eq!(limit.direction, Some("largest"));
    let [low, high] = limit.interval.map(|end| end.unwrap_or_else(|| panic!("{limit:?}")));
    // the ends are the last step that is met and the first that is missed
    assert!(low <= truth && truth <= high, "{truth} is not in {low} to {high}");
    assert!(high - low < 0.1 && (limit.value.unwrap() - truth).abs() < 0.04, "{limit:?}, not {truth}");
    assert!(replications < 40 * u64::try_from(limit.tried).unwrap() + 1500, "{replications} of {}", limit.tried);
}

#[test]
fn far_from_the_goal_a_value_is_decided_by_a_small_part_of_what_an_estimate_takes() {
    let folder = folder("rare-decided");
    let asked = |until: &str| Find {
        vary: Some("flow.customers.arrivals.rate=0.49:0.51 /s".into()),
        until: Some(until.into()),
        ask: Some("0.5 /s".into()),
        ..find(&folder, DESK)
    };
    let of = "queue_length > 15";
    let estimate = Risk {
        file: request(&folder, DESK).file,
        of: of.into(),
        runs: Runs { precision: Some(0.1), ..Runs::default() },
        computing: computing(&folder),
        ..Risk::default()
    };
    let estimated = results(run(estimate).wait())["risk"]["replications"].as_u64().unwrap();
    // 3.8e-6 a second: 120 a year
    for (goal, verdict) in [("1000 /year", Verdict::Met), ("12 /year", Verdict::Missed)] {
        let job = run(asked(&format!("risk({of}) < {goal}")));
        let found = job.wait().find.clone().unwrap();
        assert_eq!(found.asked.as_ref().unwrap().verdict, verdict, "{found:?}");
        let interval = found.asked.unwrap().conditions[0].judgement.interval.unwrap();
        let [low, high] = [interval.0, interval.1.unwrap()].map(|end| end * 31_536_000.0);
        assert!(low < 31_536_000.0 * rate_of(0.5, 15) && 31_536_000.0 * rate_of(0.5, 15) < high, "{low} to {high}");
        // wider than 30 % of it: no more was simulated than the answer takes
        assert!(high - low > 0.6 * 120.0, "{low} to {high}");
    }
    assert!(estimated > 30, "{estimated}");
}

#[test]
fn a_rate_far_below_the_goal_is_met_without_one_occurrence() {
    // more than 60 customers at a load of 0.2: once in 1e34 years
    let search = Find {
        vary: Some("flow.customers.arrivals.rate=0.2:0.25 /s".into()),
        until: Some("risk(queue_length > 60) < 1 /year".into()),
        ..find(&folder("rare-none"), DESK)
    };
    let job = run(search);
    let found = job.wait().find.clone().unwrap();
    assert_eq!(found.outcome, "always", "{found:?}");
    assert!(job.progress().replications_done < 2000, "{:?}", job.progress());
}

#[test]
fn a_page_that_computes_one_replication_after_the_other_finds_the_same_limit_of_a_rate() {
    let until = "risk(queue_length > 6) < 1 /h";
    let asked = SearchRequest {
        vary: Some("flow.customers.arrivals.rate=0.2:0.8 /s".into()),
        until: Some(until.into()),
        ..SearchRequest::default()
    };
    let (limit, _) = search("rare-page", until, 7);
    assert_eq!(limit.outcome, "found");
    assert_eq!(in_one_thread(DESK, &asked, &Runs { seed: Some(7), ..Runs::default() }), limit);
}

#[test]
fn a_search_for_a_rate_is_made_on_this_host() {
    let folder = folder("rare-cluster");
    let mut search = Find { until: Some("risk(queue_length > 6) < 1 /h".into()), ..find(&folder, DESK) };
    (search.computing.jobs, search.computing.cluster) = (None, Some("tcp://127.0.0.1:9".into()));
    let reported = refusal(search);
    assert!(reported.contains("the copies of a rare event are made on this host"), "{reported}");
}
