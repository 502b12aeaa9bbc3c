//! A point computed by several threads: its rounds of replications, the cache, and progress counters.

use std::sync::{Mutex, MutexGuard};

use sojourn_experiment::entry::Key;
use sojourn_experiment::rounds::{PointResult, PointSpec, Rounds, Stage, WorkItem, failure};
use sojourn_metrics::record::Record;
use sojourn_model::Replication;

use super::Settings;
use super::copies::OfPool;
use crate::fault;

/// A point being computed.
pub struct OpenPoint<'a> {
    pub work: &'a PointSpec,
    pub settings: &'a Settings<'a>,
    rounds: Mutex<Rounds>,
}

/// How a replication ended.
pub enum End {
    Done(Record),
    Failed(String),
    Cancelled,
}

/// Replications of one number, of one point or of points that begin alike: each from the cache, or computed.
pub fn compute(points: &[OpenPoint<'_>], items: Vec<WorkItem>) -> Vec<(WorkItem, End)> {
    let (mut ends, mut missing) = (Vec::new(), Vec::new());
    for item in items {
        match points[item.point].cached(item) {
            Some(record) => ends.push((item, End::Done(record))),
            None => missing.push(item),
        }
    }
    match computed_together(points, &missing) {
        Some(records) => ends.extend(missing.into_iter().zip(records.into_iter().map(End::Done))),
        None => ends.extend(missing.into_iter().map(|item| (item, points[item.point].compute(item)))),
    }
    ends
}

/// The records of replications that begin alike; `None` where each is to be computed by itself, as where one of them fails.
fn computed_together(points: &[OpenPoint<'_>], items: &[WorkItem]) -> Option<Vec<Record>> {
    let [first, _, ..] = items else { return None };
    let OpenPoint { work, settings: Settings { cache, tracker, .. }, .. } = &points[first.point];
    if tracker.is_cancelled() || items.iter().any(|item| points[item.point].captures(*item)) {
        return None;
    }
    let numbers: Option<Vec<usize>> =
        items.iter().map(|item| Some(points[item.point].work.beginning.as_ref()?.number)).collect();
    let (model, numbers) = (&work.beginning.as_ref()?.model, numbers?);
    let replication = points[first.point].key(*first).replication(&tracker.cancelled);
    let records = fault::catch(|| model.replicate(&replication, &numbers)).ok().filter(|_| !tracker.is_cancelled())?;
    for (item, record) in items.iter().zip(&records) {
        tracker.replication_done(false);
        cache.store(&points[item.point].key(*item), record);
    }
    tracker.began_with_others(items.len() as u64 - 1);
    Some(records)
}

impl<'a> OpenPoint<'a> {
    pub fn new(position: usize, work: &'a PointSpec, settings: &'a Settings<'a>) -> Self {
        OpenPoint { work, settings, rounds: Mutex::new(Rounds::new(position, work.clone())) }
    }

    /// The first replications to compute; the first round of those observed is expected already.
    pub fn begin(&self) -> Vec<WorkItem> {
        let mut rounds = self.rounds();
        let items = rounds.begin();
        self.counted(&rounds, &items, Stage::is_pilot)
    }

    /// Keeps what a replication gave; the replications to compute next, once it was the last of its round.
    pub fn ended(&self, item: WorkItem, result: Result<Record, String>) -> Vec<WorkItem> {
        let mut rounds = self.rounds();
        let items = rounds.ended(item, result);
        self.counted(&rounds, &items, |next| next.is_pilot() || !item.stage.is_pilot())
    }

    /// Counts the replications that were not expected yet, and the point once it is finished.
    fn counted(&self, rounds: &Rounds, items: &[WorkItem], unexpected: impl Fn(&Stage) -> bool) -> Vec<WorkItem> {
        let tracker = self.settings.tracker;
        tracker.expect_replications(items.iter().filter(|item| unexpected(&item.stage)).count() as u32);
        if let Some(rate) = rounds.rate_so_far() {
            tracker.rate(rate);
        }
        if rounds.is_finished() {
            tracker.point_done();
        }
        items.to_vec()
    }

    /// The record of a replication, if the cache has it and no capture wants its frames.
    pub fn cached(&self, item: WorkItem) -> Option<Record> {
        let Settings { cache, tracker, .. } = self.settings;
        if self.captures(item) || tracker.is_cancelled() {
            return None;
        }
        let record = cache.load(&self.key(item))?;
        tracker.replication_done(true);
        Some(record)
    }

    /// Computes a replication and stores its record.
    pub fn compute(&self, item: WorkItem) -> End {
        let Settings { cache, tracker, capture, .. } = self.settings;
        if tracker.is_cancelled() {
            return End::Cancelled;
        }
        let key = self.key(item);
        let capture = capture.filter(|_| self.captures(item));
        let mut sink = capture.map(|capture| capture.lock().expect("one replication writes the capture"));
        let replication = Replication {
            capture: sink.as_deref_mut().map(|capture| capture as _),
            threads: Some(&OfPool),
            ..key.replication(&tracker.cancelled)
        };
        let model = &self.work.model;
        let result = fault::catch(|| model.replicate(replication));
        if tracker.is_cancelled() {
            return End::Cancelled;
        }
        tracker.replication_done(false);
        match result {
            Ok(record) => {
                cache.store(&key, &record);
                End::Done(record)
            }
            Err(message) => End::Failed(failure(item.index, &message)),
        }
    }

    /// All that decides the record of a replication.
    pub fn key(&self, item: WorkItem) -> Key<'_> {
        self.work.key(self.settings.identity, item, self.settings.traces)
    }

    /// What the point gave; `None` when it was cancelled.
    pub fn finished(self) -> Option<PointResult> {
        self.rounds.into_inner().expect("no thread panics while it holds a point").finished()
    }

    fn captures(&self, item: WorkItem) -> bool {
        self.settings.capture.is_some() && item.index == 0 && !item.stage.is_pilot()
    }

    fn rounds(&self) -> MutexGuard<'_, Rounds> {
        self.rounds.lock().expect("no thread panics while it holds a point")
    }
}
