//! A queue scenario in this network's own types.

use sojourn_core::{Stream, Streams, Time};
use sojourn_engine::arrivals::Process;
use sojourn_engine::law::Law;
use sojourn_scenario::{Problems, Scenario, Table};

use super::plan::{self, Effect};
use sojourn_model::timed::{EventPlan, silent_at_first};
use sojourn_model::{arrivals, laws};

/// Everything a replication needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The stations, in the order of the scenario.
    pub stations: Vec<StationSettings>,
    /// The flows through them.
    pub flows: Vec<FlowSettings>,
    /// What happens during a run, if anything does.
    pub events: Option<EventPlan<Effect>>,
}

/// Servers that share a queue.
#[derive(Clone, Debug)]
pub struct StationSettings {
    /// Its name.
    pub name: String,
    /// How many servers it has, at least 1.
    pub servers: usize,
    /// The time that each needs for a customer.
    pub service: Law,
    /// Customers that find room, those served included.
    pub capacity: Option<u64>,
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
    /// They go round and round, with a pause between two rounds.
    Closed {
        /// How many there are.
        population: u32,
        /// The pauses.
        think: Law,
    },
}

impl Settings {
    /// The settings of a checked scenario; an event that it cannot obey is a mistake.
    pub fn of(scenario: &Scenario) -> Result<Settings, Problems> {
        let stations: Vec<_> = scenario.list("station").iter().map(StationSettings::of).collect();
        let means: Vec<_> = stations.iter().map(|station| station.service.mean).collect();
        let mut flows: Vec<FlowSettings> =
            scenario.list("flow").iter().map(|flow| FlowSettings::of(flow, scenario)).collect();
        // without a probe, every flow is one
        if !flows.iter().any(|flow| flow.probe) {
            flows.iter_mut().for_each(|flow| flow.probe = true);
        }
        Ok(Settings { stations, flows, events: plan::plan(scenario, &means)? })
    }
}

impl StationSettings {
    fn of(table: &Table) -> StationSettings {
        let service = laws::law(table.table("service"), |table| table.duration("mean"));
        StationSettings {
            name: table.name().to_owned(),
            servers: usize::try_from(table.integer("servers")).expect("a declared number of servers fits"),
            service: service.expect("every kind of service is a law"),
            capacity: table.optional_integer("capacity"),
        }
    }

    /// The random numbers of its services.
    pub(super) fn stream(&self, streams: &Streams) -> Stream {
        streams.stream(&format!("station/{}/service", self.name))
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
                think: laws::exponential(arrivals, "think"),
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
