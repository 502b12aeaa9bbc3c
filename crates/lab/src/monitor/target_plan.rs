//! A target: where it is, how it is measured, and what is expected of it.

use std::path::PathBuf;

use sojourn_live::prober::plan::TimedTest;
use sojourn_live::prober::windows::event::LoadTimes;
use sojourn_live::target::AGENT_SCHEME;
use sojourn_live::{Target, Transport, key};
use sojourn_protocols::authentication::Key;
use sojourn_scenario::{Expectation, Problems};

use super::quiet::QuietHours;

/// A target.
#[derive(Clone)]
pub struct TargetPlan {
    /// Its name.
    pub name: String,
    /// The agent that measures it, of a mesh.
    pub from: Option<String>,
    /// How it is measured.
    pub transport: &'static dyn Transport,
    /// Where it is.
    pub target: Target,
    /// The requests; one phase as long as a window.
    pub timed: TimedTest,
    /// When the path is loaded, if it is.
    pub load: Option<LoadTimes>,
    /// File of the key, read for each session.
    pub key_file: Option<PathBuf>,
    /// When none of its alerts is raised or cleared.
    pub quiet: Vec<QuietHours>,
    /// Whether each address of its name is a target of its own.
    pub is_every_address: bool,
    /// The conditions of its windows.
    pub conditions: Vec<Expectation>,
}

impl TargetPlan {
    /// The key of its sessions, read now. Without a file an agent has that of the environment, and no other target has one.
    pub fn key(&self) -> Result<Option<Key>, Problems> {
        if self.key_file.is_none() && !self.is_agent() { Ok(None) } else { key::find(self.key_file.as_deref()) }
    }

    /// Whether it is an agent, which alone gets the key of all targets: to others it would mean another protocol.
    pub fn is_agent(&self) -> bool {
        self.target.scheme() == AGENT_SCHEME
    }
}
