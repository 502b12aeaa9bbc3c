//! A queue scenario in this network's own types.

use sojourn_core::{Duration, Stream, Time};
use sojourn_engine::arrivals::Process;
use sojourn_engine::sample;
use sojourn_scenario::{Scenario, Table};

use crate::common::arrivals;

/// Everything a replication needs to know.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub stations: Vec<StationSettings>,
    pub flows: Vec<FlowSettings>,
}

#[derive(Clone, Debug)]
pub(super) struct StationSettings {
    pub name: String,
    pub servers: usize,
    pub service: Service,
    /// Customers that find room, those served included.
    pub capacity: Option<u64>,
}

/// How long a customer is served.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Service {
    Exponential { mean: Duration },
    Deterministic { time: Duration },
    Normal { mean: Duration, deviation: Duration },
}

#[derive(Clone, Debug)]
pub(super) struct FlowSettings {
    pub name: String,
    /// Indices of the stations, in the order of the visits; never empty.
    pub path: Vec<usize>,
    pub source: Source,
    pub probe: bool,
}

/// Where a flow's customers come from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// From outside, and they leave.
    Open { process: Process, begin: Time },
    /// They go round and round, with an exponential pause between two rounds.
    Closed { population: u32, think: Duration },
}

impl Settings {
    /// The settings of a checked scenario.
    pub fn of(scenario: &Scenario) -> Settings {
        let stations = scenario.list("station").iter().map(StationSettings::of).collect();
        let mut flows: Vec<FlowSettings> =
            scenario.list("flow").iter().map(|flow| FlowSettings::of(flow, scenario)).collect();
        // without a probe, every flow is one
        if !flows.iter().any(|flow| flow.probe) {
            flows.iter_mut().for_each(|flow| flow.probe = true);
        }
        Settings { stations, flows }
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

    #[inline]
    pub fn draw(self, stream: &mut Stream) -> Duration {
        match self {
            Service::Exponential { mean } => sample::exponential(stream, mean),
            Service::Deterministic { time } => time,
            Service::Normal { mean, deviation } => sample::normal(stream, mean, deviation),
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
        FlowSettings { name: table.name().to_owned(), path, source, probe: table.flag("probe") }
    }
}
