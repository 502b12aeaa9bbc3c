//! Many events: a radix heap.

use std::collections::VecDeque;

#[derive(Clone, Debug)]
pub(super) struct Radix<E> {
    /// The time of the last events taken; every pending event is later.
    last: u64,
    len: usize,
    /// Bit `b` is set when bucket `b` holds an event.
    occupied: u64,
    /// Bucket `b` holds the events whose time first differs from `last` in bit `b`, equal times in the order of
    /// insertion.
    buckets: [Vec<(u64, E)>; 64],
}

impl<E: Copy> Radix<E> {
    pub(super) fn new(last: u64) -> Self {
        Radix { last, len: 0, occupied: 0, buckets: std::array::from_fn(|_| Vec::new()) }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn push(&mut self, time: u64, event: E) {
        debug_assert!(time > self.last, "an event that is due already");
        let bucket = 63 - (time ^ self.last).leading_zeros();
        self.buckets[bucket as usize & 63].push((time, event));
        self.occupied |= 1 << bucket;
        self.len += 1;
    }

    pub(super) fn next_time(&self) -> Option<u64> {
        self.lowest().and_then(|bucket| earliest(&self.buckets[bucket]))
    }

    /// See [`super::Queue::take_instant`]. The rest of the lowest bucket moves to lower ones.
    #[inline]
    pub(super) fn take(&mut self, until: u64, instant: &mut VecDeque<E>) -> Option<(u64, Option<E>)> {
        let lowest = self.lowest()?;
        let time = earliest(&self.buckets[lowest])?;
        if time > until {
            return None;
        }
        self.last = time;
        self.occupied &= !(1 << lowest);
        if let [(_, event)] = self.buckets[lowest][..] {
            self.buckets[lowest].clear();
            self.len -= 1;
            return Some((time, Some(event)));
        }
        // the bucket keeps its memory for the next events of its distance
        let mut bucket = std::mem::take(&mut self.buckets[lowest]);
        self.len -= bucket.len();
        let mut alone = None;
        for &(at, event) in &bucket {
            if at != time {
                self.push(at, event);
            } else if let Some(first) = alone.replace(event) {
                instant.push_back(first);
            }
        }
        bucket.clear();
        self.buckets[lowest] = bucket;
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
        (self.len, self.occupied) = (0, 0);
    }

    #[inline]
    fn lowest(&self) -> Option<usize> {
        (self.occupied != 0).then(|| self.occupied.trailing_zeros() as usize & 63)
    }
}

/// The soonest time in a bucket.
#[inline]
fn earliest<E>(bucket: &[(u64, E)]) -> Option<u64> {
    bucket.iter().map(|entry| entry.0).min()
}
