//! Many events: a radix heap of base 64.

use std::collections::VecDeque;

/// Bits of a digit of the time.
const DIGIT_BITS: u32 = 6;
const DIGITS: usize = 1 << DIGIT_BITS;
const LEVELS: usize = 64_usize.div_ceil(DIGIT_BITS as usize);

/// Events of the soonest bucket come before all others; so many of them are foreseen that what they touch fits a cache.
const SOON: usize = 256;

#[derive(Clone, Debug)]
pub(super) struct Radix<E> {
    /// The time of the last events taken; every pending event is later.
    last: u64,
    len: usize,
    /// Bit `l` is set when a bucket of level `l` holds an event; bit `d` of `digits[l]` when its bucket `d` does.
    levels: u64,
    digits: [u64; LEVELS],
    /// Bucket `l * 64 + d` holds the events whose time first differs from `last` in digit `l` and has `d` there,
    /// equal times in the order of insertion.
    buckets: Vec<Vec<(u64, E)>>,
}

impl<E: Copy> Radix<E> {
    pub(super) fn new(last: u64) -> Self {
        Radix { last, len: 0, levels: 0, digits: [0; LEVELS], buckets: vec![Vec::new(); LEVELS * DIGITS] }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn push(&mut self, time: u64, event: E) {
        debug_assert!(time > self.last, "an event that is due already");
        let level = (63 - ((time ^ self.last) | 1).leading_zeros()) / DIGIT_BITS;
        let digit = (time >> (level * DIGIT_BITS)) as usize % DIGITS;
        let level = level as usize;
        self.buckets[level * DIGITS + digit].push((time, event));
        self.digits[level] |= 1 << digit;
        self.levels |= 1 << level;
        self.len += 1;
    }

    pub(super) fn next_time(&self) -> Option<u64> {
        self.soonest().and_then(|(level, digit)| earliest(&self.buckets[level * DIGITS + digit]))
    }

    /// See [`super::Queue::take_instant`]. The rest of the soonest bucket moves to lower levels.
    #[inline]
    pub(super) fn take(
        &mut self,
        until: u64,
        instant: &mut VecDeque<E>,
        soon: impl FnMut(E),
    ) -> Option<(u64, Option<E>)> {
        let (level, digit) = self.soonest()?;
        let index = level * DIGITS + digit;
        let time = earliest(&self.buckets[index])?;
        if time > until {
            return None;
        }
        self.last = time;
        self.digits[level] &= !(1 << digit);
        if self.digits[level] == 0 {
            self.levels &= !(1 << level);
        }
        if let [(_, event)] = self.buckets[index][..] {
            self.buckets[index].clear();
            self.len -= 1;
            return Some((time, Some(event)));
        }
        // the bucket keeps its memory for the next events of its distance
        let mut bucket = std::mem::take(&mut self.buckets[index]);
        self.len -= bucket.len();
        if bucket.len() <= SOON {
            bucket.iter().map(|entry| entry.1).for_each(soon);
        }
        let mut alone = None;
        for &(at, event) in &bucket {
            if at != time {
                self.push(at, event);
            } else if let Some(first) = alone.replace(event) {
                instant.push_back(first);
            }
        }
        bucket.clear();
        self.buckets[index] = bucket;
        if !instant.is_empty() {
            instant.extend(alone.take());
        }
        Some((time, alone))
    }

    /// Hands all events out, equal times in the order of insertion.
    pub(super) fn drain(&mut self, mut each: impl FnMut(u64, E)) {
        for bucket in &mut self.buckets {
            bucket.drain(..).for_each(|(time, event)| each(time, event));
        }
        (self.len, self.levels, self.digits) = (0, 0, [0; LEVELS]);
    }

    /// The bucket that holds the soonest event: the lowest digit of the lowest level.
    #[inline]
    fn soonest(&self) -> Option<(usize, usize)> {
        if self.levels == 0 {
            return None;
        }
        let level = self.levels.trailing_zeros() as usize % LEVELS.next_power_of_two();
        Some((level, self.digits[level].trailing_zeros() as usize % DIGITS))
    }
}

/// The soonest time in a bucket.
#[inline]
fn earliest<E>(bucket: &[(u64, E)]) -> Option<u64> {
    bucket.iter().map(|entry| entry.0).min()
}
