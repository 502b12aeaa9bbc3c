//! The keys of FDDI (ANSI X3.139): rings, hosts, voice and other traffic over XTP or datagrams, and the tables of the
//! published voice study.

mod association;
mod flow;
mod station;
mod study;

use super::common::{self, NAME, ON, PROFILE, QUESTION, RUN};
use super::{Key, Kind, NetworkKeys, Shape, Shorthand, TableKeys, between, key, time};
use crate::quantity::Dimension;

/// The voice study's report.
pub(crate) const REPORT: &str = "UVA TR-92-05 (Weaver, McNabb, Fenton, Simoncic)";
/// The ring's standard.
pub(crate) const STANDARD: &str = "ANSI X3.139";
/// Station latency and TTRT.
pub(crate) const JAIN: &str = "R. Jain, SIGCOMM '90";
/// A choice of ours.
pub(crate) const ASSUMED: &str = "assumption";

const NETWORK_KEYS: &[Key] = &[key(
    "decodable_capture",
    Kind::Flag,
    "Whether captures show synchronous frames as asynchronous ones, whose contents alone readers decode.",
)
.default("true", ASSUMED)];

/// Keys of `[[medium]]` beside its name, and of `[ring]`.
const RING: &[Key] = &[
    PROFILE,
    key(
        "length",
        Kind::Quantity(Dimension::Length, between("0 m", "200 km")),
        "Fibre once round the ring, divided evenly between its stations; 5.085 µs for each kilometre.",
    )
    .default("\"0.1 km\"", ASSUMED),
    key("station_latency", time(between("1 ns", "1 ms")), "What each station delays what it repeats.")
        .default("\"1 µs\"", JAIN),
    key(
        "ttrt",
        time(common::SOME_TIME),
        "Target token rotation time that its stations bid for, 4 ms to 165 ms; the lowest bid wins.",
    )
    .default("\"8 ms\"", JAIN),
    key(
        "enforce_allocation",
        Kind::Flag,
        "Whether the stations' synchronous allocations bind them; in the standard, station management alone looks after that.",
    )
    .default("true", STANDARD),
    key("idle_macs", Kind::Integer(0, 1000), "Further stations that only repeat; a ring has at most 1000 MACs.")
        .default("0", ASSUMED),
];

/// All of FDDI.
pub static FDDI: NetworkKeys = NetworkKeys {
    kind: "fddi",
    help: "FDDI token rings with hosts that carry voice and data over XTP or datagrams.",
    tables: &[
        TableKeys {
            name: "network",
            shape: Shape::One,
            keys: &[common::NETWORK, NETWORK_KEYS],
            help: "The kind of network, and what holds for all of it.",
        },
        TableKeys { name: "medium", shape: Shape::Many, keys: &[&[NAME], RING], help: "A ring." },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME, common::COUNT, ON], station::KEYS],
            help: "A host, or many alike; a station on two rings is a router between them.",
        },
        TableKeys {
            name: "flow",
            shape: Shape::Many,
            keys: &[flow::ENDS, flow::VOICE, flow::MESSAGE, flow::TRANSPORT, association::KEYS],
            help: "Voice, bulk data or messages from one host to others.",
        },
        TableKeys {
            name: "probe",
            shape: Shape::One,
            keys: &[study::PROBE],
            help: "How a probed voice flow is measured: exchanges, a stream, and voice in real time, one after the other.",
        },
        TableKeys {
            name: "background",
            shape: Shape::One,
            keys: &[study::BACKGROUND],
            help: "A traffic generator on the first ring, whose frames are for nobody.",
        },
        TableKeys {
            name: "messages",
            shape: Shape::One,
            keys: &[study::MESSAGES],
            help: "Short messages beside the probed voice, between the same hosts.",
        },
        TableKeys {
            name: "impairment",
            shape: Shape::One,
            keys: &[study::IMPAIRMENT],
            help: "What goes wrong on purpose.",
        },
        TableKeys {
            name: "router",
            shape: Shape::One,
            keys: &[study::ROUTER],
            help: "Routers between the senders and the receivers of the probed voice.",
        },
        RUN,
        QUESTION,
        TableKeys {
            name: "ring",
            shape: Shape::Shorthand,
            keys: &[RING],
            help: "The keys of the ring where there is only one.",
        },
        TableKeys {
            name: "voice",
            shape: Shape::Shorthand,
            keys: &[flow::VOICE, study::RECEIVERS, flow::TRANSPORT, association::KEYS],
            help: "A sender, one or more receivers, and the measured voice between them.",
        },
    ],
    shorthands: &[Shorthand {
        table: "voice",
        stations: &[("sender", None), ("receiver", Some("receivers"))],
        to: "receiver",
        fixed: &[("traffic", "\"voice\""), ("probe", "true")],
        rate: None,
    }],
    uniform_medium: Some("ring"),
    template: include_str!("template.toml"),
};
