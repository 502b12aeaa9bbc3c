//! The keys of `modbus`: lines and links, stations, polls.

pub mod event;
mod flow;
pub mod medium;
mod rules;
mod station;

use sojourn_scenario::keys::common::{self, NAME, ON, OPTION, QUESTION, RUN};
use sojourn_scenario::keys::{NetworkKeys, Shape, TableKeys, Whose, scaled, tunable};

/// The specification of lines in `source`.
pub const SERIAL_LINE: &str = "Modbus over Serial Line Specification and Implementation Guide V1.02";
/// The specification of functions.
pub const APPLICATION: &str = "Modbus Application Protocol Specification V1.1b3";
/// The guide of Modbus on TCP.
pub const TCP_GUIDE: &str = "Modbus Messaging on TCP/IP Implementation Guide V1.0b";
/// Not from a source: an assumption of the model.
pub const ASSUMED: &str = "assumption";

/// All tables and keys of `modbus`.
pub static MODBUS: NetworkKeys = NetworkKeys {
    kind: "modbus",
    also_called: &["modbus-rtu", "modbus-tcp", "modbus-ascii"],
    help: "Modbus RTU, ASCII and TCP: clients that poll servers over serial lines, links and gateways.",
    tables: &[
        common::NETWORK,
        TableKeys {
            name: "medium",
            shape: Shape::Many,
            keys: &[&[NAME], medium::KEYS],
            help: "A serial line with its format of characters, or links that carry TCP.",
        },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME, common::COUNT, ON], station::KEYS],
            help: "A client, a server, or several identical servers; a station on a serial line and on TCP is a gateway.",
        },
        TableKeys {
            name: "flow",
            shape: Shape::Many,
            keys: &[flow::KEYS],
            help: "What a client asks of some servers: a group of polls, or writes.",
        },
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
        scaled("bit-rate", "medium", "bit_rate", Whose::Each, &[2.0, 4.0]),
        scaled("timeout", "flow", "timeout", Whose::All, &[0.5]),
        tunable("retries", "flow", "retries", Whose::All, &["0", "1"]),
        tunable("latency-timer", "station", "host.latency_timer", Whose::All, &["1 ms"]),
        tunable("merge", "flow", "merge", Whose::All, &["true"]),
        scaled("outstanding", "station", "outstanding", Whose::All, &[4.0]),
    ],
    rules: rules::check,
};
