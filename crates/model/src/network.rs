//! The contract of a kind of network: its documentation, and how a scenario becomes a model.

use sojourn_bounds::report::Report;
use sojourn_metrics::results::Bounds;
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use crate::meaning::Meaning;
use crate::model::Model;
#[cfg(feature = "rare")]
use crate::model::Together;
use crate::rare::{Gauge, State};
use crate::warning::Warning;

/// A kind of network: what it is, and how a scenario of it becomes a simulation.
pub trait Network: Sync {
    /// What documentation says of it.
    fn information(&self) -> &'static Information;

    /// What its documents may hold.
    fn keys(&self) -> &'static NetworkKeys;

    /// Turns a checked scenario into a simulation; mistakes that only this network can see come back with their
    /// places. Panics when the scenario is of another kind.
    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems>;

    /// Worst cases of a checked scenario without events; what has none is listed with the reason.
    fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems>;

    /// Scenarios of one fingerprint but for their events, as one model that simulates together what they have in common before
    /// their events differ; `None` where it cannot.
    #[cfg(feature = "rare")]
    fn together(&self, _scenarios: &[&Scenario]) -> Option<Box<dyn Together>> {
        None
    }

    /// The quantities of a running world that a rare event can be about; none where worlds of this network are not copied.
    fn gauges(&self) -> &'static [Gauge] {
        &[]
    }

    /// The states that a rare event can be about.
    fn states(&self) -> &'static [State] {
        &[]
    }

    /// What a planner would not install though it can be simulated: rules of the trade that a checked scenario breaks.
    fn warnings(&self, _scenario: &Scenario) -> Vec<Warning> {
        Vec::new()
    }

    /// What the flows of a checked scenario offer, and to what; its timers and costs. Notes follow from it before a run.
    fn meaning<'s>(&self, _scenario: &'s Scenario) -> Meaning<'s> {
        Meaning::default()
    }
}

/// Why a scenario with events has no bound.
const CHANGING: &str =
    "events change the network during the run: remove [[event]] for the bounds of the network that does not change";

impl dyn Network + '_ {
    /// The word of `kind = "..."`.
    pub fn kind(&self) -> &'static str {
        self.keys().kind
    }

    /// Worst cases of a checked scenario; what has none is listed with the reason. Panics for a measurement.
    pub fn worst_cases(&self, scenario: &Scenario) -> Result<Bounds, Problems> {
        match scenario.events() {
            [] => self.bounds(scenario).map(Report::finish),
            _ => Ok(Report::none(CHANGING).finish()),
        }
    }
}

/// What `sojourn networks` and the documentation say of a network.
#[derive(Debug)]
pub struct Information {
    /// What the network is, in one sentence.
    pub summary: &'static str,
    /// What the model holds.
    pub models: &'static [&'static str],
    /// What it leaves out, and what that may cost.
    pub leaves_out: &'static [&'static str],
    /// Standards and papers that the model follows.
    pub sources: &'static [&'static str],
    /// The metrics that it can have, without members: no scenario of it gives any other.
    pub metrics: &'static [&'static str],
    /// The metric a stopping rule watches unless another is set.
    pub probe_metric: &'static str,
    /// Whether a run ends when its probes are through, so that `run.duration` is only the longest it may take.
    pub ends_with_its_probes: bool,
    /// Whether every flow is sampled where none has `probe = true`.
    pub samples_without_probe: bool,
}
