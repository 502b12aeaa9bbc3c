//! The keys of `$kind`, and the rules between them.

use sojourn_scenario::keys::common::{self, NAME, OPEN_ARRIVALS, OPTION, PROBE, QUESTION, RUN};
use sojourn_scenario::keys::laws::SERVICE;
use sojourn_scenario::keys::{Key, Kind, NetworkKeys, Shape, TableKeys, Target, key};
use sojourn_scenario::{Problem, Problems, Scenario};

const STATION_KEYS: &[Key] = &[key("service", Kind::Variants(SERVICE), "Distribution of the service time.")];

const FLOW_KEYS: &[Key] = &[
    NAME,
    key("to", Kind::Names(Target::Station, &[]), "The station that its customers visit."),
    key("arrivals", Kind::Variants(OPEN_ARRIVALS), "When customers arrive."),
    PROBE,
];

/// All tables and keys of `$kind`.
pub static KEYS: NetworkKeys = NetworkKeys {
    kind: "$kind",
    also_called: &[],
    help: "One server with a queue: say here what $kind is.",
    tables: &[
        common::NETWORK,
        TableKeys { name: "station", shape: Shape::Many, keys: &[&[NAME], STATION_KEYS], help: "A queue with its server." },
        TableKeys { name: "flow", shape: Shape::Many, keys: &[FLOW_KEYS], help: "Customers." },
        RUN,
        QUESTION,
        OPTION,
    ],
    shorthands: &[],
    uniform_medium: None,
    template: include_str!("template.toml"),
    measurements: &[],
    actions: &[],
    unnamed_if_empty: &[],
    tunables: &[],
    rules,
};

/// Adds what does not hold between several keys.
fn rules(scenario: &mut Scenario, problems: &mut Problems) {
    for table in ["station", "flow"] {
        if let Some(second) = scenario.tables(table).nth(1) {
            let problem = Problem::at(second.place_of("name"), format!("$kind has one {table}"));
            problems.push(problem.help("remove the others"));
        }
    }
}
