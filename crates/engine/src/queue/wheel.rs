//! Store for few events: a wheel of 64 time buckets for those due soon, an unsorted list for those due later.

use std::cell::Cell;
use std::collections::VecDeque;

/// Maximum number of events; a radix heap is faster for more.
pub(super) const CAPACITY: usize = 96;
const BUCKETS: usize = 64;
/// If a turn fills the buckets with fewer events than this while others are due later, the bucket length doubles.
const FEW: usize = 16;
/// If a turn fills them with more events than this, the bucket length halves.
const MANY: usize = 48;
/// While at most this many events are pending, the last bucket has no end: a sorted array suffices for so few.
const HANDFUL: usize = 8;
/// Maximum bucket length as a power of two, ps: 64 such buckets span the whole clock.
const LONGEST: u32 = 58;

#[derive(Debug)]
pub(super) struct Wheel<E> {
    len: usize,
    /// Start of the first bucket, which also takes events that are added later and due earlier.
    from: u64,
    /// Length of a bucket as a power of two, ps; `next_length` applies from the next turn on.
    length: u32,
    next_length: u32,
    /// Latest time that belongs in a bucket.
    last: u64,
    /// Bit `n` is set when bucket `n` holds an event.
    filled: u64,
    /// Events by bucket, latest first, of equal times the last inserted first. The first entry of a bucket that was
    /// ever used is a sentinel with the maximum time, so that insertion needs no branch on the length, which CPUs
    /// predict badly.
    buckets: Box<[Vec<(u64, E)>; BUCKETS]>,
    /// Events due after those in the buckets, in the order of insertion.
    later: Vec<(u64, E)>,
}

impl<E: Clone> Clone for Wheel<E> {
    fn clone(&self) -> Self {
        Wheel { buckets: self.buckets.clone(), later: self.later.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        for (bucket, source) in self.buckets.iter_mut().zip(source.buckets.iter()) {
            match source.is_empty() {
                true => bucket.truncate(1), // the sentinel stays
                false => bucket.clone_from(source),
            }
        }
        self.later.clone_from(&source.later);
        (self.len, self.filled) = (source.len, source.filled);
        (self.from, self.last) = (source.from, source.last);
        (self.length, self.next_length) = (source.length, source.next_length);
    }
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

    /// Inserts an event after all that are due at or before `time`; returns `false` if the wheel is full.
    #[inline(always)]
    pub(super) fn push(&mut self, time: u64, event: E) -> bool {
        let waits = time > self.last && (self.len >= HANDFUL || !self.later.is_empty());
        if self.len >= CAPACITY {
            return false;
        }
        // a copy has room for no more than it was made with; the test keeps the compiler from emitting a reallocation below
        if waits && self.later.len() == self.later.capacity() {
            self.make_room();
        }
        self.len += 1;
        if waits {
            self.later.push((time, event));
        } else {
            self.last = self.last.max(time);
            self.put(time, event);
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        self.later.reserve_exact(CAPACITY - self.later.len());
    }

    /// Inserts an event into its bucket.
    #[inline]
    fn put(&mut self, time: u64, event: E) {
        let number = (time.saturating_sub(self.from) >> self.length).min(BUCKETS as u64 - 1);
        self.filled |= 1 << number;
        let bucket = &mut self.buckets[number as usize];
        if bucket.len() == bucket.capacity() {
            return put_in_full(bucket, time, event);
        }
        insert(bucket, time, event);
    }

    pub(super) fn next_time(&self) -> Option<u64> {
        if self.filled == 0 {
            return self.later.iter().map(|entry| entry.0).min();
        }
        self.buckets[self.soonest()].last().map(|entry| entry.0)
    }

    /// Index of the first bucket that holds an event, if any does.
    #[inline]
    fn soonest(&self) -> usize {
        self.filled.trailing_zeros() as usize % BUCKETS
    }

    /// See [`super::Queue::take_instant`].
    #[inline]
    pub(super) fn take(&mut self, until: u64, instant: &mut VecDeque<E>) -> Option<(u64, Option<E>)> {
        if self.filled == 0 {
            self.turn();
            if self.filled == 0 {
                return None;
            }
        }
        let number = self.soonest();
        let bucket = &mut self.buckets[number];
        let &[.., (before, _), (time, event)] = &bucket[..] else { unreachable!("a filled bucket") };
        if time > until {
            return None;
        }
        // equal times share a bucket
        if before == time {
            self.take_equal(number, time, instant);
            return Some((time, None));
        }
        bucket.pop();
        self.len -= 1;
        self.filled &= !(u64::from(bucket.len() == 1) << number);
        Some((time, Some(event)))
    }

    /// Appends all events of `time`, the earliest of a bucket, to `instant`.
    #[inline(never)]
    fn take_equal(&mut self, number: usize, time: u64, instant: &mut VecDeque<E>) {
        let bucket = &mut self.buckets[number];
        while bucket.len() > 1
            && let Some((_, event)) = bucket.pop_if(|entry| entry.0 == time)
        {
            self.len -= 1;
            instant.push_back(event);
        }
        self.filled &= !(u64::from(bucket.len() == 1) << number);
    }

    /// Turns the wheel: fills the empty buckets from the list of later events, starting at the earliest of them.
    #[inline(never)]
    fn turn(&mut self) {
        let Some(soonest) = self.later.iter().map(|entry| entry.0).min() else { return };
        // from the earliest event, not from the clock: a long silence costs a single turn
        (self.from, self.length) = (soonest, self.next_length);
        // 64 of the longest buckets span 2^64 ps, one more than a u64 holds
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

    /// Passes all events to `each`, those of equal time in the order of insertion.
    pub(super) fn drain(&mut self, mut each: impl FnMut(u64, E)) {
        let near = self.buckets.iter_mut().flat_map(|bucket| bucket.drain(bucket.len().min(1)..).rev());
        near.chain(self.later.drain(..)).for_each(|(time, event)| each(time, event));
        (self.len, self.filled) = (0, 0);
    }
}

/// Inserts an event into a bucket that has to grow.
#[cold]
#[inline(never)]
fn put_in_full<E: Copy>(bucket: &mut Vec<(u64, E)>, time: u64, event: E) {
    if bucket.is_empty() {
        bucket.push((u64::MAX, event));
    }
    insert(bucket, time, event);
}

/// Inserts before all entries that are due at or before `time`, except the sentinel.
#[inline]
fn insert<E: Copy>(bucket: &mut Vec<(u64, E)>, time: u64, event: E) {
    let behind = time.saturating_add(1);
    bucket.push((time, event));
    let cells = Cell::from_mut(&mut bucket[..]).as_slice_of_cells();
    let mut place = &cells[cells.len() - 1];
    for pair in cells.windows(2).rev() {
        if pair[0].get().0 >= behind {
            break;
        }
        pair[1].set(pair[0].get());
        place = &pair[0];
    }
    place.set((time, event));
}
