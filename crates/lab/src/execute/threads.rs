//! The local threads that compute replications.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::{ScopeFifo, ThreadPoolBuilder};

use sojourn_core::Duration;
use sojourn_experiment::rounds::{Stage, WorkItem};

use super::point::{End, OpenPoint, compute};

/// Computes `first` and what follows from it on `jobs` threads; on one for each processor when absent.
pub fn run(points: &[OpenPoint<'_>], first: Vec<WorkItem>, jobs: Option<usize>) {
    let threads = jobs.unwrap_or(0); // 0 lets the library count the processors
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("the system lends threads");
    pool.scope_fifo(|scope| spawn(points, first, scope));
}

fn spawn<'scope>(points: &'scope [OpenPoint<'_>], items: Vec<WorkItem>, scope: &ScopeFifo<'scope>) {
    for bundle in bundles(points, items, rayon::current_num_threads()) {
        scope.spawn_fifo(move |scope| {
            for (item, end) in compute(points, bundle) {
                let result = match end {
                    End::Done(record) => Ok(record),
                    End::Failed(message) => Err(message),
                    End::Cancelled => continue,
                };
                spawn(points, points[item.point].ended(item, result), scope);
            }
        });
    }
}

/// Replications that one thread computes: one, or those of points that begin alike, in no fewer parts than there are threads.
fn bundles(points: &[OpenPoint<'_>], items: Vec<WorkItem>, threads: usize) -> Vec<Vec<WorkItem>> {
    let mut bundles: Vec<Vec<WorkItem>> = Vec::new();
    let mut places = HashMap::new();
    for item in items {
        let place =
            beginning(points, item).map_or(bundles.len(), |begins| *places.entry(begins).or_insert(bundles.len()));
        match bundles.get_mut(place) {
            Some(bundle) => bundle.push(item),
            None => bundles.push(vec![item]),
        }
    }
    let parts = threads.div_ceil(bundles.len().max(1));
    let split = |bundle: Vec<WorkItem>| {
        let size = bundle.len().div_ceil(parts);
        bundle.chunks(size).map(<[_]>::to_vec).collect::<Vec<_>>()
    };
    bundles.into_iter().flat_map(split).collect()
}

/// What replications of one number have in common that begin alike: the address of their model, the number, and the warm-up.
fn beginning(points: &[OpenPoint<'_>], item: WorkItem) -> Option<(usize, u32, Duration)> {
    let Stage::Observed { warm_up } = item.stage else { return None };
    let model = &points[item.point].work.beginning.as_ref()?.model;
    Some((Arc::as_ptr(model).addr(), item.index, warm_up))
}
