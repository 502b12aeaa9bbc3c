//! The rounds of a point: which replications it needs next, and when there are enough.
//!
//! ```text
//! begin() -> work items -> ended() with the record of each -> further work items, or none -> finished()
//! ```

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_engine::stopping::{Decision, RateSoFar, StoppingRule};
use sojourn_metrics::display::percent;
use sojourn_metrics::record::Record;
use sojourn_metrics::results::Stability;
use sojourn_model::{Drawn, Model, Together};

use crate::deciding::{Deciding, Look, Stop};
use crate::entry::{Key, decode};
use crate::stability;
use crate::warm_up;

/// The points that a point begins with.
#[derive(Clone)]
pub struct Beginning {
    /// All of them as one model.
    pub model: Arc<dyn Together>,
    /// Which of them the point is.
    pub number: usize,
}

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
    /// Whether means are corrected by control variates.
    pub control_variates: bool,
    /// What is to be decided, where replications are added to a fixed number until it is.
    pub deciding: Option<Deciding>,
    /// The points of a plan that begin as this one does.
    pub beginning: Option<Beginning>,
    /// The replications that are computed; all when absent.
    pub part: Option<Part>,
}

/// Consecutive replications of a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which they are.
    pub replications: Range<u32>,
    /// Whether the point gives their records, which follow others that are known; those of a shard are kept in the cache alone.
    pub is_continued: bool,
}

impl PointSpec {
    /// All that decides the record of a replication; `traces` is whether the first one keeps its traces.
    pub fn key<'a>(&'a self, identity: &'a str, item: WorkItem, traces: bool) -> Key<'a> {
        let (warm_up, duration, traces) = match item.stage {
            Stage::Pilot { doublings } => (Duration::ZERO, self.duration.times(1 << doublings), true),
            Stage::Observed { warm_up } => (warm_up, self.duration, traces && item.index == 0),
        };
        Key {
            identity,
            scenario: &self.scenario,
            seed: self.seed,
            replication: item.index,
            warm_up_ps: warm_up.picoseconds(),
            duration_ps: duration.picoseconds(),
            traces,
        }
    }

    /// A record with its control variates, if means are corrected by them.
    fn controlled(&self, mut record: Record, item: WorkItem) -> Record {
        if let Stage::Observed { warm_up } = item.stage
            && self.control_variates
            && !self.is_of_shard()
        {
            let drawn = Drawn { seed: self.seed, index: item.index, warm_up, duration: self.duration };
            record.controls = self.model.controls(drawn);
        }
        record
    }

    /// Replications of the first round.
    pub fn first_round(&self) -> u32 {
        self.part.as_ref().map_or_else(|| self.wanted(), |part| part.replications.len() as u32)
    }

    fn is_of_shard(&self) -> bool {
        self.part.as_ref().is_some_and(|part| !part.is_continued)
    }

    /// Replications that the rule wants before it has seen any.
    fn wanted(&self) -> u32 {
        match self.rule.next(&[]) {
            Decision::RunUntil(first) => first,
            Decision::Enough { .. } | Decision::CapReached { .. } => 0,
        }
    }
}

/// A point to compute where what it gives decides which is the next.
pub struct Step {
    /// The point.
    pub spec: PointSpec,
    /// What it is for.
    pub note: String,
}

/// What a point gave.
#[derive(Clone, Debug, Default)]
pub struct PointResult {
    /// Replications in their order; empty when the point failed, or when only a part of them was computed.
    pub records: Vec<Record>,
    /// Length of the warm-up used.
    pub warm_up: Duration,
    /// Why the point failed.
    pub failure: Option<String>,
    /// Where its pilots did not settle, and so nothing was observed: what they were offered and carried.
    pub unsettled: Option<Vec<Stability>>,
    /// What a reader of the numbers should know.
    pub warning: Option<String>,
    /// Why its replications ended, where they were added until all that is expected is decided.
    pub stop: Option<Stop>,
}

/// A replication of a point that is to be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorkItem {
    /// Position of the point in the work.
    pub point: usize,
    /// Which replication, from 0.
    pub index: u32,
    /// What it is for.
    pub stage: Stage,
}

/// What a replication is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Finds the warm-up, in a run lengthened by this many doublings.
    Pilot {
        /// How often the duration was doubled.
        doublings: u32,
    },
    /// Is observed after the warm-up.
    Observed {
        /// Length of the warm-up.
        warm_up: Duration,
    },
}

impl fmt::Display for WorkItem {
    /// `0/3/pilot/1`: point, replication, and the number of doublings or the warm-up in picoseconds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stage, value) = match self.stage {
            Stage::Pilot { doublings } => ("pilot", u64::from(doublings)),
            Stage::Observed { warm_up } => ("observed", warm_up.picoseconds()),
        };
        write!(f, "{}/{}/{stage}/{value}", self.point, self.index)
    }
}

impl FromStr for WorkItem {
    type Err = String;

    fn from_str(text: &str) -> Result<WorkItem, String> {
        let read = || {
            let mut parts = text.split('/');
            let (point, index) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
            let stage = match (parts.next()?, parts.next()?) {
                ("pilot", doublings) => Stage::Pilot { doublings: doublings.parse().ok()? },
                ("observed", warm_up) => Stage::Observed { warm_up: Duration::from_picoseconds(warm_up.parse().ok()?) },
                _ => return None,
            };
            Some(WorkItem { point, index, stage })
        };
        read().ok_or_else(|| format!("`{text}` is not a replication"))
    }
}

impl Stage {
    /// Whether it finds the warm-up.
    pub fn is_pilot(&self) -> bool {
        matches!(self, Stage::Pilot { .. })
    }
}

/// The rounds of replications of a point: pilots, the first replications, and more until the rule has enough.
pub struct Rounds {
    spec: PointSpec,
    position: usize,
    is_observed: bool,
    warm_up: Duration,
    /// By replication; a failed one is its message.
    results: Vec<Option<Result<Record, String>>>,
    /// Replications of this round that have not ended.
    pending: u32,
    finished: Option<PointResult>,
    /// By the rounds that have ended.
    rate: Option<RateSoFar>,
}

impl Rounds {
    /// The point at `position` of the work, which has no replications yet.
    pub fn new(position: usize, spec: PointSpec) -> Self {
        let (results, warm_up) = (Vec::new(), Duration::ZERO);
        Rounds { spec, position, is_observed: false, warm_up, results, pending: 0, finished: None, rate: None }
    }

    /// The point.
    pub fn spec(&self) -> &PointSpec {
        &self.spec
    }

    /// The first replications to compute.
    pub fn begin(&mut self) -> Vec<WorkItem> {
        match self.spec.warm_up {
            Some(warm_up) => self.begin_replications(warm_up),
            None => self.begin_pilots(0),
        }
    }

    /// Keeps what a replication gave; the replications to compute next, once it was the last of its round.
    pub fn ended(&mut self, item: WorkItem, result: Result<Record, String>) -> Vec<WorkItem> {
        // the cache keeps a shard's records: nothing here merges them
        let result =
            if self.spec.is_of_shard() && !item.stage.is_pilot() { result.map(|_| Record::default()) } else { result };
        let result = result.map(|record| self.spec.controlled(record, item));
        let Some(results) = self.keep(item.index, result) else { return Vec::new() };
        let all: Result<Vec<Record>, String> = results.into_iter().collect();
        match (all, item.stage) {
            (Err(message), _) => self.fail(message),
            (Ok(pilots), Stage::Pilot { doublings }) => self.end_pilots(&pilots, doublings),
            (Ok(records), Stage::Observed { .. }) => self.end_round(records),
        }
    }

    /// The rate of a rare event by the rounds that have ended; `None` before the first and of a point that is not about one.
    pub fn rate_so_far(&self) -> Option<RateSoFar> {
        self.rate
    }

    /// Whether nothing of the point is left to compute.
    pub fn is_finished(&self) -> bool {
        self.finished.is_some()
    }

    /// What the point gave; `None` while something is left to compute.
    pub fn finished(self) -> Option<PointResult> {
        self.finished
    }

    /// What the point gives by now: its observed replications, in their order, up to the first that has not ended.
    pub fn so_far(&self) -> PointResult {
        if let Some(finished) = &self.finished {
            return finished.clone();
        }
        let results = if self.is_observed { self.results.as_slice() } else { &[] };
        let records = results.iter().map_while(|result| result.clone()?.ok()).collect();
        PointResult { records, warm_up: self.warm_up, ..PointResult::default() }
    }

    /// The pilots that show the warm-up, twice as long after each doubling.
    fn begin_pilots(&mut self, doublings: u32) -> Vec<WorkItem> {
        let pilots = self.spec.wanted().clamp(*warm_up::PILOTS.start(), *warm_up::PILOTS.end());
        self.results.resize_with(pilots as usize, || None);
        self.pending = pilots;
        self.items(0..pilots, Stage::Pilot { doublings })
    }

    /// Takes the warm-up from the pilots, or doubles them where they are too short.
    fn end_pilots(&mut self, pilots: &[Record], doublings: u32) -> Vec<WorkItem> {
        let length = self.spec.duration.times(1 << doublings);
        let stability = sojourn_metrics::stability::of(pilots);
        if stability::overloaded(&stability).is_some() {
            // nothing settles, however long it is waited for
            return self.begin_replications(Duration::ZERO);
        }
        if let Some(warm_up) = warm_up::from_pilots(pilots, &self.spec.probe, length) {
            return self.begin_replications(warm_up);
        }
        if doublings < warm_up::DOUBLINGS {
            return self.begin_pilots(doublings + 1);
        }
        let probe = &self.spec.probe;
        let sampled = pilots.iter().any(|pilot| pilot.traces.get(probe).is_some_and(|trace| !trace.is_empty()));
        if !sampled {
            return self.fail(format!(
                "no {probe} was sampled in {length}, by which the warm-up is determined: give run.warm_up"
            ));
        }
        let message = format!(
            "no steady state in {length}: {probe} kept changing, so the warm-up cannot be determined; lower the load, \
             lengthen run.duration or give run.warm_up"
        );
        let unsettled = Some(stability);
        self.finished = Some(PointResult { failure: Some(message), unsettled, ..PointResult::default() });
        Vec::new()
    }

    fn begin_replications(&mut self, warm_up: Duration) -> Vec<WorkItem> {
        (self.warm_up, self.is_observed) = (warm_up, true);
        match self.spec.wanted() {
            0 => self.finish(PointResult::default()),
            first => self.begin_round(first),
        }
    }

    /// The replications up to `until`, of those the shard's.
    fn begin_round(&mut self, until: u32) -> Vec<WorkItem> {
        let first = self.results.len() as u32;
        self.results.resize_with(until as usize, || None);
        let round = self.spec.part.as_ref().map_or(first..until, |part| part.replications.clone());
        self.pending = round.len() as u32;
        self.items(round, Stage::Observed { warm_up: self.warm_up })
    }

    fn items(&self, round: Range<u32>, stage: Stage) -> Vec<WorkItem> {
        round.map(|index| WorkItem { point: self.position, index, stage }).collect()
    }

    /// Keeps what a replication of this round gave; the results of all once it was the last.
    fn keep(&mut self, index: u32, result: Result<Record, String>) -> Option<Vec<Result<Record, String>>> {
        self.results[index as usize] = Some(result);
        self.pending -= 1;
        (self.pending == 0).then(|| std::mem::take(&mut self.results).into_iter().flatten().collect())
    }

    fn end_round(&mut self, records: Vec<Record>) -> Vec<WorkItem> {
        if let Some(part) = &self.spec.part {
            let records = if part.is_continued { records } else { Vec::new() };
            return self.finish(PointResult { records, ..PointResult::default() });
        }
        self.rate = self.spec.rule.rate_so_far(&records);
        match self.spec.rule.next(&records) {
            Decision::RunUntil(until) => self.go_on(records, until),
            Decision::Enough { .. } => match self.spec.deciding.as_ref().map(|deciding| deciding.look(&records)) {
                Some(Look::RunUntil(until)) => self.go_on(records, until),
                Some(Look::Enough(stop)) => {
                    self.finish(PointResult { records, stop: Some(stop), ..PointResult::default() })
                }
                None => self.finish(PointResult { records, ..PointResult::default() }),
            },
            Decision::CapReached { reached } => {
                let reached = reached.map_or("no interval".to_owned(), |width| percent(width, 2, false));
                let warning = format!("stopped at the cap of {} replications with {reached}", records.len());
                self.finish(PointResult { records, warning: Some(warning), ..PointResult::default() })
            }
        }
    }

    /// The replications up to `until`, after those that there are.
    fn go_on(&mut self, records: Vec<Record>, until: u32) -> Vec<WorkItem> {
        self.results = records.into_iter().map(|record| Some(Ok(record))).collect();
        self.begin_round(until)
    }

    /// Ends the point with what it gave, after its warm-up.
    fn finish(&mut self, found: PointResult) -> Vec<WorkItem> {
        self.finished = Some(PointResult { warm_up: self.warm_up, ..found });
        Vec::new()
    }

    fn fail(&mut self, message: String) -> Vec<WorkItem> {
        self.finish(PointResult { failure: Some(message), ..PointResult::default() })
    }
}

/// The record in the bytes that a replication gave elsewhere.
pub fn record_of(
    spec: &PointSpec,
    identity: &str,
    item: &WorkItem,
    result: Result<&[u8], &str>,
) -> Result<Record, String> {
    let bytes = result.map_err(|message| failure(item.index, message))?;
    let name = spec.key(identity, *item, false).name();
    decode(&name, bytes).ok_or_else(|| failure(item.index, "the record does not read back under its key"))
}

/// Why a replication failed.
pub fn failure(index: u32, message: &str) -> String {
    format!("replication {index}: {message}")
}
