//! The keys of BACnet MS/TP: trunks, stations with their timers and costs, flows of BACnet services.

pub mod event;
mod flow;
mod medium;
mod rules;
mod station;

use sojourn_scenario::keys::common::{self, NAME, ON, OPTION, QUESTION, RUN};
use sojourn_scenario::keys::{NetworkKeys, Shape, TableKeys, Whose, scaled, tunable};

/// The standard, in the words of its open implementation.
pub const STANDARD: &str = "ANSI/ASHRAE 135 clause 9, as bacnet-stack quotes it";
/// The open implementation, for defaults.
pub const BACNET_STACK: &str = "bacnet-stack 1c636cb5, src/bacnet/datalink/mstpdef.h";
/// Not from a source: an assumption of the model.
pub const ASSUMED: &str = "assumption";

/// All tables and keys of `mstp`.
pub static MSTP: NetworkKeys = NetworkKeys {
    kind: "mstp",
    also_called: &["ms/tp", "bacnet-mstp"],
    help: "BACnet MS/TP: masters that pass a token on RS-485 trunks, slaves, routers between trunks and to an IP network.",
    tables: &[
        common::NETWORK,
        TableKeys {
            name: "medium",
            shape: Shape::Many,
            keys: &[&[NAME], medium::KEYS],
            help: "A trunk, or an IP network that routers are attached to.",
        },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME, common::COUNT, ON], station::KEYS],
            help: "A device, or several identical ones; one on two media is a router.",
        },
        TableKeys {
            name: "flow",
            shape: Shape::Many,
            keys: &[common::FLOW, flow::KEYS],
            help: "Requests of a BACnet service, or notifications, from one device to others.",
        },
        event::EVENTS,
        RUN,
        QUESTION,
        OPTION,
        TableKeys {
            name: "trunk",
            shape: Shape::Shorthand,
            keys: &[medium::KEYS],
            help: "The keys of the only trunk.",
        },
    ],
    shorthands: &[],
    uniform_medium: Some("trunk"),
    template: include_str!("template.toml"),
    measurements: &[],
    actions: &event::ACTIONS,
    unnamed_if_empty: &[],
    tunables: &[
        scaled("bit-rate", "medium", "bit_rate", Whose::Each, &[2.0]),
        tunable("max-info-frames", "station", "max_info_frames", Whose::All, &["5", "20"]),
        tunable("max-master", "station", "max_master", Whose::All, &["64", "32"]),
        scaled("apdu-timeout", "flow", "apdu_timeout", Whose::All, &[2.0]),
        scaled("poll-interval", "flow", "arrivals.interval", Whose::Each, &[2.0]),
    ],
    rules: rules::check,
};
