//! A lock-free ring of the newest samples, with one writer and one reader.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use sojourn_core::{Duration, Time};

/// Capacity: the samples of 50 ms, the polling interval, at 320 000 packets/s.
pub const LENGTH: usize = 1 << 14;
/// Marks a lost request.
const NEVER: u64 = u64::MAX;

/// A response, or a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When the request was sent.
    pub sent: Time,
    /// Response time; `None` for a lost request.
    pub response: Option<Duration>,
}

/// A ring with one writer.
#[derive(Debug, Default)]
pub struct Ring {
    places: OnceLock<Box<[[AtomicU64; 2]]>>,
    written: AtomicU64,
}

impl Ring {
    /// Allocates the ring on first use; returns the number of samples written so far.
    pub fn begin(&self) -> u64 {
        self.places();
        self.written.load(Ordering::Acquire)
    }

    /// Overwrites the oldest sample.
    #[inline]
    pub fn put(&self, sent: Time, response: Option<Duration>) {
        let number = self.written.load(Ordering::Relaxed);
        let [when, how_long] = &self.places()[number as usize % LENGTH];
        when.store(sent.picoseconds(), Ordering::Relaxed);
        how_long.store(response.map_or(NEVER, Duration::picoseconds), Ordering::Relaxed);
        self.written.store(number + 1, Ordering::Release);
    }

    /// Passes the samples from number `from` on that are not overwritten to `each`; returns the number of the next.
    pub fn take(&self, from: u64, mut each: impl FnMut(Sample)) -> u64 {
        let written = self.written.load(Ordering::Acquire);
        // the writer may be at the oldest place
        for number in from.max((written + 1).saturating_sub(LENGTH as u64))..written {
            let [when, how_long] = &self.places()[number as usize % LENGTH];
            let (when, how_long) = (when.load(Ordering::Acquire), how_long.load(Ordering::Acquire));
            // the writer may have overwritten this place meanwhile: then half of it is another sample
            if self.written.load(Ordering::Relaxed) < number + LENGTH as u64 {
                let response = (how_long != NEVER).then(|| Duration::from_picoseconds(how_long));
                each(Sample { sent: Time::from_picoseconds(when), response });
            }
        }
        written
    }

    fn places(&self) -> &[[AtomicU64; 2]] {
        self.places.get_or_init(|| (0..LENGTH).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn microsecond(number: u64) -> Duration {
        Duration::from_micros(number)
    }

    #[test]
    fn samples_are_read_once_and_in_order() {
        let ring = Ring::default();
        (0..5).for_each(|number| ring.put(Time::ZERO + microsecond(number), Some(microsecond(10 * number))));
        ring.put(Time::ZERO, None);
        let mut taken = Vec::new();
        let next = ring.take(2, |sample| taken.push(sample.response));
        assert_eq!(taken, [Some(microsecond(20)), Some(microsecond(30)), Some(microsecond(40)), None]);
        assert_eq!(next, 6);
        assert_eq!(ring.take(next, |_| panic!("nothing is new")), 6);
    }

    #[test]
    fn a_slow_reader_misses_the_oldest_samples() {
        let ring = Ring::default();
        let many = LENGTH as u64 + 3;
        (0..many).for_each(|number| ring.put(Time::ZERO + microsecond(number), None));
        let mut first = None;
        ring.take(0, |sample| first = first.or(Some(sample.sent)));
        assert_eq!(first, Some(Time::ZERO + microsecond(4)));
    }

    #[test]
    fn a_sample_is_never_half_of_one_and_half_of_another() {
        let ring = Ring::default();
        let many = 40 * LENGTH as u64;
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                (0..many).for_each(|number| ring.put(Time::ZERO + microsecond(number), Some(microsecond(number))));
            });
            let (mut next, mut last) = (0, None);
            while next < many {
                next = ring.take(next, |sample| {
                    assert_eq!(Some(sample.sent.since(Time::ZERO)), sample.response);
                    assert!(last < sample.response, "in order");
                    last = sample.response;
                });
            }
            writer.join().unwrap();
        });
    }
}
