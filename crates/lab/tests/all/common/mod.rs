//! What the tests of whole jobs share.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use sojourn_catalogue::NETWORKS;
use sojourn_experiment::entry::encode;
use sojourn_experiment::limit::Limit;
use sojourn_experiment::points::ScenarioBase;
use sojourn_experiment::rounds::{PointResult, PointSpec, Rounds, record_of};
use sojourn_experiment::search::{Search, SearchRequest};
use sojourn_experiment::searching::Searching;
use sojourn_lab::request::{Computing, Find, Run, Runs, Sweep};
use sojourn_lab::{Build, Job, Outcome, Request};

/// An empty folder of this name.
pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sojourn-lab-jobs-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    folder
}

/// A build that is always the same.
pub fn build() -> Build {
    Build { version: "0.1.0".into(), commit: "test".into(), identity: "test".into() }
}

/// One desk of exponential customers at four fifths of its capacity, a second long.
pub const MM1: &str = r#"
title = "One desk"
[network]
kind = "queue"
[[station]]
name = "desk"
service = { kind = "exponential", mean = "1 ms" }
[[flow]]
name = "customers"
path = ["desk"]
probe = true
arrivals = { kind = "poisson", rate = "800 /s" }
[run]
duration = "2 s"
warm_up = "100 ms"
replications = 4
seed = 5
"#;

/// `text` as a file in `folder`.
pub fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

/// What computes, with a cache in `folder`.
pub fn computing(folder: &Path) -> Computing {
    Computing { cache: Some(folder.join("cache")), jobs: Some(2), ..Computing::default() }
}

/// A run of `text` whose cache is in `folder`.
pub fn request(folder: &Path, text: &str) -> Run {
    Run { file: write(folder, "scenario.toml", text), computing: computing(folder), ..Run::default() }
}

/// A sweep of `text` over one axis.
pub fn sweep(folder: &Path, text: &str, over: &[&str]) -> Sweep {
    let Run { file, computing, .. } = request(folder, text);
    Sweep { file, computing, over: over.iter().map(|axis| (*axis).to_owned()).collect(), ..Sweep::default() }
}

/// A search in `text`, by its own question.
pub fn find(folder: &Path, text: &str) -> Find {
    let Run { file, computing, .. } = request(folder, text);
    Find { file, computing, ..Find::default() }
}

/// Runs a request to its end.
pub fn run(request: impl Into<Request>) -> Job {
    let job = Job::start(request, build()).unwrap_or_else(|problems| panic!("{problems}"));
    job.wait();
    job
}

/// The results of an outcome.
pub fn results(outcome: &Outcome) -> Value {
    let text = outcome.results_json.as_deref().unwrap_or_else(|| panic!("{:?}", outcome.error));
    serde_json::from_str(text).expect("results are JSON")
}

/// The text of the problems a request is refused with.
pub fn refusal(request: impl Into<Request>) -> String {
    Job::start(request, build()).expect_err("a refusal").render(false, 120)
}

/// The limit that a search finds where one thread computes all replications as a page does: the last of each round first, and
/// each record passed on as bytes.
pub fn in_one_thread(text: &str, asked: &SearchRequest, runs: &Runs) -> Limit {
    let document = NETWORKS.kinds().parse("scenario.toml", text).expect("a scenario");
    let base = ScenarioBase::new(NETWORKS, document, "scenario".to_owned()).with(&[], runs).expect("its overrides");
    let mut searching = Searching::new(Search::new(base, asked, runs).expect("a search"));
    let mut next = searching.begin().expect("a first value");
    while let Some(step) = next {
        next = searching.ended(computed(&step.spec)).expect("another value");
    }
    searching.limit().cloned().expect("a limit")
}

fn computed(spec: &PointSpec) -> PointResult {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let mut rounds = Rounds::new(0, spec.clone());
    let mut items = rounds.begin();
    while let Some(item) = items.pop() {
        let key = spec.key("test", item, false);
        let bytes = encode(&key, &spec.model.replicate(key.replication(&NEVER)));
        items.extend(rounds.ended(item, record_of(spec, "test", &item, Ok(&bytes))));
    }
    rounds.finished().expect("its last replication has ended")
}
