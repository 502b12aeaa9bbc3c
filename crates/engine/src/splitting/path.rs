//! A path of splitting: a world with its pending events and levels; memory of ended paths is reused.

use sojourn_core::{Time, clone_fields};

use super::Copied;
use crate::queue::Queue;
use crate::world::World;

/// A world and its pending events.
pub(super) struct Path<W: World> {
    pub world: W,
    pub queue: Queue<W::Event>,
    /// The level it began at: it is dropped below. 0 for the original.
    pub born: usize,
    pub level: usize,
    /// The highest level since it was in level 0.
    pub highest: usize,
    /// Whether its warm-up is over.
    pub is_observed: bool,
    pub importance: u64,
    /// Since when nothing has happened.
    pub since: Time,
    pub occurred: bool,
    pub lasts_until: Option<Time>,
}

impl<W: World> Path<W> {
    /// The original, at the present of its queue.
    pub fn new(world: W, queue: Queue<W::Event>) -> Self {
        let since = queue.now();
        Path {
            world,
            queue,
            born: 0,
            level: 0,
            highest: 0,
            is_observed: false,
            importance: 0,
            since,
            occurred: false,
            lasts_until: None,
        }
    }
}

clone_fields!([W: World + Clone] Path<W> { world, queue, born, level, highest, is_observed, importance, since, occurred, lasts_until });

/// Paths that have ended, whose memory the next copies take: to allocate it costs as much as to fill it.
pub(super) struct Pool<W: World>(Vec<Box<Path<W>>>);

impl<W: Copied> Pool<W> {
    pub fn new() -> Self {
        Pool(Vec::new())
    }

    /// A copy of a path.
    pub fn copy(&mut self, path: &Path<W>) -> Box<Path<W>> {
        let Some(mut copy) = self.0.pop() else { return Box::new(path.clone()) };
        copy.as_mut().clone_from(path);
        copy
    }

    /// A path has ended.
    pub fn keep(&mut self, path: Box<Path<W>>) {
        if self.0.len() < MOST_KEPT {
            self.0.push(path);
        }
    }
}

/// Ended paths that are kept.
const MOST_KEPT: usize = 8;

/// What is still to be done.
pub(super) enum Pending<W: World> {
    /// A path that was split goes on.
    Split(Box<Path<W>>),
    /// How many copies of a path are still to be made; the path itself is the last of them.
    Copies(Box<Path<W>>, u32),
}
