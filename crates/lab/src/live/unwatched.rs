//! What a live task shows, in a build that has none.

use serde::Serialize;

/// The progress of a live task: nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {}

/// What no live task gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Never {}

/// Statistics of a radio channel.
pub type Survey = Never;
/// The state of a timed test.
pub type Snapshot = Never;
/// A report of a live task.
pub type Report = Never;
/// The calibration and state of a host.
pub type TestConditions = Never;

/// There is nothing to watch.
#[derive(Debug, Default)]
pub struct Watch;

impl Watch {
    /// Nothing to watch.
    pub fn new() -> Watch {
        Watch
    }

    /// There is nothing to cancel.
    pub fn cancel(&self) {}

    /// No progress.
    pub fn look(&self) -> Progress {
        Progress {}
    }

    /// No channel.
    pub fn survey(&self) -> Option<Survey> {
        None
    }

    /// No test.
    pub fn standing(&self) -> Option<Snapshot> {
        None
    }

    /// No reports.
    pub fn reports(&self, _: usize) -> Vec<Report> {
        Vec::new()
    }
}
