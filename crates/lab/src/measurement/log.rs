//! The log of a timed test, written during the measurement, and the results recovered from an unfinished one.
//!
//! The results folder gets `measurement.json` with the plan, `requests.csv` with one line per request as it is
//! answered or times out, and `seconds.csv` with the counters of load and peer for each second. Full results are
//! written at the end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sojourn_core::Duration;
use sojourn_live::prober::plan::TimedTest;
use sojourn_live::prober::request_log::LogFile;
use sojourn_live::prober::request_log::line::LoggedRequest;
use sojourn_live::prober::request_log::recovery::{PlannedPhase, PlannedPoint, recover};
use sojourn_live::prober::request_log::second::LoggedSecond;
use sojourn_metrics::results::{Axis, Setting};
use sojourn_scenario::{Expectation, Problem, Problems};

use super::results::{Header, PointMeasured};
use crate::expected;
use crate::files::write_whole;
use crate::outcome::{Outcome, Status};
use crate::provenance::Provenance;
use crate::request::{Build, Recover, Request};

/// The file of requests.
const REQUESTS: &str = "requests.csv";
/// The file of what was known each second.
const SECONDS: &str = "seconds.csv";
/// What was planned.
const PLANNED: &str = "measurement.json";
/// Names of phases.
const PHASES: [&str; 5] = ["warm-up", "idle", "loaded", "recovery", "measured"];

/// What was planned, as `measurement.json` holds it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Planned {
    /// Name of the study, of the document's file, or the URL.
    pub study: String,
    /// The kind of network, or the scheme of a URL.
    pub network: String,
    /// The keys that vary.
    pub axes: BTreeMap<String, Axis>,
    /// Seed of random schedules and of data sent.
    pub seed: u64,
    /// The points, in the order of results.
    pub points: Vec<LoggedPoint>,
    /// What was expected of them, as written.
    #[serde(default)]
    pub expectations: Vec<String>,
    /// The request, as it came from the front, without its secrets.
    pub request: Option<Request>,
    /// When it began, in UTC.
    pub began: Option<String>,
}

/// A point that was planned.
#[derive(Debug, Serialize, Deserialize)]
pub struct LoggedPoint {
    /// The values of the keys that vary.
    pub set: BTreeMap<String, Setting>,
    /// The experiment's name, where it is not that of a phase.
    pub experiment: Option<String>,
    /// SHA-256 over the document.
    pub hash: String,
    timeout_ns: u64,
    several_sizes: bool,
    phases: Vec<Phase>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Phase {
    name: String,
    duration_ns: u64,
    recorded: bool,
    #[serde(default)]
    loaded: bool,
}

impl LoggedPoint {
    /// A point with its plan.
    pub fn new(
        set: BTreeMap<String, Setting>,
        experiment: Option<String>,
        hash: String,
        plan: &TimedTest,
    ) -> LoggedPoint {
        let ns = |duration: Duration| duration.picoseconds() / 1000;
        let phases = plan.phases.iter().map(|phase| Phase {
            name: phase.name.to_owned(),
            duration_ns: ns(phase.duration),
            recorded: phase.recorded,
            loaded: phase.loaded,
        });
        let (several_sizes, phases) = (plan.sizes.len() > 1, phases.collect());
        LoggedPoint { set, experiment, hash, timeout_ns: ns(plan.timeout), several_sizes, phases }
    }

    fn planned(&self) -> PlannedPoint {
        let phases = self.phases.iter().filter_map(|phase| {
            let name = PHASES.into_iter().find(|name| *name == phase.name)?;
            let Phase { duration_ns, recorded, loaded, .. } = *phase;
            Some(PlannedPhase { name, duration: Duration::from_nanos(duration_ns), recorded, loaded })
        });
        PlannedPoint {
            phases: phases.collect(),
            timeout: Duration::from_nanos(self.timeout_ns),
            several_sizes: self.several_sizes,
        }
    }
}

/// Writes what is planned, and begins the files of requests and of seconds.
pub fn begin(folder: &Path, planned: &Planned) -> io::Result<LogFile> {
    let text = serde_json::to_string_pretty(planned).expect("a plan is plain data");
    // first the requests: a plan is never older than they are
    let file = LogFile::create(&folder.join(REQUESTS), &folder.join(SECONDS))?;
    write_whole(&folder.join(PLANNED), format!("{text}\n").as_bytes())?;
    Ok(file)
}

/// A measurement that did not end, read from its folder.
#[derive(Debug)]
pub struct RecoveryTask {
    planned: Planned,
    /// The requests of each point.
    requests: BTreeMap<u32, Vec<LoggedRequest>>,
    /// What was known of each point, each second.
    seconds: BTreeMap<u32, Vec<LoggedSecond>>,
    expectations: Vec<Expectation>,
}

impl RecoveryTask {
    /// Reads what was planned and written.
    pub fn read(request: &Recover) -> Result<RecoveryTask, Problems> {
        let unread = |name: &str, fault: &dyn std::fmt::Display| {
            Problem::plain(format!("cannot read {}: {fault}", request.out.join(name).display()))
        };
        let text = std::fs::read_to_string(request.out.join(PLANNED)).map_err(|fault| unread(PLANNED, &fault))?;
        let planned: Planned = serde_json::from_str(&text).map_err(|fault| unread(PLANNED, &fault))?;
        let requests = lines(&request.out.join(REQUESTS), LoggedRequest::parse);
        let requests = requests.map_err(|fault| unread(REQUESTS, &fault))?;
        // a measurement by an earlier version has none
        let seconds = lines(&request.out.join(SECONDS), LoggedSecond::parse).unwrap_or_default();
        let expectations = expected::read(&planned.expectations)?;
        let (requests, seconds) = (by_point(requests, |line| line.point), by_point(seconds, |line| line.point));
        Ok(RecoveryTask { planned, requests, seconds, expectations })
    }

    /// The results of what was measured.
    pub fn run(self, build: &Build, mut provenance: Provenance) -> Outcome {
        let Planned { request, began, .. } = &self.planned;
        provenance.request = request.clone().unwrap_or(provenance.request);
        provenance.began = began.clone().unwrap_or(provenance.began);
        let mut outcome = Outcome::cancelled(provenance, Vec::new());
        outcome.status = Status::Done;
        let Planned { study, network, axes, seed, points, .. } = self.planned;
        let measured = (0..).zip(points).filter_map(|(index, point)| {
            let seconds = self.seconds.get(&index).map_or(&[][..], Vec::as_slice);
            let measured = recover(&point.planned(), self.requests.get(&index)?, seconds);
            let LoggedPoint { set, experiment, hash, .. } = point;
            Some(PointMeasured { set, experiment, hash, measured })
        });
        let measured = measured.collect();
        let expectations: Vec<&Expectation> = self.expectations.iter().collect();
        Header { study, network, axes, seed, build }.add(measured, &expectations, &mut outcome);
        if outcome.results_json.is_none() {
            outcome.warn(vec!["nothing was measured".to_owned()]);
        }
        outcome
    }
}

/// The whole lines of a file.
fn lines<T>(path: &Path, parse: impl Fn(&str) -> Option<T>) -> io::Result<Vec<T>> {
    let mut found = Vec::new();
    for line in BufReader::new(File::open(path)?).split(b'\n') {
        found.extend(std::str::from_utf8(&line?).ok().and_then(&parse));
    }
    Ok(found)
}

fn by_point<T>(lines: Vec<T>, point: impl Fn(&T) -> u32) -> BTreeMap<u32, Vec<T>> {
    let mut found: BTreeMap<u32, Vec<T>> = BTreeMap::new();
    for line in lines {
        found.entry(point(&line)).or_default().push(line);
    }
    found
}
