//! Few events: those of the near future in buckets of time, those due later as they came.

use std::cell::Cell;
use std::collections::VecDeque;

/// How many events it takes before a radix heap does better.
pub(super) const CAPACITY: usize = 96;
const BUCKETS: usize = 64;
/// When fewer events than this come into the buckets together, while others wait, buckets become twice as long.
const FEW: usize = 16;
/// When more than this do, half as long.
const MANY: usize = 48;
/// While no more events than this are pending, the last bucket has no end: one sorted array does for so few.
const HANDFUL: usize = 8;
/// The longest that a bucket can be: its sixty-four take all of the clock.
const LONGEST: u32 = 58;

#[derive(Clone, Debug)]
pub(super) struct Wheel<E> {
    len: usize,
    /// Where the first bucket begins; it also takes what comes to be due even earlier.
    from: u64,
    /// Each bucket takes two to the power of this, from the next turn on of the other.
    length: u32,
    next_length: u32,
    /// The latest time that is put into a bucket.
    last: u64,
    /// Bit `n` is set when bucket `n` holds an event.
    filled: u64,
    /// Events by the bucket they are due in, latest first; of equal times the last inserted first.
    buckets: Box<[Vec<(u64, E)>; BUCKETS]>,
    /// Events due after those in the buckets, in the order of insertion.
    later: Vec<(u64, E)>,
}

impl<E: Copy> Wheel<E> {
    pub(super) fn new() -> Self {
        Wheel {
            len: 0,
            from: 0,
            length: 0,
            next_length: 0,
            last: 0,
            filled: 0,
            buckets: Box::new(std::array::from_fn(|_| Vec::new())),
            later: Vec::with_capacity(CAPACITY),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Inserts behind all that are due at or before `time`; `false` when there is no room.
    #[inline(always)]
    pub(super) fn push(&mut self, time: u64, event: E) -> bool {
        if self.len >= CAPACITY {
            return false;
        }
        self.len += 1;
        if time > self.last && (self.len > HANDFUL || !self.later.is_empty()) {
            self.later.push((time, event));
        } else {
            self.last = self.last.max(time);
            self.put(time, event);
        }
        true
    }

    /// Puts an event into its bucket.
    #[inline]
    fn put(&mut self, time: u64, event: E) {
        let bucket = (time.saturating_sub(self.from) >> self.length).min(BUCKETS as u64 - 1);
        self.filled |= 1 << bucket;
        insert(&mut self.buckets[bucket as usize], time, event);
    }

    pub(super) fn next_time(&self) -> Option<u64> {
        if self.filled == 0 {
            return self.later.iter().map(|entry| entry.0).min();
        }
        self.buckets[self.soonest()].last().map(|entry| entry.0)
    }

    /// The first bucket that holds an event, if one does.
    #[inline]
    fn soonest(&self) -> usize {
        self.filled.trailing_zeros() as usize % BUCKETS
    }

    /// See [`super::Queue::take_instant`].
    #[inline]
    pub(super) fn take(&mut self, until: u64, instant: &mut VecDeque<E>) -> Option<(u64, Option<E>)> {
        if self.filled == 0 {
            self.turn();
        }
        let soonest = self.soonest();
        let bucket = &mut self.buckets[soonest];
        let &(time, event) = bucket.last()?;
        if time > until {
            return None;
        }
        bucket.pop();
        self.len -= 1;
        // equal times share a bucket
        let mut alone = Some(event);
        while let Some(&(next, event)) = bucket.last() {
            if next != time {
                return Some((time, alone));
            }
            bucket.pop();
            self.len -= 1;
            instant.extend(alone.take());
            instant.push_back(event);
        }
        self.filled &= !(1 << soonest);
        Some((time, alone))
    }

    /// Fills the buckets, which are empty, with what was due later: the first begins with the soonest of these.
    #[inline(never)]
    fn turn(&mut self) {
        let Some(soonest) = self.later.iter().map(|entry| entry.0).min() else { return };
        (self.from, self.length) = (soonest, self.next_length);
        let window = u64::try_from((BUCKETS as u128) << self.length).unwrap_or(u64::MAX);
        self.last = soonest.saturating_add(window - 1);
        let mut later = std::mem::take(&mut self.later);
        let waiting = later.len();
        later.retain(|&(time, event)| {
            let stays = time > self.last;
            if !stays {
                self.put(time, event);
            }
            stays
        });
        let filled_in = waiting - later.len();
        if filled_in < FEW && !later.is_empty() {
            self.next_length = LONGEST.min(self.length + 1);
        } else if filled_in > MANY {
            self.next_length = self.length.saturating_sub(1);
        }
        self.later = later;
    }

    /// Hands all events out, equal times in the order of insertion.
    pub(super) fn drain(&mut self, mut each: impl FnMut(u64, E)) {
        let near = self.buckets.iter_mut().flat_map(|bucket| bucket.drain(..).rev());
        near.chain(self.later.drain(..)).for_each(|(time, event)| each(time, event));
        (self.len, self.filled) = (0, 0);
    }
}

/// Inserts before all entries that are due at or before `time`.
#[inline]
pub(super) fn insert<E: Copy>(bucket: &mut Vec<(u64, E)>, time: u64, event: E) {
    bucket.push((time, event));
    let cells = Cell::from_mut(&mut bucket[..]).as_slice_of_cells();
    let mut place = &cells[cells.len() - 1];
    for pair in cells.windows(2).rev() {
        if pair[0].get().0 > time {
            break;
        }
        pair[1].set(pair[0].get());
        place = &pair[0];
    }
    place.set((time, event));
}
