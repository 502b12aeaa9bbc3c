//! The contract of a model: a scenario turned into a simulation, and one replication of it.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use sojourn_core::Duration;
use sojourn_engine::splitting::Threads;
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_metrics::record::Record;

#[cfg(feature = "rare")]
use crate::rare;

/// One independent run of a model.
pub struct Replication<'a> {
    /// Seed of the scenario, from which all random streams derive.
    pub seed: u64,
    /// Which replication, from 0.
    pub index: u32,
    /// Observations before this are dropped.
    pub warm_up: Duration,
    /// How long to observe after the warm-up.
    pub duration: Duration,
    /// Whether to keep traces (samples in order of time, levels), for figures and for finding the warm-up.
    pub traces: bool,
    /// Where the frames go, if a capture was asked for.
    pub capture: Option<&'a mut dyn FrameSink>,
    /// Set by another thread to abandon the replication; the record is then meaningless.
    pub cancelled: &'a AtomicBool,
    /// Threads that may simulate copies of a rare event's paths along with this one.
    pub threads: Option<&'a dyn Threads>,
}

impl<'a> Replication<'a> {
    /// The same, whose frames go nowhere.
    pub fn without_capture(&self) -> Replication<'a> {
        Replication { capture: None, ..*self }
    }
}

impl Replication<'_> {
    /// The first replication of seed 1, observed from its start for `duration`, without a thread that could abandon it.
    pub fn alone(duration: Duration) -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Replication {
            seed: 1,
            index: 0,
            warm_up: Duration::ZERO,
            duration,
            traces: false,
            capture: None,
            cancelled: &NEVER,
            threads: None,
        }
    }
}

/// Scenarios whose replications begin alike.
pub trait Together: Send + Sync {
    /// How much of the warm-up and the time after it they have in common.
    fn in_common(&self, warm_up: Duration, duration: Duration) -> Duration;

    /// A replication of the scenarios of these numbers: to the bytes those of each alone. Without a capture.
    fn replicate(&self, replication: &Replication<'_>, numbers: &[usize]) -> Vec<Record>;
}

/// What decides the random numbers of a replication, and the time until which it draws.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// Seed of the scenario.
    pub seed: u64,
    /// Which replication, from 0.
    pub index: u32,
    /// Length of the warm-up.
    pub warm_up: Duration,
    /// How long is observed.
    pub duration: Duration,
}

/// A scenario turned into a simulation that can be replicated, on any thread, any number of times.
pub trait Model: Send + Sync {
    /// Runs one replication: the only dynamic call of a run.
    fn replicate(&self, replication: Replication<'_>) -> Record;

    /// The delay that its probes sample, by which its warm-up is found: `response_time` of requests, else `one_way_delay` of streams
    /// and calls. `None` where nothing samples one.
    fn sampled(&self) -> Option<&'static str> {
        Some("response_time")
    }

    /// Deviations of what a replication draws from its known expectation, by name, as control variates of means: each has the
    /// expectation 0 exactly. Empty where a model has none.
    fn controls(&self, _drawn: Drawn) -> BTreeMap<String, f64> {
        BTreeMap::new()
    }

    /// What its frames begin with in a capture; `None` if it has no frames.
    fn link_type(&self) -> Option<LinkType> {
        None
    }

    /// The model as one whose running worlds can be copied, if they have gauges.
    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn rare::RareModel> {
        None
    }
}
