//! What a measurement shares with its watcher: progress, reports, and cancellation.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use serde::Serialize;

use crate::progress::gauge::{Gauge, Snapshot};
use crate::progress::report::Report;
use crate::progress::survey::Survey;

/// Shared by the measuring thread and the watching thread.
#[derive(Debug)]
pub struct Watch {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
    phase: Mutex<Phase>,
    reports: Mutex<ReportQueue>,
    survey: Mutex<Option<Survey>>,
    gauge: Gauge,
}

/// The current phase.
#[derive(Debug)]
struct Phase {
    name: &'static str,
    unit: &'static str,
    began: Instant,
}

/// Reports not yet dropped.
#[derive(Debug, Default)]
struct ReportQueue {
    forgotten: usize,
    reports: VecDeque<Report>,
}

impl ReportQueue {
    fn since(&mut self, from: usize) -> Vec<Report> {
        let known = from.saturating_sub(self.forgotten).min(self.reports.len());
        self.reports.drain(..known);
        self.forgotten += known;
        self.reports.iter().cloned().collect()
    }
}

/// The progress at one time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// The current phase: `"transfer"`, `"exchanges"`, `"listening"`.
    pub phase: &'static str,
    /// Units of work done: requests, octets or frames.
    pub done: u64,
    /// Units in total; 0 if unknown.
    pub total: u64,
    /// The unit: bytes (`"B"`) or items (`"1"`).
    pub unit: &'static str,
    /// Units per second since this phase began; null before the first unit.
    pub rate: Option<f64>,
    /// Seconds remaining at that rate; null if unknown.
    pub left_s: Option<f64>,
}

impl Default for Watch {
    fn default() -> Self {
        Watch::new()
    }
}

impl Watch {
    /// A watch with no progress.
    pub fn new() -> Watch {
        Watch {
            cancelled: AtomicBool::new(false),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            phase: Mutex::new(Phase { name: "opening", unit: "1", began: Instant::now() }),
            reports: Mutex::new(ReportQueue::default()),
            survey: Mutex::new(None),
            gauge: Gauge::default(),
        }
    }

    /// Cancels the measurement at its next check.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Begins a phase of `total` units, bytes (`"B"`) or items (`"1"`).
    pub fn begin(&self, name: &'static str, unit: &'static str, total: u64) {
        *self.phase.lock().expect("no thread panics while it holds the phase") =
            Phase { name, unit, began: Instant::now() };
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    /// Sets the units done in this phase.
    pub fn set_done(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
    }

    /// Adds to the units done in this phase.
    pub fn add_done(&self, more: u64) {
        self.done.fetch_add(more, Ordering::Relaxed);
    }

    /// Adds a report for the user interface.
    pub fn report(&self, report: Report) {
        self.reports.lock().expect("no thread panics while it holds the reports").reports.push_back(report);
    }

    /// The reports from number `from` on. Earlier ones are dropped: the watcher has them, and an agent may run for months.
    pub fn reports(&self, from: usize) -> Vec<Report> {
        self.reports.lock().expect("no thread panics while it holds the reports").since(from)
    }

    /// Replaces the statistics of a medium that is listened to.
    pub fn show(&self, survey: Survey) {
        *self.survey.lock().expect("no thread panics while it holds the survey") = Some(survey);
    }

    /// Statistics of the medium, if one is listened to.
    pub fn survey(&self) -> Option<Survey> {
        self.survey.lock().expect("no thread panics while it holds the survey").clone()
    }

    /// Where a timed test records its progress.
    pub fn gauge(&self) -> &Gauge {
        &self.gauge
    }

    /// Snapshot of a timed test, once it has begun.
    pub fn standing(&self) -> Option<Snapshot> {
        self.gauge.standing()
    }

    /// Progress, reports and gauge as of now.
    pub fn look(&self) -> Progress {
        let phase = self.phase.lock().expect("no thread panics while it holds the phase");
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let elapsed = phase.began.elapsed().as_secs_f64();
        let rate = (done > 0 && elapsed > 0.0).then(|| done as f64 / elapsed);
        let left_s = rate.filter(|_| total > 0).map(|rate| total.saturating_sub(done) as f64 / rate);
        Progress { phase: phase.name, done, total, unit: phase.unit, rate, left_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_time_left_are_unknown_before_the_first_byte_and_known_after() {
        let watch = Watch::new();
        watch.begin("transfer", "B", 1000);
        assert_eq!((watch.look().rate, watch.look().left_s), (None, None));
        watch.add_done(250);
        let look = watch.look();
        assert_eq!((look.done, look.total, look.unit), (250, 1000, "B"));
        let (rate, left) = (look.rate.unwrap(), look.left_s.unwrap());
        assert!((left - 750.0 / rate).abs() < 1e-9 * left);
    }

    #[test]
    fn reports_are_kept_until_later_ones_are_requested() {
        let watch = Watch::new();
        ["first", "second", "third"].into_iter().for_each(|text| watch.report(Report::note(text.to_owned())));
        let messages = |from| watch.reports(from).into_iter().map(|report| report.ended).collect::<Vec<_>>();
        assert_eq!(messages(0), ["first", "second", "third"]);
        assert_eq!(messages(2), ["third"]);
        assert_eq!(messages(0), ["third"], "the others are dropped");
        watch.report(Report::note("fourth".to_owned()));
        assert_eq!(messages(3), ["fourth"]);
        assert_eq!(messages(9), [""; 0]);
    }

    #[test]
    fn a_phase_of_unknown_length_has_a_rate_but_no_end() {
        let watch = Watch::new();
        watch.begin("listening", "B", 0);
        watch.add_done(10);
        assert!(watch.look().rate.is_some());
        assert_eq!(watch.look().left_s, None);
    }
}
