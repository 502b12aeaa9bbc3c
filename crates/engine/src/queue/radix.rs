//! Store for many events: a radix heap of base 64.

use std::collections::VecDeque;

use sojourn_core::clone_fields;

/// Bits of a digit of the time.
const DIGIT_BITS: u32 = 6;
const DIGITS: usize = 1 << DIGIT_BITS;
const LEVELS: usize = 64_usize.div_ceil(DIGIT_BITS as usize);

/// Maximum number of events of the earliest bucket that are prefetched, so that what they touch fits the CPU cache.
const PREFETCHED: usize = 256;
/// Up to this number, the events of the earliest bucket are sorted instead of distributed over lower levels.
const FRONT: usize = 32;

#[derive(Debug)]
pub(super) struct Radix<E> {
    /// Lower bound of the times of all pending events.
    last: u64,
    len: usize,
    /// Bit `l` is set when a bucket of level `l` holds an event; bit `d` of `digits[l]` when its bucket `d` does.
    levels: u64,
    digits: [u64; LEVELS],
    /// Bucket `l * 64 + d` holds the events whose time first differs from `last` in digit `l` and has `d` there,
    /// equal times in the order of insertion.
    buckets: Vec<Vec<(u64, E)>>,
    /// Events taken from the earliest bucket, latest first, of equal times the last inserted first.
    front: Vec<(u64, E)>,
    /// Level of that bucket; all lower levels are empty while `front` is not.
    front_level: usize,
}

clone_fields!([E: Clone] Radix<E> { last, len, levels, digits, buckets, front, front_level });

impl<E: Copy> Radix<E> {
    pub(super) fn new(last: u64) -> Self {
        Radix {
            last,
            len: 0,
            levels: 0,
            digits: [0; LEVELS],
            buckets: vec![Vec::new(); LEVELS * DIGITS],
            front: Vec::with_capacity(FRONT),
            front_level: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn push(&mut self, time: u64, event: E) {
        debug_assert!(time >= self.last, "an event before the last time");
        self.len += 1;
        if self.level_of(time) < self.front_level {
            return self.push_to_front(time, event);
        }
        self.put(time, event);
    }

    /// Index of the highest digit in which `time` differs from `last`.
    #[inline]
    fn level_of(&self, time: u64) -> usize {
        ((63 - ((time ^ self.last) | 1).leading_zeros()) / DIGIT_BITS) as usize
    }

    /// Appends an event to its bucket.
    #[inline]
    fn put(&mut self, time: u64, event: E) {
        let level = self.level_of(time);
        let digit = (time >> (level as u32 * DIGIT_BITS)) as usize % DIGITS;
        self.buckets[level * DIGITS + digit].push((time, event));
        self.digits[level] |= 1 << digit;
        self.levels |= 1 << level;
    }

    /// Adds an event that is due before the end of `front`.
    #[inline(never)]
    fn push_to_front(&mut self, time: u64, event: E) {
        if self.front.len() < FRONT {
            let place = self.front.partition_point(|entry| entry.0 > time);
            return self.front.insert(place, (time, event));
        }
        self.spread_front();
        self.put(time, event);
    }

    /// Distributes the rest of `front` over the levels below its own, since an event was added before its end.
    #[cold]
    #[inline(never)]
    fn spread_front(&mut self) {
        self.front_level = 0;
        let mut front = std::mem::take(&mut self.front);
        front.drain(..).rev().for_each(|(time, event)| self.put(time, event));
        self.front = front;
    }

    pub(super) fn next_time(&self) -> Option<u64> {
        if let Some(&(time, _)) = self.front.last() {
            return Some(time);
        }
        self.soonest().and_then(|(level, digit)| earliest(&self.buckets[level * DIGITS + digit]))
    }

    /// See [`super::Queue::take_instant`].
    #[inline]
    pub(super) fn take(
        &mut self,
        until: u64,
        instant: &mut VecDeque<E>,
        prefetch: impl FnMut(E),
    ) -> Option<(u64, Option<E>)> {
        if self.front.is_empty() {
            self.fill_front(until, prefetch)?;
        }
        let &(time, event) = self.front.last()?;
        if time > until {
            return None;
        }
        self.front.pop();
        self.len -= 1;
        let mut alone = Some(event);
        while let Some(&(next, event)) = self.front.last()
            && next == time
        {
            self.front.pop();
            self.len -= 1;
            instant.extend(alone.take());
            instant.push_back(event);
        }
        Some((time, alone))
    }

    /// Sorts the events of the earliest bucket into `front` if any is due at or before `until`; distributes larger
    /// buckets over lower levels first.
    fn fill_front(&mut self, until: u64, mut prefetch: impl FnMut(E)) -> Option<()> {
        loop {
            let (level, digit) = self.soonest()?;
            let mut bucket = self.take_bucket(level, digit, until)?;
            if (2..=PREFETCHED).contains(&bucket.len()) {
                bucket.iter().for_each(|&(_, event)| prefetch(event));
            }
            let is_front = level == 0 || bucket.len() <= FRONT;
            if level == 0 {
                self.front.extend(bucket.iter().rev()); // of one instant
            } else if is_front {
                sort_into(&mut self.front, &bucket);
            } else {
                bucket.iter().for_each(|&(time, event)| self.put(time, event));
            }
            // the bucket keeps its allocation
            bucket.clear();
            self.buckets[level * DIGITS + digit] = bucket;
            if is_front {
                self.front_level = level;
                return Some(());
            }
        }
    }

    /// Takes all events of the earliest bucket if any is due at or before `until`, and sets `last` to the start of the
    /// bucket.
    fn take_bucket(&mut self, level: usize, digit: usize, until: u64) -> Option<Vec<(u64, E)>> {
        let bucket = &mut self.buckets[level * DIGITS + digit];
        let shift = level as u32 * DIGIT_BITS;
        let above = u64::MAX.checked_shl(shift + DIGIT_BITS).unwrap_or(0);
        let from = self.last & above | (digit as u64) << shift;
        // if the bucket ends at or before `until`, all its events are due
        if until < from || until - from < 1 << shift {
            earliest(bucket).filter(|&time| time <= until)?;
        }
        self.last = from;
        self.digits[level] &= !(1 << digit);
        if self.digits[level] == 0 {
            self.levels &= !(1 << level);
        }
        Some(std::mem::take(bucket))
    }

    /// Passes all events to `each`, those of equal time in the order of insertion.
    pub(super) fn drain(&mut self, mut each: impl FnMut(u64, E)) {
        self.front.drain(..).rev().for_each(|(time, event)| each(time, event));
        self.front_level = 0;
        for bucket in &mut self.buckets {
            bucket.drain(..).for_each(|(time, event)| each(time, event));
        }
        (self.len, self.levels, self.digits) = (0, 0, [0; LEVELS]);
    }

    /// Level and digit of the bucket that holds the earliest event: the lowest digit of the lowest level.
    #[inline]
    fn soonest(&self) -> Option<(usize, usize)> {
        if self.levels == 0 {
            return None;
        }
        let level = self.levels.trailing_zeros() as usize % LEVELS.next_power_of_two();
        Some((level, self.digits[level].trailing_zeros() as usize % DIGITS))
    }
}

/// Earliest time in a bucket.
#[inline]
fn earliest<E>(bucket: &[(u64, E)]) -> Option<u64> {
    bucket.iter().map(|entry| entry.0).min()
}

/// Appends the events of a bucket, latest first, of equal times the last inserted first.
#[inline]
fn sort_into<E: Copy>(front: &mut Vec<(u64, E)>, bucket: &[(u64, E)]) {
    if let [only] = bucket {
        return front.push(*only);
    }
    let mut times = [0; FRONT];
    times.iter_mut().zip(bucket).for_each(|(time, entry)| *time = entry.0);
    let places = places(&times[..bucket.len()]);
    front.extend_from_slice(bucket);
    for (&place, &entry) in places.iter().zip(bucket) {
        front[place as usize] = entry;
    }
}

/// Of each event, by their times in the order of insertion, how many leave after it. For so few, comparing all costs less than
/// the branches of a sort, which CPUs predict badly.
#[inline(never)]
fn places(times: &[u64]) -> [u32; FRONT] {
    let mut places = [0; FRONT];
    for (number, &time) in times.iter().enumerate().skip(1) {
        let mut after_this = 0;
        for (&before, after) in times[..number].iter().zip(&mut places) {
            let leaves_later = u32::from(before > time);
            after_this += leaves_later;
            *after += 1 - leaves_later;
        }
        places[number] = after_this;
    }
    places
}
