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

/// A processor and what waits for it.
#[derive(Clone, Debug, Default)]
pub struct Processor {
    waiting: VecDeque<Job>,
    last: VecDeque<Job>,
    current: Option<(Job, Time)>,
    busy: Duration,
    observed_from: Time,
}

impl Processor {
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

    /// Works on `job` from `now` on.
    #[inline]
    pub fn begin(&mut self, now: Time, job: Job) {
        self.current = Some((job, now));
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
