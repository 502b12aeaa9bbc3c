//! Serial servers (a processor, a bus, a link): one job at a time, first come, first served.

use sojourn_core::{Duration, Time};

/// A first-come-first-served server as one number: when it will be free (Lindley's recursion).
///
/// Exact without an event per job, as long as jobs are handed over in the order of their arrival.
#[derive(Clone, Copy, Debug, Default)]
pub struct Server {
    free_at: Time,
    observed_from: Time,
    /// Work handed over whose service falls after `observed_from`.
    work: Duration,
}

impl Server {
    /// An idle server whose utilisation counts from `warm_up` on.
    pub fn new(warm_up: Time) -> Self {
        Server { free_at: Time::ZERO, observed_from: warm_up, work: Duration::ZERO }
    }

    /// Hands a job of length `work` over at `now`; returns when it is done.
    #[inline]
    pub fn serve(&mut self, now: Time, work: Duration) -> Time {
        let begin = self.free_at.max(now);
        self.free_at = begin + work;
        self.work += self.free_at.since(begin.max(self.observed_from));
        self.free_at
    }

    /// The work that is not done by `now` is lost; it counts as never handed over.
    pub fn clear(&mut self, now: Time) {
        self.work = self.work.saturating_sub(self.free_at.since(now.max(self.observed_from)));
        self.free_at = self.free_at.min(now);
    }

    /// How long a job handed over at `now` would wait.
    #[inline]
    pub fn backlog(&self, now: Time) -> Duration {
        self.free_at.since(now)
    }

    /// Whether a job handed over at `now` would begin at once.
    #[inline]
    pub fn is_idle(&self, now: Time) -> bool {
        self.free_at <= now
    }

    /// When all work handed over so far is done.
    #[inline]
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// The work handed over from the warm-up to `now` as a share of that time, of a server with so much left to do when it began; 0
    /// when no time has passed.
    pub fn demand(&self, now: Time, before: Duration) -> f64 {
        let span = now.since(self.observed_from);
        if span == Duration::ZERO { 0.0 } else { self.work.saturating_sub(before).seconds() / span.seconds() }
    }

    /// Share of the time from the warm-up to `now` that the server was busy; 0 when no time has passed.
    pub fn utilisation(&self, now: Time) -> f64 {
        let span = now.since(self.observed_from);
        if span == Duration::ZERO {
            return 0.0;
        }
        let ahead = self.free_at.since(now.max(self.observed_from));
        self.work.saturating_sub(ahead).seconds() / span.seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_job_begins_when_the_one_before_is_done() {
        let mut server = Server::default();
        let work = Duration::from_millis(10);
        assert_eq!(server.serve(at(0), work), at(10));
        assert_eq!(server.serve(at(4), work), at(20));
        assert_eq!(server.backlog(at(5)), Duration::from_millis(15));
        assert_eq!(server.serve(at(50), work), at(60));
        assert!(server.is_idle(at(60)) && !server.is_idle(at(59)));
    }

    #[test]
    fn work_that_is_lost_counts_as_far_as_it_was_done() {
        let mut server = Server::new(at(100));
        server.serve(at(150), Duration::from_millis(40));
        server.clear(at(160));
        assert!(server.is_idle(at(160)));
        assert!((server.utilisation(at(200)) - 0.1).abs() < 1e-12);
        server.clear(at(170));
        assert!((server.utilisation(at(200)) - 0.1).abs() < 1e-12, "what is done stays");
    }

    #[test]
    fn utilisation_counts_busy_time_after_the_warm_up_and_before_now() {
        let mut server = Server::new(at(100));
        server.serve(at(95), Duration::from_millis(10));
        server.serve(at(150), Duration::from_millis(20));
        server.serve(at(190), Duration::from_millis(50));
        // 5 ms of the first, all of the second, 10 ms of the third
        assert!((server.utilisation(at(200)) - 0.35).abs() < 1e-12);
        assert_eq!(Server::new(at(100)).utilisation(at(100)), 0.0);
    }
}
