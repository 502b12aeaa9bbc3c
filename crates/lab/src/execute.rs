//! Threads that share replications. What a point gives depends on its own replications, in their order, and
//! on nothing else: neither on the number of threads nor on which replication ended first.

use std::sync::{Arc, Mutex};

use rayon::{ScopeFifo, ThreadPoolBuilder};
use sojourn_core::Duration;
use sojourn_engine::stopping::{Decision, StoppingRule};
use sojourn_metrics::record::Record;
use sojourn_networks::{Model, Replication};

use crate::cache::{Cache, Key};
use crate::fault;
use crate::pcap::Capture;
use crate::progress::Tracker;
use crate::warm_up;

/// One point to run.
#[derive(Clone)]
pub struct PointSpec {
    /// The scenario as a simulation.
    pub model: Arc<dyn Model>,
    /// Fingerprint of the scenario without seed and number of replications.
    pub scenario: String,
    /// Seed of the random streams.
    pub seed: u64,
    /// How long to observe.
    pub duration: Duration,
    /// What to drop before; found by pilot runs when absent.
    pub warm_up: Option<Duration>,
    /// How many replications are enough.
    pub rule: StoppingRule,
    /// The metric whose samples show when the model has reached steady state.
    pub probe: String,
}

/// How to run it.
pub struct Settings<'a> {
    /// Fingerprint of the build, [`Build::identity`](crate::request::Build::identity).
    pub identity: &'a str,
    /// Threads; all when absent.
    pub jobs: Option<usize>,
    /// Whether the first replication of each point keeps its traces.
    pub traces: bool,
    /// Takes the frames of the first replication.
    pub capture: Option<&'a Mutex<Capture>>,
    /// Cache of finished replications.
    pub cache: &'a Cache,
    /// Counters, and the order to stop.
    pub tracker: &'a Tracker,
}

/// What a point gave.
#[derive(Clone, Debug, Default)]
pub struct PointResult {
    /// Replications in their order; empty when the point failed.
    pub records: Vec<Record>,
    /// Length of the warm-up used.
    pub warm_up: Duration,
    /// Why the point failed.
    pub failure: Option<String>,
    /// What a reader of the numbers should know.
    pub warning: Option<String>,
}

/// Runs all of `work`; a point that was cancelled is `None`.
pub fn execute(work: &[PointSpec], settings: &Settings<'_>) -> Vec<Option<PointResult>> {
    let points: Vec<Point<'_>> = work.iter().map(|work| Point::new(work, settings)).collect();
    settings.tracker.expect_points(points.len());
    for point in &points {
        settings.tracker.expect_replications(point.first_round());
    }
    let threads = settings.jobs.unwrap_or(0); // 0 lets the library count the processors
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("the system lends threads");
    pool.scope_fifo(|scope| points.iter().for_each(|point| point.begin(scope)));
    points.into_iter().map(Point::finished).collect()
}

/// A point being computed.
struct Point<'a> {
    work: &'a PointSpec,
    settings: &'a Settings<'a>,
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
enum End {
    Done(Record),
    Failed(String),
    Cancelled,
}

impl<'a> Point<'a> {
    fn new(work: &'a PointSpec, settings: &'a Settings<'a>) -> Self {
        Point { work, settings, state: Mutex::new(State::default()) }
    }

    fn first_round(&self) -> u32 {
        match self.work.rule.next(&[]) {
            Decision::RunUntil(first) => first,
            Decision::Enough { .. } | Decision::CapReached { .. } => 0,
        }
    }

    fn begin<'scope>(&'scope self, scope: &ScopeFifo<'scope>) {
        match self.work.warm_up {
            Some(warm_up) => self.begin_replications(warm_up, scope),
            None => self.begin_pilots(0, scope),
        }
    }

    /// Spawns the pilots that show the warm-up, twice as long after each doubling.
    fn begin_pilots<'scope>(&'scope self, doublings: u32, scope: &ScopeFifo<'scope>) {
        let pilots = self.first_round().clamp(*warm_up::PILOTS.start(), *warm_up::PILOTS.end());
        self.settings.tracker.expect_replications(pilots);
        let mut state = self.state();
        state.results.resize_with(pilots as usize, || None);
        state.pending = pilots;
        drop(state);
        for index in 0..pilots {
            scope.spawn_fifo(move |scope| self.pilot(index, doublings, scope));
        }
    }

    fn pilot<'scope>(&'scope self, index: u32, doublings: u32, scope: &ScopeFifo<'scope>) {
        let duration = self.work.duration.times(1 << doublings);
        let result = match self.replicate(index, Duration::ZERO, duration, true, None) {
            End::Done(record) => Ok(record),
            End::Failed(message) => Err(message),
            End::Cancelled => return,
        };
        if let Some(results) = self.keep(index, result) {
            self.end_pilots(results, doublings, scope);
        }
    }

    /// Takes the warm-up from the pilots, or doubles them where they are too short.
    fn end_pilots<'scope>(
        &'scope self,
        results: Vec<Result<Record, String>>,
        doublings: u32,
        scope: &ScopeFifo<'scope>,
    ) {
        let pilots = match results.into_iter().collect::<Result<Vec<Record>, String>>() {
            Ok(pilots) => pilots,
            Err(message) => return self.fail(message),
        };
        let length = self.work.duration.times(1 << doublings);
        if let Some(warm_up) = warm_up::from_pilots(&pilots, &self.work.probe, length) {
            return self.begin_replications(warm_up, scope);
        }
        if doublings < warm_up::DOUBLINGS {
            return self.begin_pilots(doublings + 1, scope);
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
        });
    }

    /// Keeps what a replication of this round gave; the results of all once it was the last.
    fn keep(&self, index: u32, result: Result<Record, String>) -> Option<Vec<Result<Record, String>>> {
        let mut state = self.state();
        state.results[index as usize] = Some(result);
        state.pending -= 1;
        (state.pending == 0).then(|| std::mem::take(&mut state.results).into_iter().flatten().collect())
    }

    fn begin_replications<'scope>(&'scope self, warm_up: Duration, scope: &ScopeFifo<'scope>) {
        self.state().warm_up = warm_up;
        match self.first_round() {
            0 => self.finish(Vec::new(), None),
            first => self.begin_round(first, scope),
        }
    }

    /// Spawns the replications up to `until`.
    fn begin_round<'scope>(&'scope self, until: u32, scope: &ScopeFifo<'scope>) {
        let mut state = self.state();
        let first = state.results.len() as u32;
        state.results.resize_with(until as usize, || None);
        state.pending = until - first;
        drop(state);
        for index in first..until {
            scope.spawn_fifo(move |scope| self.run(index, scope));
        }
    }

    fn run<'scope>(&'scope self, index: u32, scope: &ScopeFifo<'scope>) {
        let warm_up = self.state().warm_up;
        let traces = self.settings.traces && index == 0;
        let capture = self.settings.capture.filter(|_| index == 0);
        let result = match self.replicate(index, warm_up, self.work.duration, traces, capture) {
            End::Done(record) => Ok(record),
            End::Failed(message) => Err(message),
            End::Cancelled => return,
        };
        if let Some(results) = self.keep(index, result) {
            self.end_round(results, scope);
        }
    }

    fn end_round<'scope>(&'scope self, results: Vec<Result<Record, String>>, scope: &ScopeFifo<'scope>) {
        let all: Result<Vec<Record>, String> = results.into_iter().collect();
        let records = match all {
            Ok(records) => records,
            Err(message) => return self.fail(message),
        };
        match self.work.rule.next(&records) {
            Decision::RunUntil(until) => {
                self.settings.tracker.expect_replications(until - records.len() as u32);
                self.state().results = records.into_iter().map(|record| Some(Ok(record))).collect();
                self.begin_round(until, scope);
            }
            Decision::Enough { .. } => self.finish(records, None),
            Decision::CapReached { reached } => {
                let reached = reached.map_or("no interval".to_owned(), |width| format!("{:.2} %", 100.0 * width));
                let warning = format!("stopped at the cap of {} replications with {reached}", records.len());
                self.finish(records, Some(warning));
            }
        }
    }

    fn finish(&self, records: Vec<Record>, warning: Option<String>) {
        let mut state = self.state();
        state.finished = Some(PointResult { records, warm_up: state.warm_up, failure: None, warning });
        self.settings.tracker.point_done();
    }

    fn fail(&self, message: String) {
        let mut state = self.state();
        state.finished = Some(PointResult { warm_up: state.warm_up, failure: Some(message), ..PointResult::default() });
        self.settings.tracker.point_done();
    }

    fn finished(self) -> Option<PointResult> {
        self.state.into_inner().expect("no thread panics while it holds a point").finished
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds a point")
    }

    /// One replication, from the cache if it is there and no capture wants its frames.
    fn replicate(
        &self,
        index: u32,
        warm_up: Duration,
        duration: Duration,
        traces: bool,
        capture: Option<&Mutex<Capture>>,
    ) -> End {
        let Settings { identity, cache, tracker, .. } = self.settings;
        if tracker.is_cancelled() {
            return End::Cancelled;
        }
        let key = Key {
            identity,
            scenario: &self.work.scenario,
            seed: self.work.seed,
            replication: index,
            warm_up_ps: warm_up.picoseconds(),
            duration_ps: duration.picoseconds(),
            traces,
        };
        if let Some(record) = cache.load(&key).filter(|_| capture.is_none()) {
            tracker.replication_done(true);
            return End::Done(record);
        }
        let mut sink = capture.map(|capture| capture.lock().expect("one replication writes the capture"));
        let replication = Replication {
            seed: self.work.seed,
            index,
            warm_up,
            duration,
            traces,
            capture: sink.as_deref_mut().map(|capture| capture as _),
            cancelled: &tracker.cancelled,
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
            Err(message) => End::Failed(format!("replication {index}: {message}")),
        }
    }
}

#[cfg(test)]
mod tests;
