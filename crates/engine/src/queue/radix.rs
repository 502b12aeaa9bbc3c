//! Store for many events: a radix heap of base 64.

use std::collections::VecDeque;

use sojourn_core::clone_fields;

/// Bits of a digit of the time.
const DIGIT_BITS: u32 = 6;
const DIGITS: usize = 1 << DIGIT_BITS;
const LEVELS: usize = 64_usize.div_ceil(DIGIT_BITS as usize);

/// Up to this number, the events of the earliest bucket are sorted instead of distributed over lower levels.
const FRONT: usize = 255;
/// Up to this number, events are sorted by comparing each with each. An event added later may always move this many.
const FEW: usize = 32;
/// After this many insertions have each moved more, the rest of the bucket is distributed over lower levels after
/// all.
const FAR: u32 = 16;
/// After that, the next buckets of more than [`FEW`] events, up to this many, are distributed at once.
const DISTRIBUTED: u32 = 15;

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
    /// Events added to `front` that moved more than [`FEW`].
    far: u32,
    /// How many of the next buckets of more than [`FEW`] events are distributed at once.
    distributed: u32,
}

clone_fields!([E: Clone] Radix<E> { last, len, levels, digits, buckets, front, front_level, far, distributed });

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
            far: 0,
            distributed: 0,
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
            self.far += u32::from(self.front.len() - place > FEW);
            if self.far <= FAR {
                return self.front.insert(place, (time, event));
            }
        }
        self.spread_front();
        self.put(time, event);
    }

    /// Distributes the rest of `front` over the levels below its own, since an event was added before its end.
    #[cold]
    #[inline(never)]
    fn spread_front(&mut self) {
        (self.front_level, self.distributed) = (0, DISTRIBUTED);
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
    pub(super) fn take(&mut self, until: u64, instant: &mut VecDeque<E>) -> Option<(u64, Option<E>)> {
        if self.front.is_empty() {
            self.fill_front(until)?;
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
    fn fill_front(&mut self, until: u64) -> Option<()> {
        loop {
            let (level, digit) = self.soonest()?;
            let mut bucket = self.take_bucket(level, digit, until)?;
            let is_front = level == 0 || bucket.len() <= FEW || self.sorts(bucket.len());
            if level == 0 {
                self.front.extend(bucket.iter().rev()); // of one instant
            } else if is_front {
                sort_into(&mut self.front, &bucket, (level as u32 - 1) * DIGIT_BITS);
            } else {
                bucket.iter().for_each(|&(time, event)| self.put(time, event));
            }
            // the bucket keeps its allocation
            bucket.clear();
            self.buckets[level * DIGITS + digit] = bucket;
            if is_front {
                (self.front_level, self.far) = (level, 0);
                return Some(());
            }
        }
    }

    /// Whether a bucket of this many events, more than [`FEW`], is sorted; counts it if not because others had to be distributed.
    fn sorts(&mut self, events: usize) -> bool {
        if events > FRONT {
            return false;
        }
        let is_sorted = self.distributed == 0;
        self.distributed = self.distributed.saturating_sub(1);
        is_sorted
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

/// Appends the events of a bucket, latest first, of equal times the last inserted first. Their times differ from the digit at `shift` on.
#[inline]
fn sort_into<E: Copy>(front: &mut Vec<(u64, E)>, bucket: &[(u64, E)], shift: u32) {
    match bucket.len() {
        1 => front.push(bucket[0]),
        2..=FEW => sort_few(front, bucket),
        _ => sort_by_digit(front, bucket, shift),
    }
}

#[inline]
fn sort_few<E: Copy>(front: &mut Vec<(u64, E)>, bucket: &[(u64, E)]) {
    let mut times = [0; FEW];
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
fn places(times: &[u64]) -> [u32; FEW] {
    let mut places = [0; FEW];
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

/// More events: by counting those of each digit, then by insertion among the few of one digit.
#[inline(never)]
fn sort_by_digit<E: Copy>(front: &mut Vec<(u64, E)>, bucket: &[(u64, E)], shift: u32) {
    let digit = |time: u64| (time >> shift) as usize % DIGITS;
    let mut places = [0_u8; DIGITS];
    bucket.iter().for_each(|entry| places[digit(entry.0)] += 1);
    // the place behind all of a digit: the latest are first
    let mut end = 0;
    for place in places.iter_mut().rev() {
        end += *place;
        *place = end;
    }
    front.extend_from_slice(bucket);
    for &entry in bucket {
        let place = &mut places[digit(entry.0)];
        *place -= 1;
        front[usize::from(*place)] = entry;
    }
    for sorted in 1..front.len() {
        let entry = front[sorted];
        let mut place = sorted;
        while place > 0 && front[place - 1].0 < entry.0 {
            front[place] = front[place - 1];
            place -= 1;
        }
        front[place] = entry;
    }
}
