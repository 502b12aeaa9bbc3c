//! Progress of a job: written by the working threads, read by the watcher.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use serde::Serialize;
use sojourn_engine::stopping::RateSoFar;

use crate::live::watch::{self, Watch};
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
    step: Mutex<Step>,
    running: Mutex<Option<Running>>,
    live: Arc<Watch>,
}

/// The current step: what is counted from its beginning.
#[derive(Debug, Default)]
struct Step {
    note: String,
    begun_s: f64,
    /// Replications that had been computed, and all that had finished.
    before: [u64; 2],
    rate: Option<RateSoFar>,
}

/// How far the estimate of a rare event is. Rates are per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RateProgress {
    /// The rate so far; null where it did not occur.
    pub rate: Option<f64>,
    /// Its interval; null where there is no upper end.
    pub interval: (f64, Option<f64>),
    /// Seconds left by what the interval shows; null before the first replication of the step.
    pub left_s: Option<f64>,
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
    /// The estimate of a rare event so far, in a step that makes one.
    pub rate: Option<RateProgress>,
    /// Progress of a live job.
    pub live: watch::Progress,
    /// Statistics of a monitored radio channel so far.
    pub survey: Option<watch::Survey>,
    /// State of a timed test.
    pub standing: Option<watch::Snapshot>,
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
            step: Mutex::new(Step::default()),
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

    /// This many replications began with another, and were not simulated from their start.
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

    /// Begins a step, described by a text.
    pub fn note(&self, note: String) {
        let step = Step { note, begun_s: self.elapsed_s(), before: self.counts(), rate: None };
        *self.step() = step;
    }

    /// Sets what the current step shows of the rate of a rare event.
    pub fn rate(&self, rate: RateSoFar) {
        self.step().rate = Some(rate);
    }

    fn step(&self) -> MutexGuard<'_, Step> {
        self.step.lock().expect("no thread panics while it holds a step")
    }

    /// Replications computed, and all that finished.
    fn counts(&self) -> [u64; 2] {
        let finished = self.replications_done.load(Ordering::Relaxed);
        [finished.saturating_sub(self.from_cache.load(Ordering::Relaxed)), finished]
    }

    fn rate_progress(&self, step: &Step) -> Option<RateProgress> {
        let RateSoFar { rate, interval: [low, high], expected } = step.rate?;
        let [computed, finished] = self.counts();
        let (computed, finished) = (computed - step.before[0], finished - step.before[1]);
        let each_s = (computed > 0).then(|| (self.elapsed_s() - step.begun_s) / computed as f64);
        let left_s = each_s.map(|each| each * u64::from(expected).saturating_sub(finished) as f64);
        Some(RateProgress { rate, interval: (low, Some(high).filter(|high| high.is_finite())), left_s })
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
        let (elapsed_s, step) = (self.elapsed_s(), self.step());
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
            note: step.note.clone(),
            rate: self.rate_progress(&step),
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
    fn the_time_that_a_rate_takes_counts_from_the_beginning_of_its_step() {
        let tracker = Tracker::new();
        (0..5).for_each(|_| tracker.replication_done(false));
        tracker.note("3 levels".to_owned());
        assert_eq!(tracker.look().rate, None);
        (0..10).for_each(|_| tracker.replication_done(true));
        let so_far = RateSoFar { rate: Some(2.0), interval: [1.0, f64::INFINITY], expected: 30 };
        tracker.rate(so_far);
        let cached = tracker.look().rate.unwrap();
        assert_eq!((cached.rate, cached.interval, cached.left_s), (Some(2.0), (1.0, None), None));
        (0..10).for_each(|_| tracker.replication_done(false));
        let (look, elapsed_s) = (tracker.look().rate.unwrap(), tracker.elapsed_s());
        // ten computed, ten of thirty left
        assert!(look.left_s.is_some_and(|left| left > 0.0 && left <= elapsed_s), "{look:?}");
        tracker.note("the next".to_owned());
        assert_eq!(tracker.look().rate, None);
    }

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
