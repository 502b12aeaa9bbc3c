//! The keys of switched LANs: links, hosts and switches; echoes and bulk transfers, over ATM cells or Ethernet frames.

pub mod abr;
pub mod flow;
pub mod host;
pub mod lan;
pub mod medium;
pub mod queue;
pub(crate) mod rules;
pub mod shared;
pub mod switch;

use sojourn_scenario::keys::common::{self, NAME, ON, OPTION, PROFILE, QUESTION, RUN};
use sojourn_scenario::keys::{Key, Kind, NetworkKeys, Shape, TableKeys, Whose, key, scaled, tunable, word};

/// The study of response time on ATM LANs.
pub const STUDY: &str = "Chen and Brandt, ATM Forum, 1995";
/// OC-3c, and cells on it.
pub const SONET: &str = "ITU-T I.432";
/// Datagrams on virtual circuits.
pub const RFC_2684: &str = "RFC 2684";
/// The program that makes bulk transfers.
pub const TTCP: &str = "ttcp";
/// The TCP of the mid-1990s.
pub const BSD: &str = "4.4BSD";
/// A choice without a source.
pub const ASSUMED: &str = "assumption";

const STATION: &[Key] = &[
    PROFILE,
    key(
        "type",
        Kind::Word(&[
            word("host", "sends and receives, on one medium"),
            word("switch", "forwards, on any number of media"),
        ]),
        "Kind of station.",
    )
    .default("\"host\"", ASSUMED),
    key("costs", Kind::Table(host::COSTS), "Host: CPU and NIC costs of a packet.").default("{}", ASSUMED),
    key("tcp", Kind::Table(host::TCP), "Host: TCP parameters.").default("{}", ASSUMED),
    key(
        "switch",
        Kind::Table(switch::KEYS),
        "Switch: latency, and for cells buffers, discard, EFCI marking and rate control.",
    )
    .default("{}", STUDY),
];

/// All of switched LANs.
pub static SWITCHED_LAN: NetworkKeys = NetworkKeys {
    kind: "switched-lan",
    also_called: &[],
    help: "Switched LANs: interactive traffic and bulk transfers, over ATM cells or Ethernet frames.",
    tables: &[
        common::NETWORK,
        TableKeys {
            name: "lan",
            shape: Shape::One,
            keys: &[lan::KEYS],
            help: "Parameters of all links and virtual circuits.",
        },
        TableKeys {
            name: "abr",
            shape: Shape::One,
            keys: &[abr::KEYS],
            help: "Cells: parameters of ABR sources and destinations.",
        },
        TableKeys {
            name: "medium",
            shape: Shape::Many,
            keys: &[&[NAME], medium::KEYS, queue::OF_MEDIUM, shared::OF_MEDIUM],
            help: "Identical links: one between two stations, or one from a switch to each of its hosts on this medium; or a wire that all stations on it share.",
        },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME, common::COUNT, ON], STATION, shared::OF_STATION],
            help: "A host or a switch, or several identical ones.",
        },
        TableKeys {
            name: "flow",
            shape: Shape::Many,
            keys: &[
                flow::ENDS,
                flow::ECHO,
                flow::SERVER,
                flow::AT_INTERVALS,
                flow::STREAM,
                flow::OVER_TCP,
                flow::CALLS,
                &[flow::DSCP, flow::PCP],
                flow::CONDITIONED,
                flow::BULK_START,
                flow::CIRCUIT,
            ],
            help: "Requests over UDP or TCP, datagrams in one direction, a bulk transfer or calls between two hosts.",
        },
        TableKeys {
            name: "probe",
            shape: Shape::One,
            keys: &[flow::PROBED, flow::ECHO, flow::SERVER, flow::ECHO_START, flow::CIRCUIT],
            help: "The measured echo: a client's UDP requests to a server, in a closed loop.",
        },
        TableKeys {
            name: "background",
            shape: Shape::One,
            keys: &[flow::BULK_ENDS, flow::BULK, flow::BULK_START, flow::CIRCUIT],
            help: "Bulk transfers that load the network during the probe.",
        },
        crate::keys::EVENTS,
        RUN,
        QUESTION,
        OPTION,
    ],
    shorthands: &[],
    uniform_medium: None,
    template: include_str!("template.toml"),
    measurements: &[],
    actions: &crate::keys::ACTIONS,
    unnamed_if_empty: &[],
    tunables: &[
        scaled("rate", "medium", "rate", Whose::Each, &[10.0]),
        tunable("queue", "medium", "queue.kind", Whose::Each, &["fq-codel"]),
        tunable("pcp", "flow", "pcp", Whose::Probed, &["6"]),
        scaled("switch-buffer", "station", "switch.buffer", Whose::Each, &[0.5, 2.0]),
    ],
    rules: rules::check,
};
