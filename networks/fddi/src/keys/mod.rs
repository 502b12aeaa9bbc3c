//! The keys of FDDI (ANSI X3.139): rings, hosts, voice and other traffic over XTP or datagrams, and the tables of the
//! published voice study.

mod association;
pub mod event;
mod flow;
mod rules;
mod station;
mod study;

use sojourn_scenario::keys::common::{self, NAME, ON, OPTION, PROFILE, QUESTION, RUN};
use sojourn_scenario::keys::{
    Key, Kind, NetworkKeys, Shape, Shorthand, TableKeys, Whose, between, key, scaled, time, tunable,
};
use sojourn_scenario::quantity::Dimension;

/// Report of the voice study.
pub const REPORT: &str = "UVA TR-92-05 (Weaver, McNabb, Fenton, Simoncic)";
/// Medium access control (MAC) of FDDI.
pub const STANDARD: &str = "ANSI X3.139";
/// Source of station latency and TTRT.
pub const JAIN: &str = "R. Jain, SIGCOMM '90";
/// No source: an assumption of this project.
pub const ASSUMED: &str = "assumption";

const NETWORK_KEYS: &[Key] = &[key(
    "decodable_capture",
    Kind::Flag,
    "Captures write synchronous frames as asynchronous ones, because Wireshark decodes the contents of those only.",
)
.default("true", ASSUMED)];

/// Keys of `[[medium]]` beside its name, and of `[ring]`.
const RING: &[Key] = &[
    PROFILE,
    key(
        "length",
        Kind::Quantity(Dimension::Length, between("0 m", "200 km")),
        "Circumference of the ring, divided evenly between its stations; 5.085 µs/km.",
    )
    .default("\"0.1 km\"", ASSUMED),
    key("station_latency", time(between("1 ns", "1 ms")), "Latency of each station as a repeater.")
        .default("\"1 µs\"", JAIN),
    key(
        "ttrt",
        time(common::SOME_TIME),
        "Target token rotation time (TTRT) its stations bid, 4 ms to 165 ms; the lowest bid wins.",
    )
    .default("\"8 ms\"", JAIN),
    key(
        "enforce_allocation",
        Kind::Flag,
        "Stations observe their synchronous allocations; in the standard only station management checks them.",
    )
    .default("true", STANDARD),
    key(
        "bypass_time",
        time(between("0 s", "1 s")),
        "Events: how long the ring is interrupted while a station that loses or gets power is bypassed or enters; by default 25 ms, I_Max of ANSI X3.229.",
    )
    .optional(),
    key("idle_macs", Kind::Integer(0, 1000), "Further MACs that only repeat; a ring has at most 1000.")
        .default("0", ASSUMED),
];

/// Tables and keys of `kind = "fddi"`.
pub static FDDI: NetworkKeys = NetworkKeys {
    kind: "fddi",
    also_called: &[],
    help: "FDDI timed-token rings; hosts with voice and data over XTP or datagrams.",
    tables: &[
        TableKeys {
            name: "network",
            shape: Shape::One,
            keys: &[common::NETWORK_KEYS, NETWORK_KEYS],
            help: "Kind of network, and keys of the whole network.",
        },
        TableKeys { name: "medium", shape: Shape::Many, keys: &[&[NAME], RING], help: "A ring." },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME, common::COUNT, ON], station::KEYS],
            help: "Host, or several identical ones; a station on two rings is a router.",
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
            help: "Measurement of a probed voice flow: exchanges, a bulk stream, then voice in real time.",
        },
        TableKeys {
            name: "background",
            shape: Shape::One,
            keys: &[study::BACKGROUND],
            help: "Traffic generator on the first ring; its frames have no receiver.",
        },
        TableKeys {
            name: "messages",
            shape: Shape::One,
            keys: &[study::MESSAGES],
            help: "Short messages between the hosts of the probed voice.",
        },
        TableKeys { name: "impairment", shape: Shape::One, keys: &[study::IMPAIRMENT], help: "Injected losses." },
        TableKeys {
            name: "router",
            shape: Shape::One,
            keys: &[study::ROUTER],
            help: "Routers between the senders and the receivers of the probed voice.",
        },
        event::EVENTS,
        RUN,
        QUESTION,
        OPTION,
        TableKeys {
            name: "ring",
            shape: Shape::Shorthand,
            keys: &[RING],
            help: "Keys of the ring in a network of one ring.",
        },
        TableKeys {
            name: "voice",
            shape: Shape::Shorthand,
            keys: &[flow::VOICE, study::RECEIVERS, flow::TRANSPORT, association::KEYS],
            help: "Sender, one or more receivers, and the measured voice flow between them.",
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
    measurements: &[],
    actions: &event::ACTIONS,
    unnamed_if_empty: &[],
    tunables: &[
        scaled("ttrt", "medium", "ttrt", Whose::All, &[0.5, 2.0]),
        scaled("ttrt", "ring", "ttrt", Whose::All, &[0.5, 2.0]),
        tunable("class", "flow", "class", Whose::Probed, &["synchronous", "asynchronous"]),
        scaled("window", "flow", "window", Whose::Each, &[2.0]),
        tunable("jitter-buffer", "flow", "jitter_buffer", Whose::Each, &["fixed", "adaptive"]),
    ],
    rules: rules::check,
};
