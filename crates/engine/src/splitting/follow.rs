//! Follows paths of a replication event by event, and counts them by level.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_core::Time;

use super::path::{Path, Pending, Pool};
use super::tally::Sums;
use super::{Copied, Splitting};
use crate::world::World;

/// Events between two reads of the cancel flag.
const EVENTS_BETWEEN_CHECKS: u64 = 4096;

/// Why a path is not followed further for now.
pub(super) enum Stop {
    /// It has ended.
    Ended,
    /// It has risen above its level.
    Risen,
}

/// The state of a run of [`split`](super::split).
pub(super) struct Run<'a, I, C> {
    splitting: &'a Splitting<'a, I, C>,
    from: Time,
    /// The last instant of the warm-up.
    before: Time,
    until: Time,
    cancelled: &'a AtomicBool,
    pub sums: Sums,
}

impl<'a, I, C> Run<'a, I, C> {
    pub fn new(splitting: &'a Splitting<'a, I, C>, [from, until]: [Time; 2], cancelled: &'a AtomicBool) -> Self {
        let before = Time::from_picoseconds(from.picoseconds().saturating_sub(1));
        Run { splitting, from, before, until, cancelled, sums: Sums::of_levels(splitting.levels.len() + 1) }
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Splits a path at the next level: its copies go first.
    pub fn rise<W: Copied>(&mut self, mut path: Box<Path<W>>, pending: &mut VecDeque<Pending<W>>, pool: &mut Pool<W>) {
        path.level += 1;
        let level = &mut self.sums.levels[path.level];
        level.entered += 1;
        if path.level > path.highest {
            path.highest = path.level;
            level.reached += u64::from(path.is_observed);
        }
        path.world.drop_samples();
        let mut copy = pool.copy(&path);
        copy.born = path.level;
        let copies = self.splitting.levels[path.level - 1].copies - 1;
        pending.push_back(Pending::Split(path));
        pending.push_back(Pending::Copies(copy, copies));
    }

    /// The time since the last event of a path is over.
    #[inline]
    fn account<W: World>(&mut self, path: &mut Path<W>, now: Time) {
        let since = path.since;
        let span = now.since(since).picoseconds();
        self.sums.simulated += u128::from(span);
        path.since = now;
        if !path.is_observed {
            return;
        }
        let level = &mut self.sums.levels[path.level];
        level.time += u128::from(span);
        if !path.occurred {
            level.exposure += u128::from(span);
        }
        if let Some(end) = path.lasts_until {
            level.lasting += u128::from(end.min(now).since(since).picoseconds());
        }
        if self.splitting.keeps_course {
            self.sums.stay(path.importance, path.level, span);
        }
    }

    /// The original begins; without a warm-up its observation does.
    pub fn begin<W>(&mut self, path: &mut Path<W>)
    where
        W: World,
        I: Fn(&mut W, Time) -> u64,
        C: Fn(&mut W, Time) -> Option<Time>,
    {
        if self.from > path.since {
            path.importance = (self.splitting.importance)(&mut path.world, path.since);
        } else {
            self.observe(path);
        }
    }

    /// The warm-up of a path is over. Where the event has begun by then, how often it occurs does not show on this path.
    fn observe<W>(&mut self, path: &mut Path<W>)
    where
        W: World,
        I: Fn(&mut W, Time) -> u64,
        C: Fn(&mut W, Time) -> Option<Time>,
    {
        let now = self.from.max(path.queue.now());
        path.queue.advance_to(now);
        path.world.end_warm_up(now, &mut path.queue);
        path.is_observed = true;
        path.importance = (self.splitting.importance)(&mut path.world, now);
        path.lasts_until = (self.splitting.occurs)(&mut path.world, now);
        let level = &mut self.sums.levels[path.level];
        if path.lasts_until.is_some() {
            path.occurred = true;
            level.begun_in += 1;
            return;
        }
        path.highest = path.level;
        level.observed += 1;
    }

    /// A path is in a new state: counts a first occurrence.
    #[inline]
    fn enter<W>(&mut self, path: &mut Path<W>, now: Time)
    where
        W: World,
        I: Fn(&mut W, Time) -> u64,
        C: Fn(&mut W, Time) -> Option<Time>,
    {
        let before = path.importance;
        path.importance = (self.splitting.importance)(&mut path.world, now);
        if !path.is_observed {
            return;
        }
        path.lasts_until = (self.splitting.occurs)(&mut path.world, now);
        if self.splitting.keeps_course && path.importance > before {
            self.sums.rise(before, path.importance, path.level);
        }
        if path.lasts_until.is_some() && !path.occurred {
            path.occurred = true;
            self.sums.levels[path.level].occurrences += 1;
        }
    }

    /// Follows a path until it ends or rises above its level.
    pub fn follow<W>(&mut self, path: &mut Path<W>) -> Stop
    where
        W: World,
        I: Fn(&mut W, Time) -> u64,
        C: Fn(&mut W, Time) -> Option<Time>,
    {
        let levels = self.splitting.levels;
        loop {
            if path.occurred && self.splitting.ends_at_first {
                return Stop::Ended;
            }
            if levels.get(path.level).is_some_and(|next| path.importance >= next.from) {
                return Stop::Risen;
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
            let last = if path.is_observed { self.until } else { self.before };
            let Some((now, event)) = path.queue.pop_until(last, W::class) else {
                if path.is_observed {
                    self.account(path, self.until);
                    return Stop::Ended;
                }
                self.account(path, self.from);
                self.observe(path);
                continue;
            };
            self.account(path, now);
            path.world.handle(now, event, &mut path.queue);
            self.sums.events += 1;
            self.sums.levels[level].events += 1;
            self.enter(path, now);
            if path.world.is_finished() {
                return Stop::Ended;
            }
            if self.sums.events.is_multiple_of(EVENTS_BETWEEN_CHECKS) && self.is_cancelled() {
                return Stop::Ended;
            }
        }
    }
}
