//! The keys of `queue`: a network of queueing stations. It has closed forms, validates the engine, and is the template for
//! other networks.

pub mod event;
mod rules;

use sojourn_scenario::keys::common::{self, NAME, OPEN_ARRIVALS, OPTION, PROBE, QUESTION, RUN, SPAN};
use sojourn_scenario::keys::laws::{SERVICE, time_or_law};
use sojourn_scenario::keys::{Key, Kind, NetworkKeys, Shape, TableKeys, Target, Variant, Whose, key, scaled};

const THEORY: &str = "L. Kleinrock, Queueing Systems, volume 1 (1975)";

const STATION_KEYS: &[Key] = &[
    key("servers", Kind::Integer(1, 100_000), "Number of servers.").default("1", THEORY),
    key("service", Kind::Variants(SERVICE), "Distribution of the service time."),
    key(
        "capacity",
        Kind::Integer(1, 1_000_000_000),
        "Capacity in customers, those in service included; by default unlimited.",
    )
    .optional(),
];

const CLOSED: &[Variant] = &[Variant {
    word: "closed",
    help: "closed: a fixed population that circulates",
    keys: &[&[
        key("population", Kind::Integer(1, 1_000_000), "Number of customers."),
        key(
            "think",
            time_or_law(SPAN),
            "Think time between two rounds: the mean of an exponential distribution, or a distribution.",
        )
        .default("\"0 s\"", THEORY),
    ]],
}];

/// Open arrivals, and the closed population.
const ARRIVALS: &[Variant] = &[
    OPEN_ARRIVALS[0],
    OPEN_ARRIVALS[1],
    OPEN_ARRIVALS[2],
    OPEN_ARRIVALS[3],
    OPEN_ARRIVALS[4],
    OPEN_ARRIVALS[5],
    OPEN_ARRIVALS[6],
    OPEN_ARRIVALS[7],
    OPEN_ARRIVALS[8],
    CLOSED[0],
];

const FLOW_KEYS: &[Key] = &[
    NAME,
    key("path", Kind::Names(Target::Station, &[]), "The stations a customer visits, in order."),
    key("arrivals", Kind::Variants(ARRIVALS), "When customers arrive."),
    PROBE,
];

/// All tables and keys of `queue`.
pub static QUEUE: NetworkKeys = NetworkKeys {
    kind: "queue",
    also_called: &[],
    help: "Queueing stations: M/M/1, M/D/1, M/G/1, M/M/c, tandem queues, closed networks.",
    tables: &[
        common::NETWORK,
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME], STATION_KEYS],
            help: "A queue with its servers.",
        },
        TableKeys { name: "flow", shape: Shape::Many, keys: &[FLOW_KEYS], help: "A class of customers." },
        event::EVENTS,
        RUN,
        QUESTION,
        OPTION,
    ],
    shorthands: &[],
    uniform_medium: None,
    template: include_str!("template.toml"),
    measurements: &[],
    actions: &event::ACTIONS,
    unnamed_if_empty: &[],
    tunables: &[
        scaled("servers", "station", "servers", Whose::Each, &[2.0]),
        scaled("service-time", "station", "service.mean", Whose::Each, &[0.8, 0.5]),
    ],
    rules: rules::check,
};
