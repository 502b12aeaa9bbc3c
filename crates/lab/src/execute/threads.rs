//! Threads of this process that compute replications.

use rayon::{ScopeFifo, ThreadPoolBuilder};

use sojourn_experiment::rounds::WorkItem;

use super::point::{End, Point};

/// Computes `first` and what follows from it on `jobs` threads; on one for each processor when absent.
pub fn run(points: &[Point<'_>], first: Vec<WorkItem>, jobs: Option<usize>) {
    let threads = jobs.unwrap_or(0); // 0 lets the library count the processors
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("the system lends threads");
    pool.scope_fifo(|scope| spawn(points, first, scope));
}

fn spawn<'scope>(points: &'scope [Point<'_>], items: Vec<WorkItem>, scope: &ScopeFifo<'scope>) {
    for item in items {
        scope.spawn_fifo(move |scope| {
            let point = &points[item.point];
            let result = match point.cached(item).map_or_else(|| point.compute(item), End::Done) {
                End::Done(record) => Ok(record),
                End::Failed(message) => Err(message),
                End::Cancelled => return,
            };
            spawn(points, point.ended(item, result), scope);
        });
    }
}
