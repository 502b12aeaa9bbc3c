//! Rare events by importance splitting: RESTART (M. and J. Villén-Altamirano, 1991, 2006) over copies of a running
//! world.
//!
//! An importance function maps the state of a world to a number that rises towards the rare event. A path that
//! crosses the threshold of a level upwards is split: copies with random streams of their own start there, and each
//! is dropped when its importance falls below the level at which it started. The original continues to the end of the
//! run. A path above the thresholds of levels 1 to k has the weight 1 / (R1 ... Rk), where R is the number of copies
//! at a level including the original. Every weighted sum over paths therefore has the same expectation as without
//! splitting, whatever the importance function: a poor one costs precision, never correctness.
//! docs/decisions/0044-rare-events.md explains the choice of method.
//!
//! Paths are also split during the warm-up. A path that reaches the event soon after the warm-up has risen during it.
//! If it were not split there, nearly all replications would miss such occurrences, and very few would count one with
//! weight 1, which no interval from a small number of replications reveals (docs/decisions/0056-deciding-rates.md).
//!
//! The original path is the run without splitting, event by event: its streams are not rekeyed. Paths are simulated
//! deepest level first, so that each thread stores at most two per level.

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use sojourn_core::{CopyKey, Rekey, Time};

use crate::queue::Queue;
use crate::world::World;

mod follow;
mod path;
mod share;
mod tally;

use follow::{Run, Stop};
use path::{Path, Pending, Pool};
use share::Shared;
pub use share::Threads;
pub use tally::{LevelTally, Tally, Visits};

/// A level: a threshold of the importance, and how many paths go on from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Importance from which on a path is in this level.
    pub from: u64,
    /// Importance below which it leaves it, at most `from`: where copies cost more than they live, they are to live longer
    /// (prolonged retrials: J. Villén-Altamirano, 2019). Levels above have it at least as high.
    pub until: u64,
    /// Paths that go on from the threshold, the one that reached it included; at least 2.
    pub copies: u32,
}

impl Level {
    /// A level that a path leaves where it entered it.
    pub const fn new(from: u64, copies: u32) -> Self {
        Level { from, until: from, copies }
    }
}

/// A world that can be copied while it runs.
pub trait Copied: World<Event: Send> + Rekey + Clone + Send {
    /// About how many events take as long as to make a copy; 0 where a copy is small.
    fn cost_of_copy(&self) -> u64 {
        0
    }

    /// Drops samples recorded so far, so that copies are small; no state that later events depend on.
    fn drop_samples(&mut self);

    /// Draws again what was drawn ahead and has no memory, as the rest of an exponential gap: a copy that shared it with
    /// its original would repeat its next events. Called of copies alone, with their streams rekeyed. What is drawn
    /// again must have the distribution that it has given all events up to `now`.
    fn redraw(&mut self, _now: Time, _queue: &mut Queue<Self::Event>) {}
}

/// What is looked for, and how a world is known to come near.
pub struct Splitting<'a, I, C> {
    /// Levels in ascending order of their thresholds; none for a crude run.
    pub levels: &'a [Level],
    /// The importance of a state.
    pub importance: I,
    /// Until when the event lasts if nothing happens before; `None` where it does not occur.
    pub occurs: C,
    /// Whether a path ends at the first occurrence: one that lasts shows nothing more.
    pub ends_at_first: bool,
    /// Whether to keep the time at each importance, from which levels are placed.
    pub keeps_course: bool,
}

/// Runs `world` from the present of its queue through the warm-up, which ends at `from` before the events of that instant, to
/// `until`, with all copies of it. Only the effort is counted before `from`. The tally is the same on any number of `threads`.
pub fn split<W, I, C>(
    world: W,
    queue: Queue<W::Event>,
    observed: [Time; 2],
    splitting: &Splitting<'_, I, C>,
    cancelled: &AtomicBool,
    threads: Option<&dyn Threads>,
) -> Tally
where
    W: Copied,
    I: Fn(&mut W, Time) -> u64 + Sync,
    C: Fn(&mut W, Time) -> Option<Time> + Sync,
{
    let mut path = Path::new(world, queue);
    let cost_of_copy = path.world.cost_of_copy();
    let mut first = Run::new(splitting, observed, cancelled);
    first.begin(&mut path);
    let others = threads.map_or(0, |threads| threads.count() - 1);
    let shared = Shared::new(Pending::Split(Box::new(path)), others, splitting.levels.len() + 1);
    shared.add(&first.sums);
    let work = |call: &dyn Fn()| follow_all(Run::new(splitting, observed, cancelled), &shared, call);
    match threads {
        Some(threads) => threads.share(&work),
        None => work(&|| {}),
    }
    Tally { cost_of_copy, ..shared.into_sums().weighted(&weights(splitting.levels)) }
}

/// The weight of a path by its level.
fn weights(levels: &[Level]) -> Vec<f64> {
    let mut weights = vec![1.0];
    for level in levels {
        weights.push(weights[weights.len() - 1] / f64::from(level.copies));
    }
    weights
}

/// Follows paths on one thread until there are none to take.
fn follow_all<W, I, C>(mut run: Run<'_, I, C>, shared: &Shared<W>, call: &dyn Fn())
where
    W: Copied,
    I: Fn(&mut W, Time) -> u64,
    C: Fn(&mut W, Time) -> Option<Time>,
{
    shared.come();
    let (mut pool, mut pending) = (Pool::new(), VecDeque::new());
    while let Some(next) = pending.pop_back().or_else(|| shared.take()) {
        let mut path = match next {
            Pending::Split(path) => path,
            Pending::Copies(mut path, left) => {
                let key = CopyKey::new(path.level as u32, left, path.queue.handled());
                if left > 1 {
                    pending.push_back(Pending::Copies(pool.copy(&path), left - 1));
                }
                path.world.rekey(key);
                let now = path.queue.now();
                path.world.redraw(now, &mut path.queue);
                path
            }
        };
        if run.is_cancelled() {
            break;
        }
        match run.follow(&mut path) {
            Stop::Risen => run.rise(path, &mut pending, &mut pool),
            Stop::Ended => pool.keep(path),
        }
        shared.give(&mut pending, call);
    }
    shared.add(&run.sums);
}

#[cfg(test)]
mod tests;
