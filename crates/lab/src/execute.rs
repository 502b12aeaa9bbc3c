//! Replications shared out to threads or to a cluster. What a point gives depends on its own replications, in their
//! order, and on nothing else: neither on who computed them nor on which ended first.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use sojourn_core::Duration;
use sojourn_engine::stopping::StoppingRule;
use sojourn_metrics::record::Record;
use sojourn_networks::Model;

use crate::cache::Cache;
use crate::cluster::Exchange;
use crate::pcap::Capture;
use crate::progress::Tracker;

mod point;
mod remote;
mod threads;

use point::Point;

/// One point to run.
#[derive(Clone)]
pub struct PointSpec {
    /// The scenario as a simulation.
    pub model: Arc<dyn Model>,
    /// Fingerprint of the scenario without seed and number of replications.
    pub scenario: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// How long to observe.
    pub duration: Duration,
    /// What to drop before; found by pilot runs when absent.
    pub warm_up: Option<Duration>,
    /// How many replications are enough.
    pub rule: StoppingRule,
    /// The metric whose samples show when the model has reached steady state.
    pub probe: String,
    /// The replications of a shard, which are computed and not merged; all when absent.
    pub part: Option<Range<u32>>,
}

/// How to run it.
pub struct Settings<'a> {
    /// Fingerprint of the build, [`Build::identity`](crate::request::Build::identity).
    pub identity: &'a str,
    /// Threads; all when absent.
    pub jobs: Option<usize>,
    /// Computes replications in place of threads.
    pub cluster: Option<Cluster<'a>>,
    /// Whether the first replication of each point keeps its traces.
    pub traces: bool,
    /// Takes the frames of the first replication.
    pub capture: Option<&'a Mutex<Capture>>,
    /// Cache of finished replications.
    pub cache: &'a Cache,
    /// Counters, and the order to stop.
    pub tracker: &'a Tracker,
}

/// A cluster that computes replications.
#[derive(Clone, Copy)]
pub struct Cluster<'a> {
    /// What is exchanged with it.
    pub exchange: &'a Exchange,
    /// The scenario of a point, by its position in the work, as text.
    pub document: &'a (dyn Fn(usize) -> String + Sync),
}

/// What a point gave.
#[derive(Clone, Debug, Default)]
pub struct PointResult {
    /// Replications in their order; empty when the point failed, or when only a part of them was computed.
    pub records: Vec<Record>,
    /// Length of the warm-up used.
    pub warm_up: Duration,
    /// Why the point failed.
    pub failure: Option<String>,
    /// What a reader of the numbers should know.
    pub warning: Option<String>,
}

/// A replication of a point that is to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkItem {
    /// Position of the point in the work.
    pub point: usize,
    /// Which replication, from 0.
    pub index: u32,
    /// What it is for.
    pub stage: Stage,
}

/// What a replication is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Finds the warm-up, in a run lengthened by so many doublings.
    Pilot {
        /// How often the duration was doubled.
        doublings: u32,
    },
    /// Is observed after the warm-up.
    Observed {
        /// Length of the warm-up.
        warm_up: Duration,
    },
}

/// Runs all of `work`; a point that was cancelled is `None`.
pub fn execute(work: &[PointSpec], settings: &Settings<'_>) -> Vec<Option<PointResult>> {
    let points: Vec<Point<'_>> =
        work.iter().enumerate().map(|(position, work)| Point::new(position, work, settings)).collect();
    settings.tracker.expect_points(points.len());
    for point in &points {
        settings.tracker.expect_replications(point.first_round());
    }
    let first = points.iter().flat_map(Point::begin).collect();
    match settings.cluster {
        Some(cluster) => remote::run(&points, first, cluster),
        None => threads::run(&points, first, settings.jobs),
    }
    points.into_iter().map(Point::finished).collect()
}

#[cfg(test)]
mod tests;
