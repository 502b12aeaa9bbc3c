//! The tasks of a build that cannot measure: none.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use sojourn_catalogue::NETWORKS;
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_scenario::{Problem, Problems, Scenario};

use super::watch::Watch;
use crate::outcome::Outcome;
use crate::provenance::Provenance;
use crate::request::{self, Build, Request};
use crate::study::Study;

/// A live task, of which this build has none: it has no value.
pub enum LiveTask {}

impl LiveTask {
    /// Refuses a request that uses a network; `None` where it only computes.
    pub fn open(request: &Request) -> Result<Option<LiveTask>, Problems> {
        let command = match request {
            Request::Sweep(sweep) if NETWORKS.kinds().read(&sweep.file)?.is_measurement() => "sweep of a measurement",
            Request::Study(asked) if measures(asked)? => "study of measurements",
            Request::Measure(_) => "measure",
            Request::Monitor(_) => "monitor",
            Request::Mesh(_) => "mesh",
            Request::Agent(_) => "agent",
            Request::Listen(_) => "listen",
            Request::Relay(_) => "relay",
            Request::Recover(_) => "report of a measurement that did not end",
            Request::Run(_)
            | Request::Bound(_)
            | Request::Sweep(_)
            | Request::Find(_)
            | Request::Advise(_)
            | Request::Risk(_)
            | Request::Study(_)
            | Request::Analyse(_) => return Ok(None),
        };
        Err(lacking(command))
    }

    /// What captured frames begin with.
    pub fn link_type(&self) -> Option<LinkType> {
        match *self {}
    }

    /// Whether its provenance is worth keeping without results, too.
    pub fn is_kept(&self) -> bool {
        match *self {}
    }

    /// Carries it out.
    pub fn run(self, _: &Build, _: Provenance, _: &Arc<Watch>, _: &mut dyn FrameSink) -> Outcome {
        match self {}
    }
}

/// What a platform lacks, in one sentence.
fn lacking(command: &str) -> Problems {
    let message =
        format!("{command} needs Linux: it uses sockets with timestamps of the kernel, which {} lacks", here());
    Problem::plain(message)
        .help("this build simulates, bounds, searches and analyses captures; measure from Linux")
        .into()
}

/// The platform by the name that users know it by.
fn here() -> &'static str {
    match std::env::consts::OS {
        "windows" => "Windows",
        "macos" => "macOS",
        "linux" => "this build",
        other => other,
    }
}

/// Whether the first experiment of a study measures.
fn measures(asked: &request::Study) -> Result<bool, Problems> {
    let study = Study::read(&asked.study)?;
    let selected = study.select(&asked.experiments, asked.all)?;
    let Some(first) = selected.first() else { return Ok(false) };
    let path = study.folder.join(&first.scenario);
    Ok(path.is_file() && NETWORKS.kinds().read(&path)?.is_measurement())
}

/// Refuses a document that describes a measurement: of its options only a build that measures knows all.
pub fn check(_: &Path, _: &Scenario) -> Result<(), Problems> {
    Err(lacking("check of a measurement"))
}

/// Every transport of live measurements: none.
pub fn transports() -> Value {
    json!([])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_that_uses_a_network_is_refused_in_one_sentence() {
        let refused = |request: Request| LiveTask::open(&request).err().map(|problems| problems.to_string());
        let measure = refused(request::Measure::default().into()).unwrap();
        assert!(measure.contains("measure needs Linux: it uses sockets with timestamps of the kernel"), "{measure}");
        let relay = refused(request::Relay::default().into()).unwrap();
        assert!(relay.contains("relay needs Linux: "), "{relay}");
        assert_eq!(refused(request::Run::default().into()), None);
        assert_eq!(refused(request::Analyse::default().into()), None);
    }

    #[test]
    fn a_document_of_a_measurement_is_refused_whatever_reads_it() {
        let file = crate::testing::folder("absent").join("measure.toml");
        let text = "[network]\nkind = \"ip\"\n[measure]\npeer = \"sojourn://192.0.2.1\"\n";
        std::fs::write(&file, text).unwrap();
        let sweep = request::Sweep { file: file.clone(), ..request::Sweep::default() };
        let refusals = [LiveTask::open(&sweep.into()).err().unwrap(), crate::check(&file, &[]).err().unwrap()];
        for refusal in refusals {
            assert!(refusal.to_string().contains("of a measurement needs Linux: "), "{refusal}");
        }
    }
}
