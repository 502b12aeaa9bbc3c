//! Few events: an array sorted by time, the soonest last.

use std::collections::VecDeque;

/// How many events the array takes before a radix heap does better.
pub(super) const CAPACITY: usize = 96;
/// Most events are due among so many soonest, and find their place there one by one.
const NEAR: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Sorted<E> {
    /// Latest first; of equal times the last inserted first.
    entries: Vec<(u64, E)>,
}

impl<E: Copy> Sorted<E> {
    pub(super) fn new() -> Self {
        Sorted { entries: Vec::with_capacity(CAPACITY) }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Inserts before all that are due at or before `time`; `false` when the array is full.
    #[inline]
    pub(super) fn push(&mut self, time: u64, event: E) -> bool {
        if self.entries.len() >= CAPACITY {
            return false;
        }
        let near = self.entries.len().saturating_sub(NEAR);
        if near > 0 && self.entries[near].0 <= time {
            self.push_far(near, time, event);
            return true;
        }
        self.entries.push((time, event));
        let soonest = &mut self.entries[near..];
        let mut place = soonest.len() - 1;
        while place > 0 && soonest[place - 1].0 <= time {
            soonest[place] = soonest[place - 1];
            place -= 1;
        }
        soonest[place] = (time, event);
        true
    }

    /// The same for one that is due after the entry at `near`.
    #[inline(never)]
    fn push_far(&mut self, near: usize, time: u64, event: E) {
        let place = self.entries[..near].partition_point(|entry| entry.0 > time);
        self.entries.insert(place, (time, event));
    }

    pub(super) fn next_time(&self) -> Option<u64> {
        self.entries.last().map(|entry| entry.0)
    }

    /// See [`super::Queue::take_instant`].
    #[inline]
    pub(super) fn take(&mut self, until: u64, instant: &mut VecDeque<E>) -> Option<(u64, Option<E>)> {
        let &(time, event) = self.entries.last()?;
        if time > until {
            return None;
        }
        self.entries.pop();
        if self.next_time() != Some(time) {
            return Some((time, Some(event)));
        }
        instant.push_back(event);
        while self.next_time() == Some(time) {
            instant.extend(self.entries.pop().map(|(_, event)| event));
        }
        Some((time, None))
    }

    /// Hands all events out, equal times in the order of insertion.
    pub(super) fn drain(&mut self, mut each: impl FnMut(u64, E)) {
        self.entries.drain(..).rev().for_each(|(time, event)| each(time, event));
    }
}
