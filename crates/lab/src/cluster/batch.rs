//! The transport format of a batch of replications and its answers.

use serde::{Deserialize, Serialize};
use sojourn_experiment::entry::Key;

/// Replications that one worker computes, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// Fingerprint of the build that must compute them, [`Build::identity`](crate::request::Build::identity).
    pub identity: String,
    /// In the order of the answers.
    pub runs: Vec<ReplicationSet>,
}

/// Replications of one scenario that differ in nothing but their number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplicationSet {
    /// Fingerprint of the scenario without seed and number of replications.
    pub scenario: String,
    /// The scenario in full form, as TOML.
    pub document: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// Length of the warm-up, in picoseconds.
    pub warm_up_ps: u64,
    /// Duration after the warm-up, in picoseconds.
    pub duration_ps: u64,
    /// Whether traces are kept.
    pub traces: bool,
    /// Which replications, each from 0.
    pub replications: Vec<u32>,
}

impl ReplicationSet {
    /// The key of one of the replications.
    pub fn key<'a>(&'a self, identity: &'a str, replication: u32) -> Key<'a> {
        Key {
            identity,
            scenario: &self.scenario,
            seed: self.seed,
            replication,
            warm_up_ps: self.warm_up_ps,
            duration_ps: self.duration_ps,
            traces: self.traces,
        }
    }
}

/// What a replication of a batch gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The record as the cache stores it, or why there is none.
    pub result: Result<Vec<u8>, String>,
    /// How long it took to compute, in seconds.
    pub seconds: f64,
}

/// Answers as they travel, in the order of the batch.
pub fn write_answers(answers: &[Answer]) -> Vec<u8> {
    postcard::to_allocvec(answers).expect("answers are plain data")
}

/// Answers from bytes; `None` for bytes that are none.
pub fn read_answers(bytes: &[u8]) -> Option<Vec<Answer>> {
    postcard::from_bytes(bytes).ok()
}
