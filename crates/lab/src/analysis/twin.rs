//! Writes the scenario inferred from a capture, and its traces, as files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use sojourn_capture::Findings;
use sojourn_scenario::{Problem, Problems};
use sojourn_twin::behaviour::{Behaviour, Likeness};
use sojourn_twin::trial::{Comparison, RUNS, Tried, choose};
use sojourn_twin::{Options, Survey};

use super::trial::Trial;
use crate::files::write_whole;
use crate::progress::Tracker;

/// What is said of a twin that was not simulated, and of one that could not be.
const NOT_COMPARED: &str = "It was not simulated: how close it comes to the capture is not known. Response times of a simulation can \
                            be compared with those of a capture beside the clients, or of a radio or LonTalk channel.";
const NOT_SIMULATED: &str = "How close it comes to the capture is not known: simulated, it sends far more packets than the capture \
                             has, or the analysis was stopped before.";

/// Where the twin of a capture is written.
pub(super) struct TwinFile {
    path: PathBuf,
    options: Options,
}

impl TwinFile {
    /// The twin that will be `path`. Its traces are beside it and begin with its name.
    pub fn new(path: &Path, anonymise: bool, bit_rate: Option<u64>) -> Result<TwinFile, Problems> {
        let toml = path.extension().is_some_and(|ending| ending == "toml");
        let name = path.file_stem().and_then(|name| name.to_str()).filter(|_| toml).ok_or_else(|| {
            Problems::from(Problem::plain(format!("`{}` does not end in .toml, as a scenario does", path.display())))
        })?;
        Ok(TwinFile { path: path.to_owned(), options: Options { anonymise, name: name.to_owned(), bit_rate } })
    }

    /// Writes the scenario that comes closest to the capture when it is simulated, and its traces; how close it comes.
    pub fn write(
        &self,
        found: &Findings,
        mut survey: Survey,
        tracker: &Arc<Tracker>,
    ) -> Result<Option<TwinSummary>, String> {
        let readings = survey.readings(&self.options).map_err(|error| error.to_string())?;
        let comparison = survey.comparison(found.is_simulated);
        let (twin, summary) = match observed(found, &survey).filter(|_| comparison != Comparison::Nowhere) {
            Some(observed) => {
                let trial = Trial::new(comparison, found, tracker);
                let tried = choose(readings, &observed, |twin, seed| trial.run(twin, seed));
                let summary = TwinSummary::of(&tried, observed.transfers.octets > 0, &self.path);
                (tried.twin.headed(&summary.sentence), Some(summary))
            }
            None => {
                let first = readings.into_iter().next().expect("a reading");
                (first.headed(NOT_COMPARED), None)
            }
        };
        let traces = twin.traces.iter().map(|trace| (self.path.with_file_name(&trace.file), &trace.text));
        for (path, text) in traces.chain([(self.path.clone(), &twin.scenario)]) {
            write_whole(&path, text.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        Ok(summary)
    }
}

/// What the capture was like; `None` where there was no memory for its response times.
fn observed(found: &Findings, survey: &Survey) -> Option<Behaviour> {
    let responses = found.sink.whole().response.distribution.clone()?;
    Some(Behaviour { responses, seconds: found.seconds(), transfers: survey.transfers() })
}

/// How close a twin comes to its capture when it is simulated; ratios of the twin's values and the capture's.
#[derive(Clone, Debug, Serialize)]
pub struct TwinSummary {
    /// The scenario's file.
    pub scenario: String,
    /// Scenarios that the capture allows, which were simulated.
    pub readings: usize,
    /// Runs of each.
    pub runs: u64,
    /// How close it comes, in words.
    pub sentence: String,
    /// Median, 90th and 99th percentile of the response times; `None` of all ratios if it could not be simulated.
    pub p50: Option<f64>,
    pub p90: Option<f64>,
    pub p99: Option<f64>,
    /// Responses per second.
    pub response_rate: Option<f64>,
    /// User data per second of transfers over TCP; `None` without one.
    pub goodput: Option<f64>,
}

impl TwinSummary {
    fn of(tried: &Tried, has_transfers: bool, path: &Path) -> TwinSummary {
        let ratio = |of: fn(&Likeness) -> f64| tried.likeness.as_ref().map(of);
        TwinSummary {
            scenario: path.display().to_string(),
            readings: tried.of,
            runs: RUNS,
            sentence: tried
                .likeness
                .as_ref()
                .map_or_else(|| NOT_SIMULATED.to_owned(), |likeness| sentence(likeness, has_transfers, tried.of)),
            p50: ratio(|likeness| likeness.percentiles[0]),
            p90: ratio(|likeness| likeness.percentiles[1]),
            p99: ratio(|likeness| likeness.percentiles[2]),
            response_rate: ratio(|likeness| likeness.response_rate),
            goodput: ratio(|likeness| likeness.goodput).filter(|_| has_transfers),
        }
    }
}

/// How close the best of this many scenarios comes.
fn sentence(likeness: &Likeness, has_transfers: bool, readings: usize) -> String {
    let Likeness { percentiles: [p50, _, p99], response_rate: rate, goodput, .. } = likeness;
    let carried = match has_transfers {
        true => format!(", and transfers over TCP carry {goodput:.2} times as much"),
        false => String::new(),
    };
    let chosen = match readings {
        1 => String::new(),
        several => format!(" Of {several} scenarios that the capture allows it came closest."),
    };
    format!(
        "In {RUNS} simulated runs its median response time is {p50:.2} times that of the capture, its 99th percentile {p99:.2} \
         times; it has {rate:.2} times as many responses{carried}.{chosen}"
    )
}
