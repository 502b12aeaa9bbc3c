//! A host's processor: one job at a time, in the order of arrival, messages last where the host says so.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

/// What a processor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// The user of a stream writes: takes no time itself, but begins the sending that does.
    Write(u32),
    /// Sends a frame.
    Send(u32),
    /// Takes a frame received.
    Receive(u32),
    /// Delivers data that waited for their acknowledgement.
    Deliver(u32),
    /// Spends time on what has happened already.
    Spend(Duration),
}

/// The interrupts of an operating system's timer, each of which stops all other work for a while.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interrupts {
    /// When the first one is.
    pub first: Time,
    /// From one to the next; zero where there are none.
    pub interval: Duration,
    /// How long each takes, less than the interval.
    pub cost: Duration,
}

impl Interrupts {
    /// When work of length `work` that begins at `now` is done.
    pub fn done(&self, now: Time, work: Duration) -> Time {
        if self.interval == Duration::ZERO || self.cost == Duration::ZERO {
            return now + work;
        }
        // interrupts up to an instant: the last of them may still be served at `now`
        let count = |at: Time| if at < self.first { 0 } else { at.since(self.first).whole(self.interval) + 1 };
        let before = count(now);
        let served = if before == 0 { now } else { self.first + self.interval.times(before - 1) + self.cost };
        let begin = served.max(now);
        let mut met = 0;
        loop {
            let done = begin + work + self.cost.times(met);
            let found = count(done) - before;
            if found == met {
                return done;
            }
            met = found;
        }
    }
}

/// A processor and what waits for it.
#[derive(Clone, Debug, Default)]
pub struct Processor {
    interrupts: Interrupts,
    waiting: VecDeque<Job>,
    last: VecDeque<Job>,
    current: Option<(Job, Time)>,
    busy: Duration,
    observed_from: Time,
}

impl Processor {
    /// A processor with a timer.
    pub fn new(interrupts: Interrupts) -> Self {
        Processor { interrupts, ..Processor::default() }
    }

    /// Adds a job behind all others, or behind all others of the last.
    #[inline]
    pub fn push(&mut self, job: Job, last: bool) {
        if last { self.last.push_back(job) } else { self.waiting.push_back(job) }
    }

    /// Adds a job before all others.
    #[inline]
    pub fn push_front(&mut self, job: Job) {
        self.waiting.push_front(job);
    }

    /// The next job, if the processor is free.
    #[inline]
    pub fn next(&mut self) -> Option<Job> {
        if self.current.is_some() {
            return None;
        }
        self.waiting.pop_front().or_else(|| self.last.pop_front())
    }

    /// Runs `job` from `now` on; returns when it completes.
    #[inline]
    pub fn begin(&mut self, now: Time, job: Job, work: Duration) -> Time {
        self.current = Some((job, now));
        self.interrupts.done(now, work)
    }

    /// The job is done.
    #[inline]
    pub fn finish(&mut self, now: Time) -> Job {
        let (job, began) = self.current.take().expect("a processor finishes what it has begun");
        self.busy += now.since(began.max(self.observed_from));
        job
    }

    /// The warm-up is over.
    pub fn reset(&mut self, now: Time) {
        (self.busy, self.observed_from) = (Duration::ZERO, now);
    }

    /// Time it was busy since the warm-up.
    pub fn busy(&self, now: Time) -> Duration {
        let current = self.current.map_or(Duration::ZERO, |(_, began)| now.since(began.max(self.observed_from)));
        self.busy + current
    }

    /// Jobs that have not ended.
    pub fn jobs(&self) -> impl Iterator<Item = Job> + '_ {
        self.current.iter().map(|(job, _)| *job).chain(self.waiting.iter().copied()).chain(self.last.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    #[test]
    fn work_ends_later_by_each_timer_interrupt_it_meets() {
        let span = Duration::from_micros;
        let interrupts = Interrupts { first: at(1000), interval: span(10_000), cost: span(100) };
        assert_eq!(interrupts.done(at(0), span(900)), at(900), "none");
        assert_eq!(interrupts.done(at(0), span(2000)), at(2100), "one");
        assert_eq!(interrupts.done(at(5000), span(15_950)), at(21_150), "the second falls into what the first added");
        assert_eq!(interrupts.done(at(1040), span(10)), at(1110), "begun while one is served");
        assert_eq!(Interrupts::default().done(at(7), span(5)), at(12));
    }

    #[test]
    fn jobs_leave_in_the_order_they_came_with_the_last_behind() {
        let mut processor = Processor::default();
        processor.push(Job::Send(1), true);
        processor.push(Job::Send(2), false);
        processor.push(Job::Send(3), false);
        processor.push_front(Job::Send(4));
        let order: Vec<Job> = std::iter::from_fn(|| processor.next()).collect();
        assert_eq!(order, [Job::Send(4), Job::Send(2), Job::Send(3), Job::Send(1)]);
    }

    #[test]
    fn busy_time_counts_from_the_warm_up_on() {
        let mut processor = Processor::default();
        let done = processor.begin(at(0), Job::Send(0), Duration::from_micros(50));
        processor.reset(at(20));
        assert_eq!(processor.busy(at(30)), Duration::from_micros(10));
        processor.finish(done);
        assert_eq!(processor.busy(at(90)), Duration::from_micros(30));
    }
}
