//! The networks Sojourn simulates. A user writes `kind = "lontalk"`; [`registry`] lists the kinds.

mod common;
pub mod fddi;
pub mod fddi_adapter;
pub mod ip;
pub mod lan;
pub mod lontalk;
pub mod packet_radio;
pub mod queue;
pub mod rare;
pub mod switched_lan;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use sojourn_core::Duration;
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_metrics::record::Record;
use sojourn_scenario::{Problem, Problems, Scenario};

use rare::{Gauge, State};

/// A kind of network: what it is, and how a scenario of it becomes a simulation.
pub trait Network: Sync {
    /// What documentation says of it.
    fn information(&self) -> &'static Information;

    /// Turns a checked scenario into a simulation; mistakes that only this network can see come back with their
    /// places. Panics when the scenario is of another kind.
    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems>;

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
}

/// A rule of the trade that a scenario breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What breaks it, where, and what to do.
    pub problem: Problem,
    /// The rule and its source.
    pub rule: &'static str,
}

impl Warning {
    /// In one line: `site.toml:12: 70 devices on ... (SOURCE); ADVICE`.
    pub fn in_words(&self) -> String {
        let Problem { message, help, place } = &self.problem;
        let at = place
            .as_ref()
            .map(|place| format!("{}:{}: ", place.source.name, place.source.line_and_column(place.span.start).0));
        let help = help.as_ref().map(|help| format!("; {help}"));
        format!("{}{message} ({}){}", at.unwrap_or_default(), self.rule, help.unwrap_or_default())
    }
}

/// Every network, one row each.
pub fn registry() -> &'static [&'static dyn Network] {
    &[
        &fddi::FddiNetwork,
        &fddi_adapter::FddiAdapterNetwork,
        &ip::IpNetwork,
        &lontalk::LonTalkNetwork,
        &packet_radio::PacketRadioNetwork,
        &queue::QueueNetwork,
        &switched_lan::SwitchedLanNetwork,
    ]
}

/// The network of a `kind`.
pub fn find(kind: &str) -> Option<&'static dyn Network> {
    registry().iter().copied().find(|network| network.information().kind == kind)
}

/// What `sojourn networks` and the documentation say of a network.
#[derive(Debug)]
pub struct Information {
    /// The word of `kind = "..."`.
    pub kind: &'static str,
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

/// One independent run of a model.
pub struct Replication<'a> {
    /// Seed of the scenario, from which all random streams derive.
    pub seed: u64,
    /// Which replication, from 0.
    pub index: u32,
    /// Observations before this are dropped.
    pub warm_up: Duration,
    /// How long to observe after the warm-up.
    pub duration: Duration,
    /// Whether to keep traces (samples in order of time, levels), for figures and for finding the warm-up.
    pub traces: bool,
    /// Where the frames go, if a capture was asked for.
    pub capture: Option<&'a mut dyn FrameSink>,
    /// Set by another thread to abandon the replication; the record is then meaningless.
    pub cancelled: &'a AtomicBool,
}

impl<'a> Replication<'a> {
    /// The same, whose frames go nowhere.
    pub fn without_capture(&self) -> Replication<'a> {
        Replication { capture: None, ..*self }
    }
}

impl Replication<'_> {
    /// The first replication of seed 1, observed from its start for `duration`, without a thread that could abandon it.
    pub fn alone(duration: Duration) -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Replication {
            seed: 1,
            index: 0,
            warm_up: Duration::ZERO,
            duration,
            traces: false,
            capture: None,
            cancelled: &NEVER,
        }
    }
}

/// Scenarios whose replications begin alike.
pub trait Together: Send + Sync {
    /// How much of the warm-up and the time after it they have in common.
    fn in_common(&self, warm_up: Duration, duration: Duration) -> Duration;

    /// A replication of the scenarios of these numbers: to the bytes those of each alone. Without a capture.
    fn replicate(&self, replication: &Replication<'_>, numbers: &[usize]) -> Vec<Record>;
}

/// What decides the random numbers of a replication, and for how long it draws.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// Seed of the scenario.
    pub seed: u64,
    /// Which replication, from 0.
    pub index: u32,
    /// Length of the warm-up.
    pub warm_up: Duration,
    /// How long is observed.
    pub duration: Duration,
}

/// A scenario turned into a simulation that can be replicated, on any thread, any number of times.
pub trait Model: Send + Sync {
    /// Runs one replication: the only dynamic call of a run.
    fn replicate(&self, replication: Replication<'_>) -> Record;

    /// The delay that its probes sample, by which its warm-up is found: `response_time` of requests, else `one_way_delay` of streams
    /// and calls. `None` where nothing samples one.
    fn sampled(&self) -> Option<&'static str> {
        Some("response_time")
    }

    /// Whether one replication can use so many threads, or some of them.
    fn divides(&self, _threads: usize) -> bool {
        false
    }

    /// The same, to the same bytes, on up to so many threads.
    fn replicate_on(&self, _threads: usize, replication: Replication<'_>) -> Record {
        self.replicate(replication)
    }

    /// Deviations of what a replication draws from its known expectation, by name, as control variates of means: each has the
    /// expectation 0 exactly. Empty where a model has none.
    fn controls(&self, _drawn: Drawn) -> BTreeMap<String, f64> {
        BTreeMap::new()
    }

    /// What its frames begin with in a capture; `None` if it has no frames.
    fn link_type(&self) -> Option<LinkType> {
        None
    }

    /// The model as one whose running worlds can be copied, if they have gauges.
    #[cfg(feature = "rare")]
    fn rare(&self) -> Option<&dyn rare::RareModel> {
        None
    }
}
