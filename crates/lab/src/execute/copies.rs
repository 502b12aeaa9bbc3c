//! The threads that share the copies of a replication.

use rayon::Scope;

use sojourn_engine::splitting::Threads;

/// The threads of the pool that computes a replication, as those that follow copies of it.
pub struct OfPool;

impl Threads for OfPool {
    fn count(&self) -> usize {
        rayon::current_num_threads()
    }

    fn share(&self, work: &(dyn Fn(&dyn Fn()) + Sync)) {
        rayon::in_place_scope(|scope| call(scope, work));
    }
}

fn call<'scope>(scope: &Scope<'scope>, work: &'scope (dyn Fn(&dyn Fn()) + Sync)) {
    work(&|| scope.spawn(move |scope| call(scope, work)));
}
