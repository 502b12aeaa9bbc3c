//! A station's processor: one job at a time, in the order they come.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

/// Jobs that wait for a processor or are being done.
#[derive(Debug)]
pub struct Processor<J> {
    jobs: VecDeque<(J, Duration)>,
    /// When the first of them began and is done.
    began: Time,
    done: Time,
    busy: Duration,
    observed_from: Time,
}

impl<J> Processor<J> {
    /// An idle processor.
    pub fn new() -> Self {
        Processor {
            jobs: VecDeque::new(),
            began: Time::ZERO,
            done: Time::NEVER,
            busy: Duration::ZERO,
            observed_from: Time::ZERO,
        }
    }

    /// Hands over a job of so much work; the job comes back where it takes no time at all.
    #[must_use]
    pub fn take(&mut self, now: Time, job: J, work: Duration) -> Option<J> {
        if self.jobs.is_empty() {
            if work == Duration::ZERO {
                return Some(job);
            }
            self.begin(now, work);
        }
        self.jobs.push_back((job, work));
        None
    }

    /// When the job that is being done is done; never when there is none.
    pub fn next_event(&self) -> Time {
        self.done
    }

    /// The job that is done `now`, and when it began.
    pub fn finish(&mut self, now: Time) -> Option<(J, Time)> {
        if self.done > now {
            return None;
        }
        let (job, _) = self.jobs.pop_front()?;
        let began = self.began;
        self.busy += now.since(began.max(self.observed_from));
        self.done = Time::NEVER;
        if let Some(&(_, work)) = self.jobs.front() {
            self.begin(now, work);
        }
        Some((job, began))
    }

    fn begin(&mut self, now: Time, work: Duration) {
        self.began = now;
        self.done = now + work;
    }

    /// Jobs that wait or are being done.
    pub fn jobs(&self) -> impl Iterator<Item = &J> {
        self.jobs.iter().map(|(job, _)| job)
    }

    /// Counts busy time from `now` on.
    pub fn reset(&mut self, now: Time) {
        self.busy = Duration::ZERO;
        self.observed_from = now;
    }

    /// Busy time up to `now`.
    pub fn busy(&self, now: Time) -> Duration {
        let under_way = now.since(self.began.max(self.observed_from));
        self.busy + if self.jobs.is_empty() { Duration::ZERO } else { under_way }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn at(n: u64) -> Time {
        Time::ZERO + ms(n)
    }

    #[test]
    fn jobs_are_done_one_after_the_other_in_the_order_they_come() {
        let mut processor = Processor::new();
        assert_eq!(processor.take(at(0), "first", ms(10)), None);
        assert_eq!(processor.take(at(4), "second", ms(5)), None);
        assert_eq!(processor.take(at(5), "for nothing", Duration::ZERO), None, "it waits for those before it");
        assert_eq!((processor.next_event(), processor.finish(at(9))), (at(10), None));
        assert_eq!(processor.finish(at(10)), Some(("first", at(0))));
        assert_eq!(processor.finish(at(15)), Some(("second", at(10))));
        assert_eq!(processor.finish(at(15)), Some(("for nothing", at(15))));
        assert_eq!(processor.next_event(), Time::NEVER);
        assert_eq!(processor.take(at(20), "at once", Duration::ZERO), Some("at once"));
    }

    #[test]
    fn busy_time_counts_from_the_warm_up_to_now() {
        let mut processor = Processor::new();
        assert_eq!(processor.take(at(0), (), ms(10)), None);
        processor.reset(at(6));
        assert_eq!(processor.busy(at(8)), ms(2));
        assert!(processor.finish(at(10)).is_some());
        assert_eq!((processor.busy(at(10)), processor.busy(at(50))), (ms(4), ms(4)));
    }
}
