//! The keys of IP networks: links with rate, delay, loss and queues; hosts and routers; requests and bulk transfers.
//! Links, hosts and flows have the keys of switched LANs, with present-day defaults.

mod rules;

use crate::switched::keys::{ASSUMED, flow, host, medium, queue};
use sojourn_scenario::keys::Flag;
use sojourn_scenario::keys::common::{self, NAME, ON, OPTION, PROFILE, QUESTION, RUN, SPAN};
use sojourn_scenario::keys::live::group;
use sojourn_scenario::keys::{
    Key, Kind, Measurement, NetworkKeys, Preset, Shape, TableKeys, Whose, between, key, live, scaled, time, tunable,
    word,
};
use sojourn_scenario::quantity::Dimension;

/// Bit rate of a link that states none, as its key has it.
const DEFAULT_RATE: f64 = 1e9;
const RATE: Key = key(
    "rate",
    Kind::QuantityOr(
        Dimension::BitRate,
        medium::LINK_RATE,
        &[word("unlimited", "no transmission time, as between the ends of a virtual Ethernet pair")],
    ),
    "Link rate, bits per second in each direction, framing included.",
)
.default("\"1 Gbit/s\"", ASSUMED)
.changeable();

/// The rate of a link's other direction.
pub const RATE_BACK: &str = "rate_back";
/// The queue before it.
pub const QUEUE_BACK: &str = "queue_back";

/// What is different in the other direction, as in access networks.
const BACK: &[Key] = &[
    Key {
        name: RATE_BACK,
        preset: Preset::Absent,
        changeable: false,
        help: "Link rate of the other direction: to the router, or between two routers or two hosts to the one declared first; by default `rate`.",
        ..RATE
    },
    key(
        QUEUE_BACK,
        Kind::Variants(queue::QUEUE),
        "Queue discipline before that direction; by default that of `queue`.",
    )
    .optional(),
];

/// The file of a link's rate over time.
pub const RATE_TRACE: &str = "rate_trace";
/// That of the other direction.
pub const RATE_TRACE_BACK: &str = "rate_trace_back";

/// Rates over time, in place of a constant one.
const TRACES: &[Key] = &[
    key(
        RATE_TRACE,
        Kind::File,
        "File with the link's rate over time, in place of `rate`: a packet-delivery trace of Mahimahi, or CSV with time (s) and rate (bit/s).",
    )
    .optional(),
    key(
        RATE_TRACE_BACK,
        Kind::File,
        "The same of the other direction: to the router, or between two routers or two hosts to the one declared first; by default that of `rate_trace`.",
    )
    .optional(),
];

/// CPU costs of a host: none by default; measure them or fit them to measurements.
const COSTS: &[Key] = &with_defaults::<{ host::COSTS.len() }>(
    host::COSTS,
    &[("packet", "\"0 s\""), ("per_byte", "\"0 s\""), ("ack", "\"0 s\""), ("receive_delay", "\"0 s\"")],
);

/// TCP parameters of a host, by default those of today.
const TCP: &[Key] = &with_defaults::<{ host::TCP.len() }>(host::TCP, &[("profile", "\"modern\"")]);

/// The keys of a list, some with other defaults. An unknown one does not compile.
const fn with_defaults<const N: usize>(declared: &[Key], defaults: &[(&str, &'static str)]) -> [Key; N] {
    let mut keys = [declared[0]; N];
    let (mut place, mut changed) = (0, 0);
    while place < N {
        keys[place] = declared[place];
        let mut at = 0;
        while at < defaults.len() {
            if is_same(declared[place].name.as_bytes(), defaults[at].0.as_bytes()) {
                keys[place] = declared[place].default(defaults[at].1, ASSUMED);
                changed += 1;
            }
            at += 1;
        }
        place += 1;
    }
    assert!(changed == defaults.len(), "an unknown key");
    keys
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}

/// As of an echo, but requests over TCP and XTP may be longer than a datagram.
const PROBE: &[Key] = &[
    Key {
        kind: Kind::Quantity(Dimension::Size, between("1 B", "1 MiB")),
        help: "Echo: user data of a request and of its response; of a datagram at most 65507 B.",
        option: Some(Flag {
            name: "exchange-size",
            group: group::ALL,
            help: "User data of a request and of its response; several in turn: '64,1024 B'. [64 B]",
        }),
        ..flow::ECHO[0]
    },
    key("round_trips", Kind::Integer(0, 1_000_000_000), "XTP: requests and their responses, one after the other.")
        .default("1000", ASSUMED)
        .live()
        .flag_with_help(
            "exchanges",
            group::ALL,
            "XTP and radio: requests and responses, one after the other. [1000, radio 20]",
        ),
];

const STATION: &[Key] = &[
    PROFILE,
    key(
        "type",
        Kind::Word(&[
            word("host", "sends and receives, on one medium"),
            word("router", "forwards, on any number of media"),
        ]),
        "Kind of station.",
    )
    .default("\"host\"", ASSUMED),
    key(
        "forwarding_delay",
        time(SPAN),
        "Router: delay from a packet's last bit until it joins the queue of its next link.",
    )
    .default("\"0 s\"", ASSUMED),
    key("costs", Kind::Table(COSTS), "Host: CPU and NIC costs of a packet.").default("{}", ASSUMED),
    key("tcp", Kind::Table(TCP), "Host: TCP parameters.").default("{}", ASSUMED),
];

/// All of IP networks.
pub static IP: NetworkKeys = NetworkKeys {
    kind: "ip",
    also_called: &[],
    help: "Paths of IP networks: requests over UDP and TCP, streams and bulk transfers over links with rate, delay, loss and queues.",
    tables: &[
        common::NETWORK,
        TableKeys {
            name: "medium",
            shape: Shape::Many,
            keys: &[&[NAME, PROFILE, RATE], TRACES, medium::DISTANCE, queue::OF_MEDIUM, BACK],
            help: "Identical links: one between two stations, or one from a router to each of its hosts on this medium.",
        },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME, common::COUNT, ON], STATION],
            help: "A host or a router, or several identical ones.",
        },
        TableKeys {
            name: "flow",
            shape: Shape::Many,
            keys: &[
                flow::ENDS,
                flow::ECHO,
                flow::SERVER,
                flow::AT_INTERVALS,
                flow::IN_TURN,
                flow::STREAM,
                flow::OVER_TCP,
                flow::CALLS,
                &[flow::DSCP],
                flow::CONDITIONED,
                flow::BULK_START,
            ],
            help: "Requests over UDP or TCP, datagrams in one direction, a bulk transfer or calls between two hosts.",
        },
        TableKeys {
            name: "probe",
            shape: Shape::One,
            keys: &[flow::PROBED, PROBE, flow::ECHO.split_at(1).1, flow::SERVER, flow::ECHO_START],
            help: "The measured echo: a client's UDP requests to a server, in a closed loop.",
        },
        TableKeys {
            name: "background",
            shape: Shape::One,
            keys: &[flow::BULK_ENDS, flow::BULK, flow::BULK_START],
            help: "Bulk transfers that load the network during the probe.",
        },
        live::measure::OF_HOSTS,
        live::load::LOAD,
        live::monitor::MONITOR,
        live::monitor::TARGET,
        live::mesh::MESH,
        live::mesh::AGENT,
        live::measure::XTP,
        crate::keys::EVENTS,
        RUN,
        QUESTION,
        OPTION,
    ],
    shorthands: &[],
    uniform_medium: None,
    template: include_str!("template.toml"),
    measurements: &[
        Measurement { name: "ip-measurement", template: include_str!("measurement.toml") },
        Measurement { name: "monitor", template: include_str!("monitor.toml") },
        Measurement { name: "mesh", template: include_str!("mesh.toml") },
    ],
    actions: &crate::keys::ACTIONS,
    unnamed_if_empty: &[],
    tunables: &[
        tunable("queue", "medium", "queue.kind", Whose::Each, &["codel", "fq-codel", "cake", "pie", "dualpi2"]),
        scaled("queue-limit", "medium", "queue.limit", Whose::Each, &[0.25, 4.0]),
        scaled("rate", "medium", "rate", Whose::Each, &[2.0]),
        scaled("shaping-rate", "medium", "queue.shaping.rate", Whose::Each, &[0.9, 0.8]),
        tunable("dscp", "flow", "dscp", Whose::Probed, &["EF"]),
    ],
    rules: rules::check,
};
