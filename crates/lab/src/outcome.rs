//! The outcome of a job: the results file, verdicts, failures and warnings.

use std::io;
use std::path::Path;

use serde::Serialize;
use sojourn_experiment::advice::Advising;
use sojourn_experiment::evaluation::{Evaluation, Failure, PointVerdict};
use sojourn_experiment::limit::Limit;
use sojourn_experiment::plan::Plan;
use sojourn_experiment::risk::Found;
use sojourn_experiment::rounds::PointResult;
use sojourn_metrics::record::Record;

use crate::analysis::summary::Summary;
use crate::columns::Columns;
use crate::files::write_whole;
use crate::provenance::Provenance;
use crate::request::Build;

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Every point was tried.
    Done,
    /// It was cancelled; finished replications are in the cache.
    Cancelled,
}

/// All a job gives.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// Whether it ended or was cancelled.
    pub status: Status,
    /// The exact text of `results.json`; null when cancelled.
    pub results_json: Option<String>,
    /// Build, host, time and request.
    pub provenance: Provenance,
    /// For each point and each of its expectations.
    pub verdicts: Vec<PointVerdict>,
    /// Points that could not be computed.
    pub failures: Vec<Failure>,
    /// What a reader of the numbers should know.
    pub warnings: Vec<String>,
    /// The answer of a search.
    pub find: Option<Limit>,
    /// The tables of an analysed capture.
    pub capture: Option<Summary>,
    /// What went wrong after the points were computed: files that could not be written.
    pub error: Option<String>,
    /// What columns each point has.
    pub points: Vec<Columns>,
    /// The replications behind the columns.
    #[serde(skip)]
    pub records: Vec<Vec<Record>>,
}

impl Outcome {
    /// A job that was cancelled.
    pub fn cancelled(provenance: Provenance, warnings: Vec<String>) -> Outcome {
        Outcome {
            status: Status::Cancelled,
            results_json: None,
            provenance,
            verdicts: Vec::new(),
            failures: Vec::new(),
            warnings,
            find: None,
            capture: None,
            error: None,
            points: Vec::new(),
            records: Vec::new(),
        }
    }

    /// A job whose points were all tried; `finished` in the order of the plan. A search has a limit, too.
    pub fn done(
        plan: &Plan,
        finished: Vec<PointResult>,
        limit: Option<Limit>,
        build: &Build,
        provenance: Provenance,
    ) -> Outcome {
        let found = Evaluation::of(plan, &finished, limit.as_ref(), build);
        Outcome { find: limit, ..Outcome::of(found, finished, provenance) }
    }

    /// What was computed, and what it shows.
    fn of(found: Evaluation, finished: Vec<PointResult>, provenance: Provenance) -> Outcome {
        Outcome {
            status: Status::Done,
            results_json: Some(found.results_json),
            verdicts: found.verdicts,
            failures: found.failures,
            points: finished.iter().map(|point| Columns::of(&point.records)).collect(),
            records: finished.into_iter().map(|point| point.records).collect(),
            ..Outcome::cancelled(provenance, found.warnings)
        }
    }

    /// A comparison that is answered.
    pub fn advice(advising: Advising, build: &Build, provenance: Provenance) -> Outcome {
        let Some(evaluation) = advising.evaluate(build) else { return Outcome::cancelled(provenance, Vec::new()) };
        Outcome::of(evaluation, advising.into_finished(), provenance)
    }

    /// A rare event whose rate was estimated.
    pub fn risk(plan: &Plan, found: Found, build: &Build, provenance: Provenance) -> Outcome {
        let Found { ordinary, summary, notes, .. } = found;
        let finished = vec![ordinary];
        let evaluation = Evaluation::of_risk(plan, &finished, summary, build);
        let mut outcome = Outcome::of(evaluation, finished, provenance);
        outcome.warn(notes);
        outcome
    }

    /// A shard whose part of some points was computed; `positions` are theirs in the plan.
    pub fn part(positions: &[usize], finished: Vec<PointResult>, provenance: Provenance) -> Outcome {
        let mut outcome = Outcome::cancelled(provenance, Vec::new());
        outcome.status = Status::Done;
        let failures = positions.iter().zip(finished).filter_map(|(&point, finished)| {
            let message = finished.failure?;
            Some(Failure { point, message })
        });
        outcome.failures = failures.collect();
        outcome
    }

    /// Adds warnings, each once.
    pub fn warn(&mut self, warnings: Vec<String>) {
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }

    /// Writes `results.json`, `provenance.json` and the tables of a capture, each whole or not at all.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        if let Some(results) = &self.results_json {
            write_whole(&folder.join("results.json"), results.as_bytes())?;
        }
        if let Some(tables) = &self.capture {
            tables.write(folder)?;
        }
        let provenance = serde_json::to_string_pretty(&self.provenance).expect("provenance is plain data");
        write_whole(&folder.join("provenance.json"), format!("{provenance}\n").as_bytes())
    }
}
