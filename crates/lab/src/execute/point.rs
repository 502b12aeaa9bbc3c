//! A point being computed: which replications it needs next, and when they are enough.

use std::sync::{Mutex, MutexGuard};

use sojourn_core::Duration;
use sojourn_engine::stopping::Decision;
use sojourn_metrics::record::Record;
use sojourn_networks::Replication;

use super::{PointResult, PointSpec, Settings, Stage, WorkItem};
use crate::cache::Key;
use crate::fault;
use crate::warm_up;

/// A point being computed.
pub struct Point<'a> {
    pub work: &'a PointSpec,
    pub settings: &'a Settings<'a>,
    position: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    warm_up: Duration,
    /// By replication; a failed one is its message.
    results: Vec<Option<Result<Record, String>>>,
    /// Replications of this round that have not ended.
    pending: u32,
    finished: Option<PointResult>,
}

/// How a replication ended.
pub enum End {
    Done(Record),
    Failed(String),
    Cancelled,
}

impl<'a> Point<'a> {
    pub fn new(position: usize, work: &'a PointSpec, settings: &'a Settings<'a>) -> Self {
        Point { work, settings, position, state: Mutex::new(State::default()) }
    }

    /// Replications of the first round.
    pub fn first_round(&self) -> u32 {
        self.work.part.as_ref().map_or_else(|| self.wanted(), |part| part.len() as u32)
    }

    /// The first replications to compute.
    pub fn begin(&self) -> Vec<WorkItem> {
        match self.work.warm_up {
            Some(warm_up) => self.begin_replications(warm_up),
            None => self.begin_pilots(0),
        }
    }

    /// Keeps what a replication gave; the replications to compute next, once it was the last of its round.
    pub fn ended(&self, item: WorkItem, result: Result<Record, String>) -> Vec<WorkItem> {
        let observed = matches!(item.stage, Stage::Observed { .. });
        // the cache keeps a shard's records: nothing here merges them
        let result = if self.work.part.is_some() && observed { result.map(|_| Record::default()) } else { result };
        let Some(results) = self.keep(item.index, result) else { return Vec::new() };
        let all: Result<Vec<Record>, String> = results.into_iter().collect();
        match (all, item.stage) {
            (Err(message), _) => self.fail(message),
            (Ok(pilots), Stage::Pilot { doublings }) => self.end_pilots(&pilots, doublings),
            (Ok(records), Stage::Observed { .. }) => self.end_round(records),
        }
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
            ..key.replication(&tracker.cancelled)
        };
        let result = fault::catch(|| self.work.model.replicate(replication));
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
        let (warm_up, duration, traces) = match item.stage {
            Stage::Pilot { doublings } => (Duration::ZERO, self.work.duration.times(1 << doublings), true),
            Stage::Observed { warm_up } => (warm_up, self.work.duration, self.settings.traces && item.index == 0),
        };
        Key {
            identity: self.settings.identity,
            scenario: &self.work.scenario,
            seed: self.work.seed,
            replication: item.index,
            warm_up_ps: warm_up.picoseconds(),
            duration_ps: duration.picoseconds(),
            traces,
        }
    }

    /// What the point gave; `None` when it was cancelled.
    pub fn finished(self) -> Option<PointResult> {
        self.state.into_inner().expect("no thread panics while it holds a point").finished
    }

    fn captures(&self, item: WorkItem) -> bool {
        self.settings.capture.is_some() && item.index == 0 && matches!(item.stage, Stage::Observed { .. })
    }

    /// Replications that the rule wants before it has seen any.
    fn wanted(&self) -> u32 {
        match self.work.rule.next(&[]) {
            Decision::RunUntil(first) => first,
            Decision::Enough { .. } | Decision::CapReached { .. } => 0,
        }
    }

    /// The pilots that show the warm-up, twice as long after each doubling.
    fn begin_pilots(&self, doublings: u32) -> Vec<WorkItem> {
        let pilots = self.wanted().clamp(*warm_up::PILOTS.start(), *warm_up::PILOTS.end());
        self.settings.tracker.expect_replications(pilots);
        let mut state = self.state();
        state.results.resize_with(pilots as usize, || None);
        state.pending = pilots;
        self.items(0..pilots, Stage::Pilot { doublings })
    }

    /// Takes the warm-up from the pilots, or doubles them where they are too short.
    fn end_pilots(&self, pilots: &[Record], doublings: u32) -> Vec<WorkItem> {
        let length = self.work.duration.times(1 << doublings);
        if let Some(warm_up) = warm_up::from_pilots(pilots, &self.work.probe, length) {
            return self.begin_replications(warm_up);
        }
        if doublings < warm_up::DOUBLINGS {
            return self.begin_pilots(doublings + 1);
        }
        let probe = &self.work.probe;
        let sampled = pilots.iter().any(|pilot| pilot.traces.get(probe).is_some_and(|trace| !trace.is_empty()));
        self.fail(if sampled {
            format!(
                "no steady state in {length}: {probe} kept changing, so the warm-up cannot be determined; lower the load, \
                 lengthen run.duration or give run.warm_up"
            )
        } else {
            format!("no {probe} was sampled in {length}, by which the warm-up is determined: give run.warm_up")
        })
    }

    fn begin_replications(&self, warm_up: Duration) -> Vec<WorkItem> {
        self.state().warm_up = warm_up;
        match self.wanted() {
            0 => self.finish(Vec::new(), None),
            first => self.begin_round(first),
        }
    }

    /// The replications up to `until`, of those the shard's.
    fn begin_round(&self, until: u32) -> Vec<WorkItem> {
        let mut state = self.state();
        let first = state.results.len() as u32;
        state.results.resize_with(until as usize, || None);
        let round = self.work.part.clone().unwrap_or(first..until);
        state.pending = round.len() as u32;
        self.items(round, Stage::Observed { warm_up: state.warm_up })
    }

    fn items(&self, round: std::ops::Range<u32>, stage: Stage) -> Vec<WorkItem> {
        round.map(|index| WorkItem { point: self.position, index, stage }).collect()
    }

    /// Keeps what a replication of this round gave; the results of all once it was the last.
    fn keep(&self, index: u32, result: Result<Record, String>) -> Option<Vec<Result<Record, String>>> {
        let mut state = self.state();
        state.results[index as usize] = Some(result);
        state.pending -= 1;
        (state.pending == 0).then(|| std::mem::take(&mut state.results).into_iter().flatten().collect())
    }

    fn end_round(&self, records: Vec<Record>) -> Vec<WorkItem> {
        if self.work.part.is_some() {
            return self.finish(Vec::new(), None);
        }
        match self.work.rule.next(&records) {
            Decision::RunUntil(until) => {
                self.settings.tracker.expect_replications(until - records.len() as u32);
                self.state().results = records.into_iter().map(|record| Some(Ok(record))).collect();
                self.begin_round(until)
            }
            Decision::Enough { .. } => self.finish(records, None),
            Decision::CapReached { reached } => {
                let reached = reached.map_or("no interval".to_owned(), |width| format!("{:.2} %", 100.0 * width));
                let warning = format!("stopped at the cap of {} replications with {reached}", records.len());
                self.finish(records, Some(warning))
            }
        }
    }

    fn finish(&self, records: Vec<Record>, warning: Option<String>) -> Vec<WorkItem> {
        let mut state = self.state();
        state.finished = Some(PointResult { records, warm_up: state.warm_up, failure: None, warning });
        self.settings.tracker.point_done();
        Vec::new()
    }

    fn fail(&self, message: String) -> Vec<WorkItem> {
        let mut state = self.state();
        state.finished = Some(PointResult { warm_up: state.warm_up, failure: Some(message), ..PointResult::default() });
        self.settings.tracker.point_done();
        Vec::new()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds a point")
    }
}

/// Why a replication failed.
pub fn failure(index: u32, message: &str) -> String {
    format!("replication {index}: {message}")
}
