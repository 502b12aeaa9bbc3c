//! The keys of `can`: buses, stations, flows.

pub mod event;
mod flow;
mod medium;
pub mod rules;
mod station;

use sojourn_scenario::keys::common::{self, COUNT, NAME, ON, OPTION, PROFILE, QUESTION, RUN};
use sojourn_scenario::keys::{NetworkKeys, Shape, TableKeys, Whose, scaled, tunable};

/// The standard.
pub const STANDARD: &str = "ISO 11898-1:2015";
/// Not from a source: an assumption of the model.
pub const ASSUMED: &str = "assumption";

/// All tables and keys of `can`.
pub static CAN: NetworkKeys = NetworkKeys {
    kind: "can",
    also_called: &["canbus", "can-bus", "can-fd", "canfd", "canopen", "j1939"],
    help: "Controller Area Network: buses of CAN 2.0 and CAN FD with arbitration by identifier, gateways, CANopen, J1939.",
    tables: &[
        common::NETWORK,
        TableKeys {
            name: "medium",
            shape: Shape::Many,
            keys: &[&[NAME, PROFILE], medium::KEYS],
            help: "A bus, or an IP network between gateways.",
        },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME, COUNT, ON, PROFILE], station::KEYS],
            help: "A node, or several identical ones; a node on several buses is a gateway.",
        },
        TableKeys {
            name: "flow",
            shape: Shape::Many,
            keys: &[flow::KEYS],
            help: "Messages of one identifier, from one application to others.",
        },
        event::EVENTS,
        RUN,
        QUESTION,
        OPTION,
        TableKeys {
            name: "bus",
            shape: Shape::Shorthand,
            keys: &[&[PROFILE], medium::KEYS],
            help: "The keys of the only bus.",
        },
    ],
    shorthands: &[],
    uniform_medium: Some("bus"),
    template: include_str!("template.toml"),
    measurements: &[],
    actions: &event::ACTIONS,
    unnamed_if_empty: &[],
    tunables: &[
        scaled("bit-rate", "bus", "bit_rate", Whose::All, &[2.0]),
        scaled("bit-rate", "medium", "bit_rate", Whose::Each, &[2.0]),
        tunable("queue", "station", "queue", Whose::All, &["priority", "fifo"]),
        tunable("offsets", "station", "offsets", Whose::All, &["spread"]),
        tunable("mailboxes", "station", "mailboxes", Whose::All, &["3", "16"]),
    ],
    rules: rules::check,
};
