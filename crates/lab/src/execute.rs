//! Distributes replications over threads or a cluster. The result of a point depends only on its own replications, in
//! their order: neither on who computed them nor on which ended first.

use std::sync::Mutex;

use sojourn_experiment::rounds::{PointResult, PointSpec};

use crate::cache::Cache;
use crate::cluster::Exchange;
use crate::pcap::Capture;
use crate::progress::Tracker;

mod copies;
mod point;
mod remote;
mod threads;

use point::OpenPoint;

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

/// Runs all of `work`; a point that was cancelled is `None`.
pub fn execute(work: &[PointSpec], settings: &Settings<'_>) -> Vec<Option<PointResult>> {
    let points: Vec<OpenPoint<'_>> =
        work.iter().enumerate().map(|(position, work)| OpenPoint::new(position, work, settings)).collect();
    settings.tracker.expect_points(points.len());
    for point in &points {
        settings.tracker.expect_replications(point.work.first_round());
    }
    let first = points.iter().flat_map(OpenPoint::begin).collect();
    match settings.cluster {
        Some(cluster) => remote::run(&points, first, cluster),
        None => threads::run(&points, first, settings.jobs),
    }
    points.into_iter().map(OpenPoint::finished).collect()
}

#[cfg(test)]
mod tests;
