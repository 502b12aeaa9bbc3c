//! Measures a real network as a document describes: its points, one after the other, against the peer.

mod document;
mod load_option;
pub mod log;
mod plan;
pub mod results;
pub mod timed;
mod traffic;

use std::path::Path;
use std::sync::Arc;

use sojourn_live::prober::path::mtu;
use sojourn_live::prober::request_log::LogFile;
use sojourn_live::prober::request_log::run::PointLog;
use sojourn_live::transport::{Measure, Measured};
use sojourn_live::{Target, Watch};
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_scenario::{Problem, Problems, Scenario};

pub use self::document::{Points, on_air as station};
use self::plan::Ready;
pub use self::plan::{no_cpu_idle, on_air};
use self::results::PointMeasured;
use crate::files::prepare_folder;
use crate::outcome::{Outcome, Status};
use crate::provenance::{Provenance, now};
use crate::request::{Build, Request};

/// A measurement whose points were checked and whose first is open.
pub struct MeasurementTask {
    name: String,
    network: String,
    axes: std::collections::BTreeMap<String, sojourn_metrics::results::Axis>,
    expectations: Vec<sojourn_scenario::Expectation>,
    points: Vec<Ready>,
    first: Measure,
    /// The file of requests, for a timed test with a folder for results.
    log: Option<LogFile>,
}

impl MeasurementTask {
    /// Checks every point, begins the files of the request's folder for results, and opens what the first point needs.
    pub fn open(points: Points, request: &Request) -> Result<MeasurementTask, Problems> {
        let Points { name, network, axes, points, expectations } = points;
        let mut problems = Problems::new();
        let mut ready = Vec::new();
        for point in points {
            match Ready::new(point) {
                Ok(point) => ready.push(point),
                Err(found) => problems.0.extend(found.0),
            }
        }
        let mut points = problems.or(ready)?;
        let log = match (request.out(), points.first()) {
            (Some(folder), Some(point)) if point.information().is_timed => {
                let seed = point.document.scenario.run().seed;
                let planned = points.iter().filter_map(Ready::planned).collect();
                let expected = point.document.scenario.expectations().iter().chain(&expectations);
                let planned = log::Planned {
                    study: name.clone(),
                    network: network.clone(),
                    axes: axes.clone(),
                    seed,
                    points: planned,
                    expectations: expected.map(|expectation| expectation.text.clone()).collect(),
                    request: Some(request.shown()),
                    began: Some(now()),
                };
                let refused = |fault| Problem::plain(format!("cannot write to {}: {fault}", folder.display()));
                prepare_folder(folder).map_err(refused)?;
                Some(log::begin(folder, &planned).map_err(refused)?)
            }
            _ => None,
        };
        for (index, point) in (0..).zip(&mut points) {
            point.log_to(log.as_ref().map(|log| PointLog { log: log.log(), point: index }));
        }
        let first = points.first().map(Ready::open).transpose()?;
        let first = first.ok_or_else(|| sojourn_scenario::Problem::plain("there is nothing to measure"))?;
        Ok(MeasurementTask { name, network, axes, expectations, points, first, log })
    }

    /// What captured frames begin with.
    pub fn link_type(&self) -> Option<LinkType> {
        self.points[0].information().link_type
    }

    /// Measures, on this thread; frames carried go to `frames`. What a timed test measured before it was stopped is
    /// kept.
    pub fn run(
        mut self,
        build: &Build,
        provenance: Provenance,
        watch: &Arc<Watch>,
        frames: &mut dyn FrameSink,
    ) -> Outcome {
        let timed = self.points[0].information().is_timed;
        let mut first = Some(self.first);
        let mut measured = Vec::new();
        let mut outcome = Outcome::cancelled(provenance, Vec::new());
        for ready in &self.points {
            let opened = first.take().map_or_else(|| ready.open(), Ok);
            let found = match opened {
                Ok(measure) => measure(watch, frames),
                Err(problems) => Measured::failed("measured", problems.to_string()),
            };
            outcome.warn(ready.warnings());
            measured.push(ready.point(found));
            if watch.is_cancelled() {
                break;
            }
        }
        add_path_mtu(self.points[0].peer(), &mut measured);
        self.points.iter_mut().for_each(|ready| ready.log_to(None));
        if let Some(Err(fault)) = self.log.map(LogFile::finish) {
            outcome.warn(vec![format!("not all requests were written to requests.csv and seconds.csv: {fault}")]);
        }
        let scenario = &self.points[0].document.scenario;
        if timed || !watch.is_cancelled() {
            outcome.status = Status::Done;
            let header = results::Header {
                study: self.name,
                network: self.network,
                axes: self.axes,
                seed: scenario.run().seed,
                build,
            };
            let expectations: Vec<_> = scenario.expectations().iter().chain(&self.expectations).collect();
            header.add(measured, &expectations, &mut outcome);
        }
        outcome
    }
}

/// Adds what the points say together of the path MTU to the first of them.
fn add_path_mtu(peer: &Target, measured: &mut [PointMeasured]) {
    let sizes = mtu::of_sizes(measured.iter().map(|point| (&point.set, &point.measured)));
    let found = mtu::find(peer, &sizes);
    if let (Some(first), Some(found)) = (measured.first_mut(), found) {
        first.measured.path.get_or_insert_default().insert(0, found);
    }
}

/// Checks a document that describes a measurement, as far as that is possible without its peer.
pub fn check(path: &Path, scenario: &Scenario) -> Result<(), Problems> {
    plan::check(document::of_file(path, scenario.clone()))
}
