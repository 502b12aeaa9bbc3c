//! Measuring a real network by a document: its points, one after the other, against the peer.

mod document;
mod expected;
mod load_option;
mod plan;
pub mod results;
mod timed;
mod traffic;

use std::path::Path;
use std::sync::Arc;

use sojourn_live::Watch;
use sojourn_live::transport::{Measure, Measured};
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_scenario::{Problems, Scenario};

pub use self::document::{Points, on_air as station};
use self::plan::Ready;
pub use self::plan::{no_cpu_idle, on_air};
use crate::outcome::{Outcome, Status};
use crate::provenance::Provenance;
use crate::request::Build;

/// A measurement whose points were checked and whose first is open.
pub struct MeasurementTask {
    name: String,
    network: String,
    axes: std::collections::BTreeMap<String, sojourn_metrics::results::Axis>,
    expectations: Vec<sojourn_scenario::Expectation>,
    points: Vec<Ready>,
    first: Measure,
}

impl MeasurementTask {
    /// Checks every point and opens what the first one needs.
    pub fn open(points: Points) -> Result<MeasurementTask, Problems> {
        let Points { name, network, axes, points, expectations } = points;
        let mut problems = Problems::new();
        let mut ready = Vec::new();
        for point in points {
            match Ready::new(point) {
                Ok(point) => ready.push(point),
                Err(found) => problems.0.extend(found.0),
            }
        }
        let points = problems.or(ready)?;
        let first = points.first().map(Ready::open).transpose()?;
        let first = first.ok_or_else(|| sojourn_scenario::Problem::plain("there is nothing to measure"))?;
        Ok(MeasurementTask { name, network, axes, expectations, points, first })
    }

    /// What captured frames begin with.
    pub fn link_type(&self) -> Option<LinkType> {
        self.points[0].information().link_type
    }

    /// Measures, on this thread; frames carried go to `frames`. What a timed test measured before it was stopped is
    /// kept.
    pub fn run(self, build: &Build, provenance: Provenance, watch: &Arc<Watch>, frames: &mut dyn FrameSink) -> Outcome {
        let timed = self.points[0].information().is_timed;
        let scenario = &self.points[0].document.scenario;
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

/// Checks a document that describes a measurement, as far as that is possible without its peer.
pub fn check(path: &Path, scenario: &Scenario) -> Result<(), Problems> {
    plan::check(document::of_file(path, scenario.clone()))
}
