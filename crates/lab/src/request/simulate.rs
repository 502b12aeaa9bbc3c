//! Requests of the commands that simulate: `run`, `bound`, `sweep`, `find` and `study`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use sojourn_experiment::Runs;

use crate::shard::Shard;

/// More threads than any machine this runs on has processors.
const MOST_THREADS: usize = 1024;

/// `sojourn run FILE`: one scenario, simulated.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// Path of the scenario file.
    pub file: PathBuf,
    /// Overrides of keys, each `KEY=VALUE` as in `--set`.
    pub set: Vec<String>,
    /// Seed and replications in place of the scenario's.
    pub runs: Runs,
    /// Threads, cache and results.
    pub computing: Computing,
    /// Capture file of the first replication.
    pub pcap: Option<PathBuf>,
    /// A share of the requests, above 0 and at most 0.5: the time that they exceed is asked.
    pub tail: Option<f64>,
}

impl Run {
    /// What is wrong whatever the scenario.
    pub(super) fn mistakes(&self) -> Vec<&'static str> {
        let is_share = |share: f64| share > 0.0 && share <= 0.5;
        wrong(&[
            (
                self.tail.is_some_and(|share| !is_share(share)),
                "--tail is a share of the requests, above 0 and at most 0.5: 1e-6",
            ),
            (
                self.tail.is_some() && self.computing.shard.is_some(),
                "a shard has no results: give --tail to the run that puts the shards together",
            ),
        ])
    }
}

/// `sojourn bound FILE`: the worst cases of one scenario, beside what it simulates.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bound {
    /// Path of the scenario file.
    pub file: PathBuf,
    /// Overrides of keys, each `KEY=VALUE` as in `--set`.
    pub set: Vec<String>,
    /// Results of a measurement of the same network, or their folder.
    pub measured: Option<PathBuf>,
    /// Seed and replications in place of the scenario's.
    pub runs: Runs,
    /// Threads, cache and results.
    pub computing: Computing,
}

/// `sojourn sweep FILE`: the product of some axes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sweep {
    /// The scenario, or the measurement of a real network.
    pub file: PathBuf,
    /// Overrides of keys, each `KEY=VALUE` as in `--set`.
    pub set: Vec<String>,
    /// Axes, each `KEY=50:500:50 /s` or `KEY=a,b`; the first is the slowest.
    pub over: Vec<String>,
    /// Seed and replications in place of the scenario's.
    pub runs: Runs,
    /// Threads, cache and results.
    pub computing: Computing,
}

/// `sojourn find FILE`: the limit of a key.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Find {
    /// Path of the scenario file.
    pub file: PathBuf,
    /// Overrides of keys, each `KEY=VALUE` as in `--set`.
    pub set: Vec<String>,
    /// The key that varies and its range, `KEY=LOW:HIGH UNIT`; without it, that of the scenario's `[question]`.
    pub vary: Option<String>,
    /// The condition, `response_time.p99 < 20 ms`; without it, all of the scenario's `[expect]`.
    pub until: Option<String>,
    /// A value of the key to judge in addition to the limit.
    pub ask: Option<String>,
    /// Seed and replications in place of the scenario's.
    pub runs: Runs,
    /// Threads, cache and results.
    pub computing: Computing,
}

/// `sojourn advise FILE`: which of several changes is best.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Advise {
    /// Path of the scenario file.
    pub file: PathBuf,
    /// Overrides of keys, each `KEY=VALUE` as in `--set`.
    pub set: Vec<String>,
    /// Options in addition to those of the scenario, each `NAME: KEY=VALUE, KEY=VALUE, cost=NUMBER`.
    pub options: Vec<String>,
    /// The metric and field to compare by, `response_time.p99`; without it that of the first condition.
    pub by: Option<String>,
    /// The condition, `response_time.p99 < 20 ms`; without it, all of the scenario's `[expect]`.
    pub until: Option<String>,
    /// The smallest difference that counts: `5 %` of the best value, or `2 ms`.
    pub indifference: Option<String>,
    /// Options that are combined at most.
    pub combine: Option<u32>,
    /// Seed and first replications in place of the scenario's; the budget of events.
    pub runs: Runs,
    /// Threads, cache and results.
    pub computing: Computing,
}

/// `sojourn risk FILE`: how often a rare event occurs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Risk {
    /// Path of the scenario file.
    pub file: PathBuf,
    /// Overrides of keys, each `KEY=VALUE` as in `--set`.
    pub set: Vec<String>,
    /// The condition, `queue_length/server > 40`.
    pub of: String,
    /// A time within which the probability of an occurrence is asked, `1 h`.
    pub within: Option<String>,
    /// Seed in place of the scenario's; precision, or replications, of the rate.
    pub runs: Runs,
    /// Threads, cache and results.
    pub computing: Computing,
}

/// `sojourn study NAME`: the experiments of a study.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Study {
    /// The `study.toml`, or its folder.
    pub study: PathBuf,
    /// The experiments to run; all when empty.
    pub experiments: Vec<String>,
    /// Whether to use each experiment's lower duration and replications.
    pub quick: bool,
    /// Whether to run the variants of experiments, too.
    pub all: bool,
    /// Overrides of every scenario, each `KEY=VALUE`.
    pub set: Vec<String>,
    /// Seed and replications in place of the scenarios'.
    pub runs: Runs,
    /// Threads, cache and results.
    pub computing: Computing,
}

/// What computes, and where results go. Nothing here changes a byte of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Computing {
    /// Threads, 1 to 1024; one for each processor when absent.
    pub jobs: Option<usize>,
    /// Folder for results; nothing is written when absent.
    pub out: Option<PathBuf>,
    /// Address of the cluster that computes in place of threads.
    pub cluster: Option<String>,
    /// Computes this part of the replications into the cache, and no results.
    pub shard: Option<Shard>,
    /// Folder of the cache, in place of the user's.
    pub cache: Option<PathBuf>,
    /// File that keeps the finished replications, and from which the same request goes on.
    pub checkpoint: Option<PathBuf>,
    /// Whether the first replication keeps its traces without a folder for results, too.
    pub traces: bool,
}

impl Computing {
    /// What is wrong whatever the scenario.
    pub(super) fn mistakes(&self) -> Vec<&'static str> {
        wrong(&[
            (self.jobs == Some(0), "--jobs 0: a job has at least one thread"),
            (self.jobs.is_some_and(|jobs| jobs > MOST_THREADS), "--jobs: a job has at most 1024 threads"),
            (
                self.cluster.is_some() && self.jobs.is_some(),
                "--jobs are threads of this host: with --cluster leave it out",
            ),
            (
                self.cluster.is_some() && self.shard.is_some(),
                "--shard is for where no cluster is: leave out --cluster or --shard",
            ),
            (self.shard.is_some() && self.out.is_some(), "a shard has no results: its folder is that of the cache"),
        ])
    }
}

pub(super) fn wrong(checks: &[(bool, &'static str)]) -> Vec<&'static str> {
    checks.iter().filter(|(wrong, _)| *wrong).map(|(_, message)| *message).collect()
}
