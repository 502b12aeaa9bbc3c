//! A serial CPU: one job at a time, first come, first served, with low-priority jobs last.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

/// The interrupts of an operating system's timer, each of which suspends all other work.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimerInterrupts {
    /// When the first one occurs.
    pub first: Time,
    /// Interval between two; zero without a timer.
    pub interval: Duration,
    /// CPU time of each, less than the interval.
    pub cost: Duration,
}

impl TimerInterrupts {
    /// When work of `work` that begins at `now` is done.
    pub fn done(&self, now: Time, work: Duration) -> Time {
        if self.interval == Duration::ZERO || self.cost == Duration::ZERO {
            return now + work;
        }
        // interrupts up to an instant: the last of them may still be in service at `now`
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

/// A CPU and the jobs that wait for it.
#[derive(Clone, Debug)]
pub struct Cpu<J> {
    timer: TimerInterrupts,
    waiting: VecDeque<J>,
    low_priority: VecDeque<J>,
    running: Option<Running<J>>,
    busy: Duration,
    observed_from: Time,
}

#[derive(Clone, Debug)]
struct Running<J> {
    job: J,
    began: Time,
    done: Time,
}

impl<J> Cpu<J> {
    /// An idle CPU with a timer.
    pub fn new(timer: TimerInterrupts) -> Self {
        Cpu {
            timer,
            waiting: VecDeque::new(),
            low_priority: VecDeque::new(),
            running: None,
            busy: Duration::ZERO,
            observed_from: Time::ZERO,
        }
    }

    /// Adds a job behind all others of its priority.
    #[inline]
    pub fn push(&mut self, job: J, low_priority: bool) {
        if low_priority { self.low_priority.push_back(job) } else { self.waiting.push_back(job) }
    }

    /// Adds a job before all others.
    #[inline]
    pub fn push_front(&mut self, job: J) {
        self.waiting.push_front(job);
    }

    /// Takes the next job, if the CPU is idle.
    #[inline]
    pub fn take(&mut self) -> Option<J> {
        if self.running.is_some() {
            return None;
        }
        self.waiting.pop_front().or_else(|| self.low_priority.pop_front())
    }

    /// Runs `job`, which takes `work` of CPU time, from `now` on; returns when it is done.
    #[inline]
    pub fn begin(&mut self, now: Time, job: J, work: Duration) -> Time {
        let done = self.timer.done(now, work);
        self.running = Some(Running { job, began: now, done });
        done
    }

    /// Ends the running job at `now`; returns it and when it began. Panics when the CPU is idle.
    #[inline]
    pub fn finish(&mut self, now: Time) -> (J, Time) {
        let Running { job, began, .. } = self.running.take().expect("a CPU finishes what it has begun");
        self.busy += now.since(began.max(self.observed_from));
        (job, began)
    }

    /// When the running job is done; never when the CPU is idle.
    #[inline]
    pub fn done(&self) -> Time {
        self.running.as_ref().map_or(Time::NEVER, |running| running.done)
    }

    /// The warm-up is over: busy time counts from `now` on.
    pub fn end_warm_up(&mut self, now: Time) {
        (self.busy, self.observed_from) = (Duration::ZERO, now);
    }

    /// The jobs that run or wait are lost at `now`.
    pub fn switch_off(&mut self, now: Time) {
        if self.running.is_some() {
            self.finish(now);
        }
        self.waiting.clear();
        self.low_priority.clear();
    }

    /// Busy time from the end of the warm-up to `now`.
    pub fn busy(&self, now: Time) -> Duration {
        let since = |running: &Running<J>| now.since(running.began.max(self.observed_from));
        self.busy + self.running.as_ref().map_or(Duration::ZERO, since)
    }

    /// The CPU loses power at `now`, with the job that runs and those that wait.
    pub fn reset(&mut self, now: Time) {
        self.busy = self.busy(now);
        self.running = None;
        self.waiting.clear();
        self.low_priority.clear();
    }

    /// Jobs that run or wait.
    pub fn jobs(&self) -> impl Iterator<Item = &J> {
        let running = self.running.iter().map(|running| &running.job);
        running.chain(&self.waiting).chain(&self.low_priority)
    }
}

/// Jobs whose CPU time is known when they are submitted.
impl<J> Cpu<(J, Duration)> {
    /// Submits a job that takes `work`; returns it where it is done at once, which needs no work and an idle CPU.
    #[must_use]
    pub fn submit(&mut self, now: Time, job: J, work: Duration) -> Option<J> {
        if self.running.is_some() {
            self.push((job, work), false);
        } else if work == Duration::ZERO {
            return Some(job);
        } else {
            self.begin(now, (job, work), work);
        }
        None
    }

    /// Ends the running job if it is done at `now`, and begins the next; returns the job and when it began.
    pub fn complete(&mut self, now: Time) -> Option<(J, Time)> {
        if self.done() > now {
            return None;
        }
        let ((job, _), began) = self.finish(now);
        if let Some((next, work)) = self.take() {
            self.begin(now, (next, work), work);
        }
        Some((job, began))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    fn idle<J>() -> Cpu<J> {
        Cpu::new(TimerInterrupts::default())
    }

    #[test]
    fn work_ends_later_by_each_timer_interrupt_it_meets() {
        let span = Duration::from_micros;
        let timer = TimerInterrupts { first: at(1000), interval: span(10_000), cost: span(100) };
        assert_eq!(timer.done(at(0), span(900)), at(900), "none");
        assert_eq!(timer.done(at(0), span(2000)), at(2100), "one");
        assert_eq!(timer.done(at(5000), span(15_950)), at(21_150), "the second falls into what the first added");
        assert_eq!(timer.done(at(1040), span(10)), at(1110), "begun while one is in service");
        assert_eq!(TimerInterrupts::default().done(at(7), span(5)), at(12));
    }

    #[test]
    fn jobs_run_in_order_of_arrival_and_low_priority_jobs_last() {
        let mut cpu = idle();
        cpu.push(1, true);
        cpu.push(2, false);
        cpu.push(3, false);
        cpu.push_front(4);
        let order: Vec<u32> = std::iter::from_fn(|| cpu.take()).collect();
        assert_eq!(order, [4, 2, 3, 1]);
    }

    #[test]
    fn busy_time_counts_from_the_end_of_the_warm_up() {
        let mut cpu = idle();
        let done = cpu.begin(at(0), (), Duration::from_micros(50));
        cpu.end_warm_up(at(20));
        assert_eq!(cpu.busy(at(30)), Duration::from_micros(10));
        cpu.finish(done);
        assert_eq!(cpu.busy(at(90)), Duration::from_micros(30));
    }

    #[test]
    fn a_job_begins_when_the_one_before_is_done() {
        let span = Duration::from_micros;
        let mut cpu = idle();
        assert_eq!(cpu.submit(at(0), "first", span(10)), None);
        assert_eq!(cpu.submit(at(4), "second", span(5)), None);
        assert_eq!(cpu.submit(at(5), "free", Duration::ZERO), None, "it waits for those before it");
        assert_eq!((cpu.done(), cpu.complete(at(9))), (at(10), None));
        assert_eq!(cpu.complete(at(10)), Some(("first", at(0))));
        assert_eq!(cpu.complete(at(15)), Some(("second", at(10))));
        assert_eq!(cpu.complete(at(15)), Some(("free", at(15))));
        assert_eq!(cpu.done(), Time::NEVER);
        assert_eq!(cpu.submit(at(20), "at once", Duration::ZERO), Some("at once"));
    }
}
