//! The keys of `queue`: stations that serve customers one after another. It has closed forms, validates the engine,
//! and is the template for other networks.

use super::common::{self, NAME, PROBE, QUESTION, RUN, SOME_TIME, SPAN};
use super::{Bounds, Key, Kind, NetworkKeys, Shape, TableKeys, Target, Variant, between, key, time};

const THEORY: &str = "L. Kleinrock, Queueing Systems, volume 1 (1975)";
const COEFFICIENT: Bounds = between("0", "100");
const MEAN: Key = key("mean", time(SOME_TIME), "Mean time a customer is served.");

const SERVICE: &[Variant] = &[
    Variant { word: "exponential", help: "exponentially distributed", keys: &[&[MEAN]] },
    Variant { word: "deterministic", help: "always the same", keys: &[&[MEAN]] },
    Variant {
        word: "normal",
        help: "normally distributed, cut at zero",
        keys: &[&[
            MEAN,
            key("deviation", Kind::Number(COEFFICIENT), "Standard deviation, relative to the mean.")
                .default("0.1", THEORY),
        ]],
    },
];

const STATION_KEYS: &[Key] = &[
    key("servers", Kind::Integer(1, 100_000), "How many customers are served at once.").default("1", THEORY),
    key("service", Kind::Variants(SERVICE), "How long a customer is served."),
    key(
        "capacity",
        Kind::Integer(1, 1_000_000_000),
        "Customers that find room, those served included; without it, all do.",
    )
    .optional(),
];

const CLOSED: &[Variant] = &[Variant {
    word: "closed",
    help: "a fixed number of customers that go round and round",
    keys: &[&[
        key("population", Kind::Integer(1, 1_000_000), "How many customers there are."),
        key("think", time(SPAN), "Mean time a customer spends outside between two rounds, exponential.")
            .default("\"0 s\"", THEORY),
    ]],
}];

/// Open arrivals that make sense without a network, and the closed population.
const ARRIVALS: &[Variant] = &[
    common::ARRIVALS[0],
    common::ARRIVALS[1],
    common::ARRIVALS[2],
    common::ARRIVALS[3],
    common::ARRIVALS[4],
    CLOSED[0],
];

const FLOW_KEYS: &[Key] = &[
    NAME,
    key("path", Kind::Names(Target::Station, &[]), "The stations a customer visits, in order."),
    key("arrivals", Kind::Variants(ARRIVALS), "When customers arrive."),
    PROBE,
];

/// All of `queue`.
pub static QUEUE: NetworkKeys = NetworkKeys {
    kind: "queue",
    help: "Stations that serve customers one after another: M/M/1, M/D/1, tandems, closed populations.",
    tables: &[
        TableKeys { name: "network", shape: Shape::One, keys: &[common::NETWORK], help: "The kind of network." },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME], STATION_KEYS],
            help: "A queue with its servers.",
        },
        TableKeys { name: "flow", shape: Shape::Many, keys: &[FLOW_KEYS], help: "Customers of one kind." },
        RUN,
        QUESTION,
    ],
    shorthands: &[],
    uniform_medium: None,
    template: include_str!("queue.toml"),
};
