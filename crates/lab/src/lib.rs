//! The laboratory: checks scenarios, runs them, sweeps their keys, searches for limits, and caches finished
//! replications.
//!
//! A [`Request`] becomes a [plan](sojourn_experiment::plan) of points, a [search](sojourn_experiment::search) for a
//! limit, a measurement of a real network, the [`analysis`] of a capture, or a server. Each simulated point is a
//! number of replications of a model. They are computed by threads ([`execute`]) or by the workers of a [`cluster`],
//! and their records are merged in order, so that results do not depend on the number of threads or workers. Finished
//! replications are kept in a [`cache`]. A [`Job`] does all of it on its own thread and ends in an [`Outcome`]. What uses a
//! real network is behind [`live`], which a platform may lack.
//!
//! ```
//! use sojourn_lab::request::{Computing, Run};
//! use sojourn_lab::{Build, Job};
//!
//! let run = Run {
//!     file: "../../examples/queue-mm1.toml".into(),
//!     set: vec!["run.duration=60 s".into()],
//!     computing: Computing { cache: Some(std::env::temp_dir().join("sojourn-example")), ..Computing::default() },
//!     ..Run::default()
//! };
//! let build = Build { version: "0.1.0".into(), commit: "unknown".into(), identity: "example".into() };
//! let job = Job::start(run, build).unwrap_or_else(|problems| panic!("{problems}"));
//! let outcome = job.wait();
//! assert!(outcome.results_json.as_ref().is_some_and(|text| text.contains("response_time")));
//! ```

pub mod analysis;
pub mod cache;
pub mod catalogue;
pub mod cluster;
pub mod columns;
#[cfg(feature = "live")]
mod emulator;
pub mod execute;
mod expected;
pub mod fault;
pub mod files;
pub mod fuzz;
pub mod job;
pub mod links;
pub mod live;
mod locked;
mod measured;
#[cfg(feature = "live")]
pub mod measurement;
#[cfg(feature = "live")]
mod monitor;
pub mod outcome;
pub mod pcap;
mod plan;
pub mod progress;
pub mod provenance;
pub mod request;
pub mod running;
#[cfg(feature = "live")]
pub mod serving;
pub mod shard;
pub mod study;

#[cfg(test)]
mod testing;

use std::path::Path;

use sojourn_catalogue::NETWORKS;
use sojourn_core::Streams;
use sojourn_engine::sample::standard_normal;
use sojourn_engine::stopping::MOST_REPLICATIONS;
use sojourn_experiment::computation;
use sojourn_experiment::condition::refuse_wrong_expectations;
use sojourn_experiment::points::override_keys;
use sojourn_experiment::warm_up;
use sojourn_model::Network;
use sojourn_scenario::redaction::shown_document;
use sojourn_scenario::{Kinds, Parameter, Problems, Scenario, tree};

pub use job::Job;
pub use outcome::Outcome;
pub use request::{Build, Request};

/// What every network declares, by which documents are read.
pub fn kinds() -> Kinds {
    NETWORKS.kinds()
}

/// Reads and checks a scenario with `KEY=VALUE` overrides, as far as it can be checked without running it.
pub fn check(path: &Path, sets: &[String]) -> Result<Scenario, Problems> {
    let mut document = NETWORKS.kinds().read(path)?;
    override_keys(&mut document, sets)?;
    let scenario = sojourn_scenario::check(&document)?;
    let network = network_of(&scenario);
    refuse_wrong_expectations(&scenario, network.information())?;
    if scenario.is_measurement() {
        live::check(path, &scenario)?;
    } else {
        warm_up::probe(&scenario, &*network.model(&scenario)?)?;
    }
    Ok(scenario)
}

/// The network by whose keys a scenario was read.
pub(crate) fn network_of(scenario: &Scenario) -> &'static dyn Network {
    NETWORKS.find(scenario.kind).expect("a scenario is read by the keys of a network")
}

/// What is noted of a checked scenario before it is simulated, in words: rules of the trade that it breaks, and what it means.
pub fn warnings(scenario: &Scenario) -> Vec<String> {
    if scenario.is_measurement() {
        return Vec::new();
    }
    let network = network_of(scenario);
    // a run adds replications until what is expected is decided
    let warnings = network.notes(scenario, &network.meaning(scenario), MOST_REPLICATIONS);
    warnings.iter().map(sojourn_model::Warning::in_words).collect()
}

/// A scenario with `KEY=VALUE` overrides as it travels to where its files are not, such as a report: the document as
/// written but without its secrets, which no simulation needs, the files that it names, and the overrides. `None` for a document without stations to simulate.
pub fn document(path: &Path, sets: &[String]) -> Result<Option<computation::Request>, Problems> {
    let mut document = NETWORKS.kinds().read(path)?;
    override_keys(&mut document, sets)?;
    if sojourn_scenario::check(&document)?.is_measurement() {
        return Ok(None);
    }
    Ok(Some(computation::Request {
        name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        text: shown_document(&tree::load(path)?.text),
        files: document.files(),
        set: sets.iter().map(|set| shown_document(set)).collect(),
        ..computation::Request::default()
    }))
}

/// Draws of the normal distribution with mean 0 and standard deviation 1, from the stream of this name.
pub fn standard_normals(seed: u64, name: &str, count: usize) -> Vec<f64> {
    let mut stream = Streams::new(seed, 0).stream(name);
    (0..count).map(|_| standard_normal(&mut stream)).collect()
}

/// The number that `key` names in a scenario with `KEY=VALUE` overrides: its unit, its range and what it is now.
pub fn parameter(path: &Path, sets: &[String], key: &str) -> Result<Parameter, Problems> {
    let mut document = NETWORKS.kinds().read(path)?;
    override_keys(&mut document, sets)?;
    document.parameter(key)
}
