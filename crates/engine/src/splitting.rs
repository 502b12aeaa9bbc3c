//! Rare events by splitting: RESTART (M. and J. Villén-Altamirano, 1991, 2006) over copies of a running world.
//!
//! An importance function maps the state of a world to a number that rises towards the rare event. Where a path rises over
//! the threshold of a level it is split: copies with random streams of their own begin there, and each is dropped where its
//! importance falls below the level it began at. The original goes on to the end of the run. A path above the thresholds
//! of levels 1 to k has the weight 1 / (R1 ... Rk), R the copies of a level, itself included, so that every sum of weights
//! over paths has the expectation that it has without splitting, whatever the importance function: a bad one costs
//! precision, never truth. The record of why this method is docs/decisions/0044-rare-events.md.
//!
//! A replication that begins above the first threshold, as one whose warm-up ended in the event, is not split until it has
//! been below: all copies at once would show one path, and not what leads to the event.
//!
//! The original is the run without splitting, event by event: its streams are not rekeyed. Paths are followed one after the
//! other, the deepest first, so that at most two per level are stored.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_core::{CopyKey, Rekey, Time, clone_fields};

use crate::queue::Queue;
use crate::world::World;

/// Events between two reads of the cancel flag.
const EVENTS_BETWEEN_CHECKS: u64 = 4096;

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
pub trait Copied: World + Rekey + Clone {
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

/// What the paths of one replication add up to. Times are in seconds; weighted unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Paths that the event occurred on, each counted once.
    pub occurrences: f64,
    /// Time before the first occurrence.
    pub exposure: f64,
    /// Time during which the event lasts.
    pub lasting: f64,
    /// Time simulated, not weighted.
    pub simulated: f64,
    /// Events handled, not weighted.
    pub events: u64,
    /// About how many events take as long as to make a copy.
    pub cost_of_copy: u64,
    /// By level, from 0 (below all thresholds).
    pub levels: Vec<LevelTally>,
    /// Time by importance, if kept; importance of more than 8 bits rounded down to its 8 leading bits.
    pub course: BTreeMap<u64, Visits>,
}

/// Counts of a level, not weighted but for its time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LevelTally {
    /// How often a path rose into it.
    pub entered: u64,
    /// How often one did for the first time since it, or the path it is a copy of, was below all thresholds.
    pub reached: u64,
    /// First occurrences on paths that were in it.
    pub occurrences: u64,
    /// Events handled in it.
    pub events: u64,
    /// Time in it.
    pub time: f64,
}

/// How much was seen of an importance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Visits {
    /// How often a path came to it, not weighted.
    pub count: u64,
    /// Time at it, weighted.
    pub time: f64,
    /// How often a path rose to it or above from below, weighted.
    pub rises: f64,
}

/// A world and its pending events.
struct Path<W: World> {
    world: W,
    queue: Queue<W::Event>,
    /// The level it began at: it is dropped below. 0 for the original.
    born: usize,
    level: usize,
    /// The highest level since it was in level 0.
    highest: usize,
    /// Whether it has been below the first threshold: before, it is in level 0.
    is_split: bool,
    importance: u64,
    /// Since when nothing has happened.
    since: Time,
    occurred: bool,
    lasts_until: Option<Time>,
}

clone_fields!([W: World + Clone] Path<W> { world, queue, born, level, highest, is_split, importance, since, occurred, lasts_until });

/// Paths that have ended, whose memory the next copies take: to allocate it costs as much as to fill it.
struct Pool<W: World>(Vec<Box<Path<W>>>);

impl<W: Copied> Pool<W> {
    /// A copy of a path.
    fn copy(&mut self, path: &Path<W>) -> Box<Path<W>> {
        let Some(mut copy) = self.0.pop() else { return Box::new(path.clone()) };
        copy.as_mut().clone_from(path);
        copy
    }

    /// A path has ended.
    fn keep(&mut self, path: Box<Path<W>>) {
        if self.0.len() < MOST_KEPT {
            self.0.push(path);
        }
    }
}

/// Ended paths that are kept.
const MOST_KEPT: usize = 8;

/// Why a path is not followed further for now.
enum Stop {
    /// It has ended.
    Ended,
    /// It has risen above its level.
    Risen,
}

/// What is still to be done.
enum Pending<W: World> {
    /// A path that was split goes on.
    Split(Box<Path<W>>),
    /// So many copies are still to be made of a path, the last of them being itself.
    Copies(Box<Path<W>>, u32),
}

/// Runs `world` from the present of its queue to `until`, with all copies of it.
pub fn split<W, I, C>(
    world: W,
    queue: Queue<W::Event>,
    until: Time,
    splitting: &Splitting<'_, I, C>,
    cancelled: &AtomicBool,
) -> Tally
where
    W: Copied,
    I: Fn(&mut W, Time) -> u64,
    C: Fn(&mut W, Time) -> Option<Time>,
{
    let mut run = Run::new(splitting, until, cancelled);
    let now = queue.now();
    let mut path = Path {
        world,
        queue,
        born: 0,
        level: 0,
        highest: 0,
        is_split: false,
        importance: 0,
        since: now,
        occurred: false,
        lasts_until: None,
    };
    run.tally.cost_of_copy = path.world.cost_of_copy();
    run.enter(&mut path, now);
    let mut pool = Pool(Vec::new());
    let mut pending = vec![Pending::Split(Box::new(path))];
    while let Some(next) = pending.pop() {
        let mut path = match next {
            Pending::Split(path) => path,
            Pending::Copies(path, left) => {
                let copy = if left > 1 { Some(pool.copy(&path)) } else { None };
                let mut path = path;
                let key = CopyKey::new(path.level as u32, left, path.queue.handled());
                if let Some(rest) = copy {
                    pending.push(Pending::Copies(rest, left - 1));
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
    }
    run.tally
}

/// The state of a run of [`split`].
struct Run<'a, I, C> {
    splitting: &'a Splitting<'a, I, C>,
    until: Time,
    cancelled: &'a AtomicBool,
    /// Weight of a path by its level.
    weights: Vec<f64>,
    tally: Tally,
}

impl<'a, I, C> Run<'a, I, C> {
    fn new(splitting: &'a Splitting<'a, I, C>, until: Time, cancelled: &'a AtomicBool) -> Self {
        let mut weights = vec![1.0];
        for level in splitting.levels {
            weights.push(weights[weights.len() - 1] / f64::from(level.copies));
        }
        let tally = Tally { levels: vec![LevelTally::default(); weights.len()], ..Tally::default() };
        Run { splitting, until, cancelled, weights, tally }
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Splits a path at the next level: its copies go first.
    fn rise<W: Copied>(&mut self, mut path: Box<Path<W>>, pending: &mut Vec<Pending<W>>, pool: &mut Pool<W>) {
        path.level += 1;
        let level = &mut self.tally.levels[path.level];
        level.entered += 1;
        if path.level > path.highest {
            path.highest = path.level;
            level.reached += 1;
        }
        path.world.drop_samples();
        let mut copy = pool.copy(&path);
        copy.born = path.level;
        let copies = self.splitting.levels[path.level - 1].copies - 1;
        pending.push(Pending::Split(path));
        pending.push(Pending::Copies(copy, copies));
    }

    /// The time since the last event of a path is over.
    #[inline]
    fn account<W: World>(&mut self, path: &mut Path<W>, now: Time) {
        let (weight, seconds) = (self.weights[path.level], now.since(path.since).seconds());
        self.tally.simulated += seconds;
        self.tally.levels[path.level].time += weight * seconds;
        if !path.occurred {
            self.tally.exposure += weight * seconds;
        }
        if let Some(end) = path.lasts_until {
            self.tally.lasting += weight * end.min(now).since(path.since).seconds();
        }
        if self.splitting.keeps_course {
            let visits = self.tally.course.entry(rounded(path.importance)).or_default();
            visits.count += 1;
            visits.time += weight * seconds;
        }
        path.since = now;
    }

    /// A path is in a new state: counts a first occurrence. Returns whether the path ends with it.
    #[inline]
    fn enter<W>(&mut self, path: &mut Path<W>, now: Time) -> bool
    where
        W: World,
        I: Fn(&mut W, Time) -> u64,
        C: Fn(&mut W, Time) -> Option<Time>,
    {
        path.lasts_until = (self.splitting.occurs)(&mut path.world, now);
        let before = path.importance;
        path.importance = (self.splitting.importance)(&mut path.world, now);
        if self.splitting.keeps_course && path.importance > before {
            self.rises(before, path.importance, self.weights[path.level]);
        }
        if path.lasts_until.is_some() && !path.occurred {
            path.occurred = true;
            self.tally.occurrences += self.weights[path.level];
            self.tally.levels[path.level].occurrences += 1;
        }
        path.occurred && self.splitting.ends_at_first
    }

    /// A path has risen from one importance to another: it has to each between.
    fn rises(&mut self, before: u64, importance: u64, weight: f64) {
        let mut at = rounded(before);
        while at < rounded(importance) {
            at = next_rounded(at);
            self.tally.course.entry(at).or_default().rises += weight;
        }
    }

    /// Follows a path until it ends or rises above its level.
    fn follow<W>(&mut self, path: &mut Path<W>) -> Stop
    where
        W: World,
        I: Fn(&mut W, Time) -> u64,
        C: Fn(&mut W, Time) -> Option<Time>,
    {
        if path.occurred && self.splitting.ends_at_first {
            return Stop::Ended;
        }
        loop {
            let levels = self.splitting.levels;
            if levels.get(path.level).is_some_and(|next| path.importance >= next.from) {
                if path.is_split {
                    return Stop::Risen;
                }
            } else {
                path.is_split = true;
            }
            while path.level > 0 && path.importance < levels[path.level - 1].until {
                path.level -= 1;
            }
            if path.level == 0 {
                path.highest = 0;
            }
            if path.level < path.born {
                return Stop::Ended;
            }
            let level = path.level;
            let Some((now, event)) = path.queue.pop_until(self.until, W::class) else {
                self.account(path, self.until);
                return Stop::Ended;
            };
            self.account(path, now);
            path.world.handle(now, event, &mut path.queue);
            self.tally.events += 1;
            self.tally.levels[level].events += 1;
            if self.enter(path, now) || path.world.is_finished() {
                return Stop::Ended;
            }
            if self.tally.events.is_multiple_of(EVENTS_BETWEEN_CHECKS) && self.is_cancelled() {
                return Stop::Ended;
            }
        }
    }
}

/// A number with its 8 leading bits.
fn rounded(importance: u64) -> u64 {
    let beyond = (u64::BITS - importance.leading_zeros()).saturating_sub(8);
    importance >> beyond << beyond
}

/// The next number that has no more than 8 leading bits.
fn next_rounded(rounded: u64) -> u64 {
    let beyond = (u64::BITS - rounded.leading_zeros()).saturating_sub(8);
    rounded + (1 << beyond)
}

#[cfg(test)]
mod tests;
