//! The dialogue of a search: which values it wants, by what those before gave.

use sojourn_catalogue::NETWORKS;

use super::*;
use crate::limit::Condition;
use crate::verdict::Judgement;

fn search(asked: &SearchRequest, runs: &Runs) -> Search {
    let text = NETWORKS.kinds().template("queue").unwrap();
    let document = NETWORKS.kinds().parse("queue.toml", &text).unwrap();
    let set = ["run.replications=10".to_owned()];
    let base = ScenarioBase::new(NETWORKS, document, "queue".to_owned()).with(&set, runs).unwrap();
    Search::new(base, asked, runs).unwrap()
}

/// Up to which of 100 rates a mean time stays short.
fn asked() -> SearchRequest {
    let (vary, until) = ("flow.customers.arrivals.rate=0.1:0.6 /s", "response_time.mean < 1 s");
    SearchRequest { vary: Some(vary.to_owned()), until: Some(until.to_owned()), ..SearchRequest::default() }
}

/// What a value gives where the limit is at `limit`, and ten replications decide what is farther than `doubt` from it.
fn trial(value: &Value, limit: f64, doubt: f64) -> Trial {
    let at = value.setting.json.as_f64().unwrap();
    let doubt = doubt * (10.0 / f64::from(value.replications.unwrap_or(10))).sqrt();
    let verdict = match at - limit {
        beyond if beyond > doubt => Verdict::Missed,
        beyond if beyond <= -doubt => Verdict::Met,
        _ => Verdict::Undecided,
    };
    let holds = at <= limit;
    let judgement = Judgement { value: Some(at / limit), interval: None, holds, verdict, reason: None };
    let condition = Condition {
        text: "response_time.mean < 1 s".to_owned(),
        metric: "response_time".to_owned(),
        field: "mean".to_owned(),
        unit: "s",
        limit: 1.0,
        unseen: None,
        groups: None,
        judgement,
    };
    Trial::new(&value.setting, vec![condition], None)
}

/// The values that a search tries, and its answer.
fn dialogue(mut search: Search, limit: f64, doubt: f64) -> (Vec<(String, Option<u32>)>, Limit) {
    let (mut next, mut tried) = (search.begin().unwrap(), Vec::new());
    loop {
        match next {
            Next::Try(value) => {
                tried.push((value.setting.text.clone(), value.replications));
                next = search.ended(trial(&value, limit, doubt)).unwrap();
            }
            Next::Found(limit) => return (tried, *limit),
        }
    }
}

#[test]
fn the_ends_of_the_range_are_tried_first_and_the_limit_lies_between_neighbours() {
    let (tried, limit) = dialogue(search(&asked(), &Runs::default()), 0.3005, 0.0);
    assert_eq!(tried[..3], ["0.1 /s", "0.6 /s", "0.35 /s"].map(|text| (text.to_owned(), Some(10))));
    assert_eq!((limit.outcome, limit.direction, limit.value), ("found", Some("largest"), Some(0.3)));
    assert_eq!(limit.interval, [Some(0.3), Some(0.301)]);
    assert_eq!(limit.found.unwrap().value, Some(0.3));
    assert_eq!((limit.tried, limit.trials.len()), (tried.len(), tried.len()));
    assert!(limit.trials.is_sorted_by_key(|trial| trial.value));
}

#[test]
fn a_value_to_judge_comes_first_and_gets_as_many_replications_as_its_neighbours() {
    let asked = SearchRequest { ask: Some("0.3 /s".to_owned()), ..asked() };
    let (tried, limit) = dialogue(search(&asked, &Runs::default()), 0.31, 0.1);
    // the scenario itself has 0.5 /s
    let first = |text: &str| (text.to_owned(), Some(10));
    assert_eq!(tried[0], first("0.3 /s"));
    assert_eq!((limit.asked.as_ref().unwrap().value, limit.written.is_some()), (Some(0.3), true));
    assert!(limit.replications > 10, "{limit:?}");
    assert!(tried.contains(&("0.3 /s".to_owned(), Some(limit.replications))), "{tried:?}");
}

#[test]
fn where_a_precision_decides_the_replications_no_value_is_tried_twice() {
    let (tried, _) = dialogue(search(&asked(), &Runs { precision: Some(0.05), ..Runs::default() }), 0.31, 0.1);
    assert!(tried.iter().all(|(_, replications)| replications.is_none()), "{tried:?}");
    let mut texts: Vec<&str> = tried.iter().map(|(text, _)| text.as_str()).collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), tried.len());
}

#[test]
fn a_search_waits_for_the_value_it_wants() {
    let mut search = search(&asked(), &Runs::default());
    let first = search.begin().unwrap();
    assert_eq!(search.begin().unwrap(), first);
    let Next::Try(value) = first else { panic!("nothing is known yet") };
    let Next::Try(second) = search.ended(trial(&value, 0.3, 0.0)).unwrap() else { panic!("the other end") };
    assert_eq!(second.setting.text, "0.6 /s");
}
