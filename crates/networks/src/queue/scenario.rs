//! A queue scenario in this network's own types.

use sojourn_core::{Duration, Stream, Time};
use sojourn_engine::arrivals::Process;
use sojourn_engine::sample;
use sojourn_scenario::{Problems, Scenario, Table};

use super::timed::{self, Effect};
use crate::common::arrivals;
use crate::common::timed::{Plan, silent_at_first};

/// Everything a replication needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The stations, in the order of the scenario.
    pub stations: Vec<StationSettings>,
    /// The flows through them.
    pub flows: Vec<FlowSettings>,
    /// What happens during a run, if anything does.
    pub events: Option<Plan<Effect>>,
}

/// Servers that share a queue.
#[derive(Clone, Debug)]
pub struct StationSettings {
    /// Its name.
    pub name: String,
    /// How many servers it has, at least 1.
    pub servers: usize,
    /// The time that each needs for a customer.
    pub service: Service,
    /// Customers that find room, those served included.
    pub capacity: Option<u64>,
}

/// How long a customer is served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Service {
    /// Exponentially distributed.
    Exponential {
        /// Mean service time.
        mean: Duration,
    },
    /// The same for all customers.
    Deterministic {
        /// The service time.
        time: Duration,
    },
    /// Normally distributed, draws below zero drawn again.
    Normal {
        /// Mean service time.
        mean: Duration,
        /// Standard deviation of the service time.
        deviation: Duration,
    },
}

/// Customers of one class.
#[derive(Clone, Debug)]
pub struct FlowSettings {
    /// Its name.
    pub name: String,
    /// Indices of the stations, in the order of the visits; never empty.
    pub path: Vec<usize>,
    /// Where they come from.
    pub source: Source,
    /// Whether their response times are sampled.
    pub probe: bool,
    /// Whether it waits for an event that starts it.
    pub silent: bool,
}

/// Where a flow's customers come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// From outside, and they leave.
    Open {
        /// When they come.
        process: Process,
        /// When the first may come.
        begin: Time,
    },
    /// They go round and round, with an exponential pause between two rounds.
    Closed {
        /// How many there are.
        population: u32,
        /// Mean pause.
        think: Duration,
    },
}

impl Settings {
    /// The settings of a checked scenario; an event that it cannot obey is a mistake.
    pub fn of(scenario: &Scenario) -> Result<Settings, Problems> {
        let stations = scenario.list("station").iter().map(StationSettings::of).collect();
        let mut flows: Vec<FlowSettings> =
            scenario.list("flow").iter().map(|flow| FlowSettings::of(flow, scenario)).collect();
        // without a probe, every flow is one
        if !flows.iter().any(|flow| flow.probe) {
            flows.iter_mut().for_each(|flow| flow.probe = true);
        }
        Ok(Settings { stations, flows, events: timed::plan(scenario)? })
    }
}

impl StationSettings {
    fn of(table: &Table) -> StationSettings {
        StationSettings {
            name: table.name().to_owned(),
            servers: usize::try_from(table.integer("servers")).expect("a declared number of servers fits"),
            service: Service::of(table.table("service")),
            capacity: table.optional_integer("capacity"),
        }
    }
}

impl Service {
    fn of(table: &Table) -> Service {
        let mean = table.duration("mean");
        match table.word("kind") {
            "exponential" => Service::Exponential { mean },
            "deterministic" => Service::Deterministic { time: mean },
            "normal" => {
                let deviation = Duration::from_seconds(mean.seconds() * table.number("deviation"));
                Service::Normal { mean, deviation: deviation.unwrap_or(Duration::MAX) }
            }
            kind => panic!("service kind {kind} is declared but not known here"),
        }
    }

    /// The mean service time.
    pub(super) fn mean(self) -> Duration {
        match self {
            Service::Exponential { mean } | Service::Normal { mean, .. } => mean,
            Service::Deterministic { time } => time,
        }
    }

    /// The same with another mean; a coefficient of variation stays.
    pub(super) fn with_mean(self, mean: Duration) -> Service {
        match self {
            Service::Exponential { .. } => Service::Exponential { mean },
            Service::Deterministic { .. } => Service::Deterministic { time: mean },
            Service::Normal { mean: before, deviation } => {
                let deviation = deviation.seconds() / before.seconds() * mean.seconds();
                Service::Normal { mean, deviation: Duration::from_seconds(deviation).unwrap_or(Duration::MAX) }
            }
        }
    }

    #[inline(always)]
    pub(super) fn draw(self, stream: &mut Stream) -> Duration {
        match self {
            Service::Exponential { mean } => sample::exponential(stream, mean),
            Service::Deterministic { time } => time,
            Service::Normal { mean, deviation } => sample::normal(stream, mean, deviation),
        }
    }

    /// As many times as there are places, as [`Service::draw`] gives one after the other.
    #[inline]
    pub(super) fn draw_all(self, stream: &mut Stream, times: &mut [Duration]) {
        match self {
            Service::Exponential { mean } => sample::exponentials(stream, mean, times),
            _ => times.fill_with(|| self.draw(stream)),
        }
    }
}

impl FlowSettings {
    fn of(table: &Table, scenario: &Scenario) -> FlowSettings {
        let arrivals = table.table("arrivals");
        let source = match arrivals::arrivals(arrivals) {
            Some(open) => {
                let (process, begin) = arrivals::process(arrivals, &open);
                Source::Open { process, begin }
            }
            None => Source::Closed {
                population: u32::try_from(arrivals.integer("population")).expect("a declared population fits"),
                think: arrivals.duration("think"),
            },
        };
        let path = table.words("path").iter().flat_map(|name| scenario.resolve(name)).collect();
        FlowSettings {
            name: table.name().to_owned(),
            path,
            source,
            probe: table.flag("probe"),
            silent: silent_at_first(scenario.events(), table.name()),
        }
    }
}
