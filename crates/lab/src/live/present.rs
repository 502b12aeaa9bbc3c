//! The tasks of a build that can measure.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_scenario::{Problem, Problems, Scenario};

use super::watch::Watch;
use crate::emulator::EmulatorTask;
use crate::measurement::log::RecoveryTask;
use crate::measurement::{self, MeasurementTask, Points};
use crate::monitor::{self, MonitorTask};
use crate::outcome::Outcome;
use crate::provenance::Provenance;
use crate::request::{Build, Request};
use crate::serving::ServingTask;
use crate::study::Study;

/// A task whose request was checked and whose sockets are open.
pub enum LiveTask {
    /// Measures the points of a document.
    Measurement(Box<MeasurementTask>),
    /// Measures many targets until it is stopped.
    Monitor(Box<MonitorTask>),
    /// Serves those who measure.
    Serving(Box<ServingTask>),
    /// Emulates a network.
    Emulator(EmulatorTask),
    /// Reads what a measurement wrote that did not end.
    Recovery(Box<RecoveryTask>),
}

impl LiveTask {
    /// The task of a request; `None` where it only computes.
    pub fn open(request: &Request) -> Result<Option<LiveTask>, Problems> {
        let measurement = |points| {
            refuse_elsewhere(request)?;
            MeasurementTask::open(points, request).map(Box::new).map(LiveTask::Measurement)
        };
        let serving = |task: ServingTask| LiveTask::Serving(Box::new(task));
        let task = match request {
            Request::Sweep(sweep) => return Points::of_sweep(sweep)?.map(measurement).transpose(),
            Request::Study(asked) => {
                return Points::of_study(&Study::read(&asked.study)?, asked)?.map(measurement).transpose();
            }
            Request::Measure(measure) => measurement(Points::of_measure(measure)?),
            Request::Monitor(monitor) => MonitorTask::open(monitor).map(Box::new).map(LiveTask::Monitor),
            Request::Mesh(mesh) => MonitorTask::mesh(mesh).map(Box::new).map(LiveTask::Monitor),
            Request::Agent(agent) => ServingTask::agent(agent).map(serving),
            Request::Listen(listen) => ServingTask::listen(listen).map(serving),
            Request::Relay(relay) => EmulatorTask::open(relay).map(LiveTask::Emulator),
            Request::Recover(recover) => RecoveryTask::read(recover).map(Box::new).map(LiveTask::Recovery),
            Request::Run(_)
            | Request::Bound(_)
            | Request::Find(_)
            | Request::Advise(_)
            | Request::Risk(_)
            | Request::Analyse(_) => return Ok(None),
        };
        task.map(Some)
    }

    /// What captured frames begin with.
    pub fn link_type(&self) -> Option<LinkType> {
        match self {
            LiveTask::Measurement(task) => task.link_type(),
            LiveTask::Serving(task) => task.link_type(),
            LiveTask::Monitor(_) | LiveTask::Emulator(_) | LiveTask::Recovery(_) => None,
        }
    }

    /// Whether it uses a network once: its provenance is worth keeping without results, too.
    pub fn is_kept(&self) -> bool {
        matches!(self, LiveTask::Measurement(_) | LiveTask::Serving(_) | LiveTask::Emulator(_))
    }

    /// Carries it out, on this thread; frames carried go to `frames`.
    pub fn run(self, build: &Build, provenance: Provenance, watch: &Arc<Watch>, frames: &mut dyn FrameSink) -> Outcome {
        match self {
            LiveTask::Measurement(task) => task.run(build, provenance, watch, frames),
            LiveTask::Serving(task) => task.run(build, provenance, watch, frames),
            LiveTask::Monitor(task) => task.run(build, provenance, watch),
            LiveTask::Emulator(task) => task.run(provenance, watch),
            LiveTask::Recovery(task) => task.run(build, provenance),
        }
    }
}

/// Checks a document that describes a measurement, as far as that is possible without its peer.
pub fn check(path: &Path, scenario: &Scenario) -> Result<(), Problems> {
    measurement::check(path, scenario)?;
    monitor::check(scenario)
}

/// Every transport of live measurements.
pub fn transports() -> Value {
    let describe = |transport: &&'static dyn sojourn_live::Transport| {
        let information = transport.information();
        json!({
            "scheme": information.scheme,
            "form": information.form,
            "summary": information.summary,
            "needs": information.needs,
            "sources": information.sources,
        })
    };
    sojourn_live::registry().iter().map(describe).collect()
}

/// Refuses a measurement on a cluster or in shards.
fn refuse_elsewhere(request: &Request) -> Result<(), Problems> {
    let Some(computing) = request.computing() else { return Ok(()) };
    if computing.cluster.is_some() || computing.shard.is_some() {
        return Err(Problem::plain("a measurement is made from this host: leave out --cluster and --shard").into());
    }
    if computing.checkpoint.is_some() {
        let message = "a measurement cannot be made again to go on from: leave out --checkpoint";
        return Err(Problem::plain(message).into());
    }
    Ok(())
}
