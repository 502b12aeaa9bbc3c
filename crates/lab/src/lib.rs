//! The laboratory: checks a scenario, runs it, runs many of it, searches for a limit, and keeps what was computed.
//!
//! A [`Request`] becomes a [`plan`] of points, or a search for a [`limit`]; each point is so many replications of
//! a model; threads share the replications ([`execute`]), and their records are merged in order, so that no
//! number depends on how many threads there were. Finished replications are kept in a [`cache`]. A [`Job`] does
//! all of it on a thread of its own and ends in an [`Outcome`].
//!
//! ```
//! use sojourn_lab::{Build, Job, Request};
//!
//! let request = Request {
//!     file: Some("../../examples/queue-mm1.toml".into()),
//!     set: vec!["run.duration=60 s".into()],
//!     cache: Some(std::env::temp_dir().join("sojourn-example")),
//!     ..Request::default()
//! };
//! let build = Build { version: "0.1.0".into(), commit: "unknown".into(), identity: "example".into() };
//! let job = Job::start(request, build).unwrap_or_else(|problems| panic!("{problems}"));
//! let outcome = job.wait();
//! assert!(outcome.results_json.as_ref().is_some_and(|text| text.contains("response_time")));
//! ```

pub mod answer;
pub mod base;
pub mod cache;
pub mod catalogue;
pub mod columns;
pub mod condition;
pub mod execute;
pub mod fault;
pub mod files;
pub mod job;
pub mod limit;
pub mod live;
pub mod outcome;
pub mod pcap;
pub mod plan;
pub mod progress;
pub mod provenance;
pub mod relaying;
pub mod request;
pub mod search;
pub mod serving;
pub mod study;
pub mod verdict;
pub mod warm_up;

#[cfg(test)]
mod testing;

use std::path::Path;

use sojourn_scenario::{Document, Parameter, Problems, Scenario};

pub use job::Job;
pub use outcome::Outcome;
pub use request::{Build, Command, Request};

/// Reads and checks a scenario with `KEY=VALUE` overrides, as far as it can be checked without running it.
pub fn check(path: &Path, sets: &[String]) -> Result<Scenario, Problems> {
    let mut document = Document::read(path)?;
    base::override_with(&mut document, &Request { set: sets.to_vec(), ..Request::default() })?;
    let scenario = sojourn_scenario::check(&document)?;
    condition::refuse_unknown_expectations(&scenario)?;
    if let Some(network) = sojourn_networks::find(scenario.kind) {
        network.model(&scenario)?;
    }
    Ok(scenario)
}

/// The number that `key` names in a scenario with `KEY=VALUE` overrides: its unit, its range and what it is now.
pub fn parameter(path: &Path, sets: &[String], key: &str) -> Result<Parameter, Problems> {
    let mut document = Document::read(path)?;
    base::override_with(&mut document, &Request { set: sets.to_vec(), ..Request::default() })?;
    document.parameter(key)
}
