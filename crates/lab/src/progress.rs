//! How far a job is: counted by the threads that work, read by the one that watches.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde::Serialize;
use sojourn_live::Watch;

use crate::running::Running;

/// Counters shared by a job and its watcher.
#[derive(Debug)]
pub struct Tracker {
    /// Set to abandon the job.
    pub cancelled: AtomicBool,
    started: Instant,
    points_done: AtomicU64,
    points_total: AtomicU64,
    replications_done: AtomicU64,
    replications_total: AtomicU64,
    from_cache: AtomicU64,
    begun_with_others: AtomicU64,
    note: Mutex<String>,
    running: Mutex<Option<Running>>,
    live: Arc<Watch>,
}

/// A moment's look at a [`Tracker`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// Points finished so far.
    pub done: u64,
    /// Points known so far; a search learns of them as it goes.
    pub total: u64,
    /// Replications finished so far.
    pub replications_done: u64,
    /// Replications known so far; `--precision` adds to them.
    pub replications_total: u64,
    /// Of the finished ones, those read from the cache.
    pub from_cache: u64,
    /// Of the finished ones, those whose beginning was simulated with another's.
    pub begun_with_others: u64,
    /// Seconds since the job began.
    pub elapsed_s: f64,
    /// Replications computed per second so far; null before the first.
    pub replications_per_s: Option<f64>,
    /// Seconds left at that rate; null before the first.
    pub left_s: Option<f64>,
    /// Text that describes the current step.
    pub note: String,
    /// Progress of a live job.
    pub live: sojourn_live::Progress,
    /// Statistics of a monitored radio channel so far.
    pub survey: Option<sojourn_live::ChannelStats>,
    /// State of a timed test.
    pub standing: Option<sojourn_live::Snapshot>,
    /// State of a capture that is read from a pipe.
    pub capture: Option<Running>,
}

impl Tracker {
    /// A job that begins now.
    pub fn new() -> Tracker {
        Tracker {
            cancelled: AtomicBool::new(false),
            started: Instant::now(),
            points_done: AtomicU64::new(0),
            points_total: AtomicU64::new(0),
            replications_done: AtomicU64::new(0),
            replications_total: AtomicU64::new(0),
            from_cache: AtomicU64::new(0),
            begun_with_others: AtomicU64::new(0),
            note: Mutex::new(String::new()),
            running: Mutex::new(None),
            live: Arc::new(Watch::new()),
        }
    }

    /// Whether the job was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// More points are known of.
    pub fn expect_points(&self, points: usize) {
        self.points_total.fetch_add(points as u64, Ordering::Relaxed);
    }

    /// More replications are known of.
    pub fn expect_replications(&self, replications: u32) {
        self.replications_total.fetch_add(u64::from(replications), Ordering::Relaxed);
    }

    /// One replication is finished.
    pub fn replication_done(&self, from_cache: bool) {
        self.replications_done.fetch_add(1, Ordering::Relaxed);
        self.from_cache.fetch_add(u64::from(from_cache), Ordering::Relaxed);
    }

    /// So many replications began with another, and were not simulated from their start.
    pub fn began_with_others(&self, replications: u64) {
        self.begun_with_others.fetch_add(replications, Ordering::Relaxed);
    }

    /// One point is finished.
    pub fn point_done(&self) {
        self.points_done.fetch_add(1, Ordering::Relaxed);
    }

    /// What is shared with a measurement of a real network.
    pub fn live(&self) -> &Arc<Watch> {
        &self.live
    }

    /// Sets the text that describes the current step.
    pub fn note(&self, note: String) {
        *self.note.lock().expect("no thread panics while it holds a note") = note;
    }

    /// Sets the state of a capture that is read from a pipe.
    pub fn set_running(&self, running: Running) {
        *self.running.lock().expect("no thread panics while it holds a state") = Some(running);
    }

    /// Seconds since the job began.
    pub fn elapsed_s(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// A look at the counters.
    pub fn look(&self) -> Progress {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (finished, expected, cached) =
            (load(&self.replications_done), load(&self.replications_total), load(&self.from_cache));
        let elapsed_s = self.elapsed_s();
        let computed = finished.saturating_sub(cached);
        let rate = (computed > 0 && elapsed_s > 0.0).then(|| computed as f64 / elapsed_s);
        Progress {
            done: load(&self.points_done),
            total: load(&self.points_total),
            replications_done: finished,
            replications_total: expected.max(finished),
            from_cache: cached,
            begun_with_others: load(&self.begun_with_others),
            elapsed_s,
            replications_per_s: rate,
            left_s: rate.map(|rate| expected.saturating_sub(finished) as f64 / rate),
            note: self.note.lock().expect("no thread panics while it holds a note").clone(),
            live: self.live.look(),
            survey: self.live.survey(),
            standing: self.live.standing(),
            capture: self.running.lock().expect("no thread panics while it holds a state").clone(),
        }
    }
}

impl Default for Tracker {
    fn default() -> Self {
        Tracker::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_counts_only_what_was_computed_and_is_unknown_before() {
        let tracker = Tracker::new();
        tracker.expect_points(2);
        tracker.expect_replications(10);
        tracker.replication_done(true);
        assert_eq!(tracker.look().left_s, None);
        tracker.replication_done(false);
        let look = tracker.look();
        assert_eq!((look.replications_done, look.from_cache, look.total), (2, 1, 2));
        assert!(look.left_s.is_some_and(|left| left > 0.0));
    }
}
