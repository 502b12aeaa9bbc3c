//! The keys of packet radio: radio channels and wires, terminals, digipeaters, NET/ROM nodes and ROSE switches, the
//! ping-pong between two terminals, and background traffic.

pub mod event;
mod flow;
mod link;
mod medium;
mod node;
mod rules;
mod station;
mod switch;
mod terminal;

use sojourn_scenario::keys::common::{self, NAME, ON, OPTION, QUESTION, RUN};
use sojourn_scenario::keys::{Measurement, NetworkKeys, Shape, TableKeys, Whose, live, scaled, tunable};

/// The link layer's standard.
pub const STANDARD: &str = "AX.25 v2.2, section 6.7.2";
/// The firmware most terminals descend from.
pub const TNC2: &str = "TAPR TNC-2";
/// Channel access parameters that a host sends to a TNC.
pub const KISS: &str = "KISS (Chepponis, Karn)";
/// The node's published parameter list.
pub const X1J: &str = "TheNet X-1J4 parameter list";
/// A descendant of the node's firmware, source code available.
pub const THE_NET_NODE: &str = "TheNetNode";
/// A ROSE switch, source code available.
pub const LINUX_ROSE: &str = "Linux net/rose";
/// A NET/ROM node, source code available.
pub const LINUX_NETROM: &str = "Linux net/netrom";
/// Not from a source: an assumption of the model.
pub const ASSUMED: &str = "assumption";

/// The table of losses between stations.
pub const PATH_LOSS: &str = "path_loss";

/// All of packet radio.
pub static PACKET_RADIO: NetworkKeys = NetworkKeys {
    kind: "packet-radio",
    also_called: &["ax25", "ax.25"],
    help: "Packet radio: AX.25 over shared radio channels and wires, with digipeaters, NET/ROM nodes and ROSE switches.",
    tables: &[
        common::NETWORK,
        TableKeys {
            name: "medium",
            shape: Shape::Many,
            keys: &[&[NAME], medium::KEYS],
            help: "A radio channel that its stations share, or a wire between two.",
        },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME, common::COUNT, ON], station::KEYS, link::KEYS, terminal::KEYS, node::KEYS, switch::KEYS],
            help: "A terminal, digipeater, node or switch, or several identical ones; it has a port on each of its media.",
        },
        TableKeys {
            name: PATH_LOSS,
            shape: Shape::Many,
            keys: &[&[NAME], medium::PATH_LOSS],
            help: "How much weaker than others a radio path is; paths without one have 0 dB.",
        },
        TableKeys {
            name: "flow",
            shape: Shape::Many,
            keys: &[flow::KEYS],
            help: "Background traffic and sessions of users, passed to the stations' TNCs without a serial line.",
        },
        TableKeys {
            name: "probe",
            shape: Shape::One,
            keys: &[flow::PROBE],
            help: "The ping-pong: a terminal sends a block, another returns it, and the round trip is measured.",
        },
        event::EVENTS,
        live::measure::OF_RADIO,
        live::on_air::ON_AIR,
        RUN,
        QUESTION,
        OPTION,
        TableKeys {
            name: "channel",
            shape: Shape::Shorthand,
            keys: &[medium::KEYS],
            help: "The keys of the only medium.",
        },
    ],
    shorthands: &[],
    uniform_medium: Some("channel"),
    template: include_str!("template.toml"),
    measurements: &[Measurement { name: "packet-radio-measurement", template: include_str!("measurement.toml") }],
    actions: &event::ACTIONS,
    unnamed_if_empty: &[PATH_LOSS],
    tunables: &[
        tunable("paclen", "station", "paclen", Whose::All, &["64 B", "128 B", "256 B"]),
        tunable("window", "station", "window", Whose::All, &["1", "2", "4", "7"]),
        tunable("persistence", "medium", "persistence", Whose::All, &["10 %", "25 %", "50 %"]),
        scaled("slot-time", "medium", "slottime", Whose::All, &[0.5, 2.0]),
        tunable("persistence", "channel", "persistence", Whose::All, &["10 %", "25 %", "50 %"]),
        scaled("slot-time", "channel", "slottime", Whose::All, &[0.5, 2.0]),
        scaled("frack", "station", "frack", Whose::All, &[2.0, 3.0]),
        scaled("bit-rate", "medium", "bit_rate", Whose::All, &[8.0]),
    ],
    rules: rules::check,
};
