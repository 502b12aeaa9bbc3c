//! What a user asks for, as it crosses the border from the front.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sojourn_scenario::{Problem, Problems};

use crate::live::LiveRequest;
use crate::relaying::RelayRequest;

/// More threads than any machine this runs on has processors.
const MOST_THREADS: usize = 1024;

/// The commands that run something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// One scenario.
    #[default]
    Run,
    /// The product of all `over`.
    Sweep,
    /// The largest or smallest value that still meets a condition.
    Find,
    /// All points of a study.
    Study,
    /// A real network, by the URL of its other end.
    Measure,
    /// The other end of a measurement, or one who only hears.
    Listen,
    /// The far station of a radio channel.
    Agent,
    /// A bad way between two hosts.
    Relay,
}

impl Command {
    /// Whether it speaks to a real network.
    pub fn is_live(self) -> bool {
        matches!(self, Command::Measure | Command::Listen | Command::Agent | Command::Relay)
    }
}

/// One call of `run`, `sweep`, `find`, `study`, `measure`, `agent`, `listen` or `relay`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// What to do.
    pub command: Command,
    /// The scenario of `run`, `sweep` and `find`.
    pub file: Option<PathBuf>,
    /// The `study.toml` of `study`, or its folder.
    pub study: Option<PathBuf>,
    /// Overrides, `KEY=VALUE`.
    pub set: Vec<String>,
    /// Axes of a sweep, `KEY=50:500:50 /s` or `KEY=a,b`.
    pub over: Vec<String>,
    /// The key a search varies, `KEY=LOW:HIGH UNIT`; without it, that of the scenario's `[question]`.
    pub vary: Option<String>,
    /// The condition of a search, `response_time.p99 < 20 ms`; without it, all of the scenario's `[expect]`.
    pub until: Option<String>,
    /// The value of the key that a search is asked about, beside the limit.
    pub ask: Option<String>,
    /// The experiments of a study to run; all when empty.
    pub experiments: Vec<String>,
    /// Whether to use each experiment's lower duration and replications.
    pub quick: bool,
    /// Whether to run the variants of a study, too.
    pub all: bool,
    /// Instead of the scenario's seed.
    pub seed: Option<u64>,
    /// Instead of the scenario's number of replications.
    pub replications: Option<u32>,
    /// Add replications until the interval's half-width is within this share of the mean.
    pub precision: Option<f64>,
    /// The metric and field whose interval [`precision`](Request::precision) speaks of.
    pub precision_of: Option<String>,
    /// Threads; all when absent. Never changes a byte.
    pub jobs: Option<usize>,
    /// Folder for results; nothing is written when absent.
    pub out: Option<PathBuf>,
    /// Capture file of the first replication of a run, or of what a live job carries.
    pub pcap: Option<PathBuf>,
    /// Folder of the cache, instead of the user's.
    pub cache: Option<PathBuf>,
    /// What `measure`, `agent` and `listen` are to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveRequest>,
    /// What `relay` is to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relay: Option<RelayRequest>,
}

impl Request {
    /// Refuses what is a mistake whatever the scenario.
    pub fn validate(&self) -> Result<(), Problems> {
        let mut problems = Problems::new();
        let mut refuse = |wrong: bool, message: &str| {
            if wrong {
                problems.push(Problem::plain(message));
            }
        };
        refuse(self.jobs == Some(0), "--jobs 0: a job has at least one thread");
        refuse(self.jobs.is_some_and(|jobs| jobs > MOST_THREADS), "--jobs: a job has at most 1024 threads");
        refuse(self.replications == Some(0), "--replications 0: a point has at least one replication");
        let positive = |share: f64| share > 0.0 && share < 1.0;
        refuse(
            self.precision.is_some_and(|share| !positive(share)),
            "--precision is a share of the value, above 0 and below 1, as 0.02",
        );
        refuse(
            self.precision.is_some() && self.replications.is_some(),
            "--precision decides how many replications there are: leave --replications out",
        );
        refuse(
            self.precision.is_none() && self.precision_of.is_some(),
            "--precision-of says what --precision watches: give --precision, too",
        );
        let many = matches!(self.command, Command::Sweep | Command::Find | Command::Study);
        refuse(self.pcap.is_some() && many, "only a single run can be captured");
        problems.or(())
    }
}

/// Which build computes: it names results, and keys the cache.
#[derive(Clone, Debug, Serialize)]
pub struct Build {
    /// Version, as `0.1.0`.
    pub version: String,
    /// Short commit the build was made from, with `-dirty` if its tree was changed, or `unknown`.
    pub commit: String,
    /// Fingerprint of all that can change a result: sources, locked libraries, compiler.
    pub identity: String,
}
