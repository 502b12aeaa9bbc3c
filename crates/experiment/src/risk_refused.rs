//! In place of [`risk`](crate::risk) where running worlds cannot be copied, as in a page: it refuses every rare event.

use sojourn_metrics::interval::Interval;
use sojourn_metrics::results::RiskSummary;
use sojourn_scenario::{Problem, Problems};

use crate::Runs;
use crate::points::ScenarioBase;
use crate::rounds::{PointResult, Step};

/// What is asked of a scenario.
pub struct RiskRequest {
    /// The condition.
    pub of: String,
    /// A time within which the probability of an occurrence is asked.
    pub within: Option<String>,
    /// A rate, per second, that the one found is compared with.
    pub goal: Option<f64>,
}

/// A rare event of a scenario: there is none.
pub enum Risk {}

/// What an estimate does next.
pub enum Next {
    /// The point is computed.
    Compute(Box<Step>),
    /// The estimate has ended.
    Found(Box<Found>),
}

/// What became of a rare event.
pub struct Found {
    /// The replications of the scenario as any run has them.
    pub ordinary: PointResult,
    /// The rate.
    pub summary: RiskSummary,
    /// Its interval.
    pub interval: Interval,
}

impl Risk {
    /// Refuses it.
    pub fn new(_: ScenarioBase, _: &RiskRequest, _: &Runs) -> Result<Risk, Problems> {
        Err(Problem::plain("this build cannot copy running worlds, as a rare event needs").into())
    }

    /// What is computed first.
    pub fn begin(&self) -> Step {
        match *self {}
    }

    /// What to do next.
    pub fn ended(&mut self, _: PointResult) -> Next {
        match *self {}
    }
}
