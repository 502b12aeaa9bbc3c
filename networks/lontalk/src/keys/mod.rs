//! The keys of LonTalk (ISO/IEC 14908-1): network, media, stations, flows, and the shorthands of the published study.

mod costs;
pub mod event;
mod flow;
pub mod ip852;
mod medium;
mod rules;
mod station;

use sojourn_scenario::keys::common::{self, NAME, ON, OPTION, QUESTION, RUN};
use sojourn_scenario::keys::{
    Key, Kind, NetworkKeys, Shape, Shorthand, TableKeys, Whose, between, key, scaled, tunable, word,
};

/// The response-time bulletin's name in `source`.
pub const BULLETIN: &str = "LonTalk response-time bulletin (Echelon, March 1992)";
/// The standard.
pub const STANDARD: &str = "ISO/IEC 14908-1";
/// The openly published protocol stack's transceiver table.
pub const TRANSCEIVERS: &str = "open LON Stack EX, standard transceiver table";
/// Not from a source: an assumption of the model.
pub const ASSUMED: &str = "assumption";

const NETWORK_KEYS: &[Key] = &[
    key(
        "transaction_timer_scale",
        Kind::Number(between("0.1", "10")),
        "Actual length of a transaction timer relative to its code.",
    )
    .default("1.0", ASSUMED),
    key(
        "transaction_timer_starts",
        Kind::Word(&[
            word("hand-off", "when the message is passed to the network layer; waiting for the channel counts"),
            word("after-transmission", "when the message has been transmitted"),
        ]),
        "When the transaction timer starts.",
    )
    .default("\"hand-off\"", "open LON Stack DX, transaction control"),
    key(
        "withdraw_answered_copies",
        Kind::Flag,
        "Whether a queued retry is removed when the acknowledgement or response arrives.",
    )
    .default("true", ASSUMED),
];

/// All tables and keys of `lontalk`.
pub static LONTALK: NetworkKeys = NetworkKeys {
    kind: "lontalk",
    also_called: &["lonworks"],
    help: "A LonTalk control network: channels with predictive p-persistent CSMA, Neuron nodes, all services.",
    tables: &[
        TableKeys {
            name: "network",
            shape: Shape::One,
            keys: &[common::NETWORK_KEYS, NETWORK_KEYS],
            help: "The kind of network, and parameters of all of it.",
        },
        TableKeys {
            name: "medium",
            shape: Shape::Many,
            keys: &[&[NAME], medium::KEYS, ip852::KEYS],
            help: "A channel.",
        },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME, common::COUNT, ON], station::KEYS],
            help: "A node, or several identical ones; a node on two channels is a router.",
        },
        TableKeys {
            name: "flow",
            shape: Shape::Many,
            keys: &[common::FLOW, flow::KEYS, flow::DEVICE],
            help: "A network variable connection, or explicit messages, from one application to others.",
        },
        event::EVENTS,
        RUN,
        QUESTION,
        OPTION,
        TableKeys {
            name: "channel",
            shape: Shape::Shorthand,
            keys: &[medium::KEYS, ip852::KEYS],
            help: "The keys of the only channel.",
        },
        TableKeys {
            name: "probe",
            shape: Shape::Shorthand,
            keys: &[flow::PROBE_KEYS, flow::KEYS],
            help: "A sender, a receiver, and the measured flow between them.",
        },
        TableKeys {
            name: "background",
            shape: Shape::Shorthand,
            keys: &[flow::BACKGROUND_KEYS, flow::KEYS],
            help: "Pairs of stations that load the channel at a given total rate.",
        },
    ],
    shorthands: &[
        Shorthand {
            table: "probe",
            stations: &[("sender", None), ("receiver", None)],
            to: "receiver",
            fixed: &[("probe", "true")],
            rate: None,
        },
        Shorthand {
            table: "background",
            stations: &[("generator", Some("stations"))],
            to: "partner",
            fixed: &[],
            rate: Some(("rate", flow::packets_per_message)),
        },
    ],
    uniform_medium: Some("channel"),
    template: include_str!("template.toml"),
    measurements: &[],
    actions: &event::ACTIONS,
    unnamed_if_empty: &[],
    tunables: &[
        tunable("priority", "flow", "priority", Whose::Probed, &["true"]),
        tunable("priority", "probe", "priority", Whose::All, &["true"]),
        tunable(
            "service",
            "flow",
            "service",
            Whose::Probed,
            &["unacknowledged", "unacknowledged-repeated", "acknowledged"],
        ),
        tunable(
            "service",
            "probe",
            "service",
            Whose::All,
            &["unacknowledged", "unacknowledged-repeated", "acknowledged"],
        ),
        scaled("transaction-timer", "flow", "transaction_timer", Whose::Each, &[2.0, 3.0]),
        scaled("transaction-timer", "probe", "transaction_timer", Whose::All, &[2.0, 3.0]),
        tunable("retries", "flow", "retries", Whose::All, &["1"]),
        scaled("poll-interval", "flow", "arrivals.interval", Whose::Each, &[2.0]),
        tunable("answers-queued", "station", "buffers.network_output_answers", Whose::All, &["7"]),
        tunable("channel", "medium", "channel", Whose::Each, &["TP/XF-1250"]),
        tunable("channel", "channel", "channel", Whose::All, &["TP/XF-1250"]),
        tunable("segments", "medium", "segments", Whose::Each, &["2"]),
        tunable("router", "station", "router", Whose::All, &["configured"]),
    ],
    rules: rules::check,
};
