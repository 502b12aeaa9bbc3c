//! The threads that share a replication: each follows paths of its own, and gives one away where another has none.
//!
//! Random numbers of a path depend on the path alone, and sums are of whole numbers: neither shows which thread followed it, or when.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use super::path::Pending;
use super::tally::Sums;
use crate::world::World;

/// Threads that may share a replication.
pub trait Threads: Sync {
    /// How many there are, the calling one included.
    fn count(&self) -> usize;

    /// Calls `work` on this thread, and on any thread once more each time that it calls its argument; returns when all calls have.
    fn share(&self, work: &(dyn Fn(&dyn Fn()) + Sync));
}

/// What the threads of a replication have in common.
pub(super) struct Shared<W: World> {
    /// Others that may take part.
    others: usize,
    open: Mutex<Open<W>>,
}

struct Open<W: World> {
    /// Paths that no thread follows yet; the first stands for the most work.
    given: VecDeque<Pending<W>>,
    /// Calls for other threads that none has answered.
    calls: usize,
    sums: Sums,
}

impl<W: World> Shared<W> {
    /// Of a replication with its first path.
    pub fn new(first: Pending<W>, others: usize, levels: usize) -> Self {
        let sums = Sums::of_levels(levels);
        Shared { others, open: Mutex::new(Open { given: VecDeque::from([first]), calls: 0, sums }) }
    }

    /// A thread that was called has come.
    pub fn come(&self) {
        let mut open = self.open();
        open.calls = open.calls.saturating_sub(1);
    }

    /// A path to follow, if one is given.
    pub fn take(&self) -> Option<Pending<W>> {
        self.open().given.pop_front()
    }

    /// Gives the path with the most work away where there are none for others; `call` calls another thread.
    pub fn give(&self, pending: &mut VecDeque<Pending<W>>, call: &dyn Fn()) {
        if self.others == 0 || pending.len() < 2 {
            return;
        }
        let mut open = self.open();
        if open.given.len() >= self.others {
            return;
        }
        open.given.extend(pending.pop_front());
        if open.calls < open.given.len() {
            open.calls += 1;
            drop(open);
            call();
        }
    }

    /// A thread has no path left.
    pub fn add(&self, sums: &Sums) {
        self.open().sums.add(sums);
    }

    /// What all paths add up to.
    pub fn into_sums(self) -> Sums {
        self.open.into_inner().expect("no thread panics while it holds the paths").sums
    }

    fn open(&self) -> MutexGuard<'_, Open<W>> {
        self.open.lock().expect("no thread panics while it holds the paths")
    }
}
