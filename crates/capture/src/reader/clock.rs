//! Converts timestamps to instants of one monotonic clock.
//!
//! A packet slightly out of order takes the instant of its predecessor. Where the clock was stepped, by more than a
//! second back or more than 30 days ahead, time continues from the last instant. Both are counted.

use sojourn_core::Time;

/// Packets may be out of order by less than this, in nanoseconds; more is a clock that was set.
const OUT_OF_ORDER_LIMIT: u64 = 1_000_000_000;
/// A longer time without a packet is a clock that was set, in nanoseconds.
const GAP_LIMIT: u64 = 30 * 24 * 3_600 * 1_000_000_000;
/// The longest capture, in nanoseconds: instants are within 213 days.
const LONGEST: u64 = 210 * 24 * 3_600 * 1_000_000_000;

/// What was found of the clock of a capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockFaults {
    /// Packets whose stamp is before that of their predecessor.
    pub out_of_order: u64,
    /// Times that the clock was set.
    pub steps: u64,
    /// Packets beyond 210 days, which all take the last instant.
    pub beyond: u64,
}

#[derive(Debug, Default)]
pub(super) struct Clock {
    /// The instant 0 in nanoseconds since 1970, moved with each step of the clock.
    zero: Option<i128>,
    last: u64,
    pub faults: ClockFaults,
}

impl Clock {
    /// The instant 0 in nanoseconds since 1970; `None` before the first stamp.
    pub fn zero(&self) -> Option<i128> {
        self.zero
    }

    /// The instant of a stamp in nanoseconds since 1970.
    #[inline]
    pub fn time(&mut self, stamp: u64) -> Time {
        let zero = *self.zero.get_or_insert(stamp.into());
        let since = i128::from(stamp) - zero;
        match u64::try_from(since) {
            Ok(since) if since >= self.last && since - self.last <= GAP_LIMIT && since <= LONGEST => self.last = since,
            _ => self.fault(since),
        }
        Time::from_picoseconds(self.last * 1_000)
    }

    #[cold]
    fn fault(&mut self, since: i128) {
        let last = i128::from(self.last);
        if since < last && last - since <= OUT_OF_ORDER_LIMIT.into() {
            self.faults.out_of_order += 1;
        } else if since > LONGEST.into() && since - last <= GAP_LIMIT.into() {
            self.faults.beyond += 1;
        } else {
            self.faults.steps += 1;
            self.zero = self.zero.map(|zero| zero + since - last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn times(stamps: &[u64]) -> (Vec<u64>, ClockFaults) {
        let mut clock = Clock::default();
        let times = stamps.iter().map(|&stamp| clock.time(stamp).picoseconds() / 1_000).collect();
        (times, clock.faults)
    }

    #[test]
    fn instants_count_from_the_first_stamp() {
        assert_eq!(times(&[7, 9, 9, 20]), (vec![0, 2, 2, 13], ClockFaults::default()));
    }

    #[test]
    fn a_packet_out_of_order_takes_the_instant_of_its_predecessor() {
        let (times, faults) = times(&[100, 200, 150, 250]);
        assert_eq!(times, [0, 100, 100, 150]);
        assert_eq!(faults, ClockFaults { out_of_order: 1, ..ClockFaults::default() });
    }

    #[test]
    fn a_clock_that_is_set_goes_on_from_its_last_instant() {
        let year = 365 * 24 * 3_600 * SECOND;
        let (times, faults) = times(&[5 * year, 5 * year + 10, 10 * SECOND, 10 * SECOND + 5, 9 * year, 9 * year + 1]);
        assert_eq!(times, [0, 10, 10, 15, 15, 16]);
        assert_eq!(faults.steps, 2);
    }

    #[test]
    fn stamps_of_any_value_never_go_back() {
        let (times, _) = times(&[u64::MAX, 0, u64::MAX, 1, u64::MAX - 1, 0]);
        assert!(times.is_sorted());
    }
}
