//! Schedules of scenario events: at fixed times, periodic, or random. Occurrences are generated one at a time, so a
//! year of failures takes no more memory than a day.

use std::sync::Arc;

use sojourn_core::{Duration, Stream, Time, rekey_fields};

use crate::sample;

/// When an event happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// At these instants, ascending.
    At {
        /// When it begins.
        begins: Arc<[Time]>,
        /// How long each lasts; none that has no end.
        lasts: Option<Duration>,
    },
    /// Again and again.
    Every {
        /// When it begins for the first time.
        first: Time,
        /// From one to the next, above 0.
        period: Duration,
        /// How long each lasts; none that has no end.
        lasts: Option<Duration>,
    },
    /// An alternating renewal process: operating and repair times are exponential.
    Failures {
        /// When the first operating time begins.
        from: Time,
        /// Mean operating time.
        between: Duration,
        /// Mean repair time.
        repair: Duration,
    },
}

/// One time that an event happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// When it begins.
    pub begin: Time,
    /// When it ends; none that has no end.
    pub end: Option<Time>,
}

/// The occurrences of a schedule, one after the other.
#[derive(Clone, Debug)]
pub struct Occurrences {
    schedule: Schedule,
    given: u64,
    /// End of the last failure.
    repaired: Time,
    stream: Stream,
}

impl Occurrences {
    /// Those of `schedule`; `stream` draws the times of failures.
    pub fn new(schedule: Schedule, stream: Stream) -> Self {
        let repaired = if let Schedule::Failures { from, .. } = schedule { from } else { Time::ZERO };
        Occurrences { schedule, given: 0, repaired, stream }
    }

    /// The next one; none after the last, or beyond what the clock can represent.
    pub fn next_occurrence(&mut self) -> Option<Occurrence> {
        let number = self.given;
        self.given += 1;
        let lasting = |begin: Time, lasts: &Option<Duration>| {
            let end = lasts.map(|lasts| later(begin, lasts));
            Occurrence { begin, end: end.flatten() }
        };
        match &self.schedule {
            Schedule::At { begins, lasts } => Some(lasting(*begins.get(usize::try_from(number).ok()?)?, lasts)),
            Schedule::Every { first, period, lasts } => {
                let since = period.picoseconds().checked_mul(number)?;
                Some(lasting(later(*first, Duration::from_picoseconds(since))?, lasts))
            }
            Schedule::Failures { between, repair, .. } => {
                let begin = later(self.repaired, sample::exponential(&mut self.stream, *between))?;
                let end = later(begin, sample::exponential(&mut self.stream, *repair))?;
                self.repaired = end;
                Some(Occurrence { begin, end: Some(end) })
            }
        }
    }
}

/// A later instant, if the clock can represent it.
pub(crate) fn later(time: Time, span: Duration) -> Option<Time> {
    time.picoseconds().checked_add(span.picoseconds()).map(Time::from_picoseconds)
}

rekey_fields!(Occurrences { stream });

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    fn occurrences(schedule: Schedule) -> Occurrences {
        Occurrences::new(schedule, Streams::new(1, 0).stream("event/outage"))
    }

    fn occurrence(begin: u64, end: u64) -> Option<Occurrence> {
        Some(Occurrence { begin: at(begin), end: Some(at(end)) })
    }

    #[test]
    fn a_list_ends_and_a_period_does_not() {
        let lasts = Some(Duration::from_secs(2));
        let mut list = occurrences(Schedule::At { begins: [at(3), at(8)].into(), lasts });
        let found = [list.next_occurrence(), list.next_occurrence(), list.next_occurrence()];
        assert_eq!(found, [occurrence(3, 5), occurrence(8, 10), None]);
        let mut periodic = occurrences(Schedule::Every { first: at(3), period: Duration::from_secs(10), lasts });
        let found = [periodic.next_occurrence(), periodic.next_occurrence(), periodic.next_occurrence()];
        assert_eq!(found, [occurrence(3, 5), occurrence(13, 15), occurrence(23, 25)]);
    }

    #[test]
    fn failures_leave_the_share_of_time_that_their_means_give() {
        let (between, repair) = (Duration::from_secs(30), Duration::from_secs(10));
        let mut failures = occurrences(Schedule::Failures { from: at(100), between, repair });
        let (mut down, mut last) = (0.0, at(100));
        for _ in 0..20_000 {
            let Occurrence { begin, end } = failures.next_occurrence().unwrap();
            assert!(begin >= last, "one failure after the other");
            last = end.unwrap();
            down += last.since(begin).seconds();
        }
        // unavailability MTTR / (MTBF + MTTR) = 0.25; over 20 000 cycles its standard deviation is 0.25 * 0.75 * sqrt(2 / 20 000) = 0.0019
        let share = down / last.since(at(100)).seconds();
        assert!((share - 0.25).abs() < 0.006, "{share}");
    }
}
