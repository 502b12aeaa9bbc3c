//! Replications computed by a cluster: offered through an exchange, and stored in replication order as they arrive.

use std::sync::Arc;
use std::time::Duration as WallDuration;

use rayon::prelude::*;

use sojourn_experiment::rounds::{WorkItem, failure};

use super::Cluster;
use super::point::OpenPoint;
use crate::cluster::{Offer, Subject};

/// How long to wait for an answer before looking whether the job was cancelled.
const LOOK: WallDuration = WallDuration::from_millis(50);

/// Has `first` and what follows from it computed; what the cache has does not travel.
pub fn run(points: &[OpenPoint<'_>], first: Vec<WorkItem>, cluster: Cluster<'_>) {
    let mut subjects: Vec<Option<Arc<Subject>>> = vec![None; points.len()];
    let Some(tracker) = points.first().map(|point| point.settings.tracker) else { return };
    offer(points, first, cluster, &mut subjects);
    while !cluster.exchange.is_done() && !tracker.is_cancelled() {
        for (item, answer) in cluster.exchange.wait(LOOK) {
            let point = &points[item.point];
            let record = answer.and_then(|entry| {
                let unreadable = "the record from the cluster does not read back under its key";
                point.settings.cache.accept(&point.key(item), &entry).ok_or_else(|| unreadable.to_owned())
            });
            tracker.replication_done(false);
            let result = record.map_err(|message| failure(item.index, &message));
            offer(points, point.ended(item, result), cluster, &mut subjects);
        }
    }
    cluster.exchange.clear();
}

/// Offers the items that the cache does not have, and those that follow from the ones it has.
fn offer(
    points: &[OpenPoint<'_>],
    mut items: Vec<WorkItem>,
    cluster: Cluster<'_>,
    subjects: &mut [Option<Arc<Subject>>],
) {
    while !items.is_empty() {
        let known: Vec<_> = items.par_iter().map(|&item| points[item.point].cached(item)).collect();
        let mut next = Vec::new();
        for (item, record) in std::mem::take(&mut items).into_iter().zip(known) {
            let point = &points[item.point];
            if let Some(record) = record {
                next.extend(point.ended(item, Ok(record)));
                continue;
            }
            let subject = subjects[item.point].get_or_insert_with(|| {
                let document = (cluster.document)(item.point);
                Arc::new(Subject { scenario: point.work.scenario.clone(), document })
            });
            cluster.exchange.offer(Offer::new(item, &point.key(item), subject.clone()));
        }
        items = next;
    }
}
