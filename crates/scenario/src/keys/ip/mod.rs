//! The keys of IP networks: paths of links with rate, delay, loss and queues, hosts and routers; echoes beside bulk
//! transfers. What links, hosts and flows are told is as in switched LANs; the defaults are today's.

use super::common::{self, NAME, ON, PROFILE, QUESTION, RUN, SPAN};
use super::switched_lan::{ASSUMED, flow, host, medium, queue};
use super::{Key, Kind, NetworkKeys, Shape, TableKeys, between, key, live, time, word};
use crate::quantity::Dimension;

const RATE: Key = key(
    "rate",
    Kind::QuantityOr(
        Dimension::BitRate,
        medium::LINK_RATE,
        &[word("unlimited", "packets take no time on it, as between the ends of a virtual Ethernet pair")],
    ),
    "Bits per second each way, framing among them.",
)
.default("\"1 Gbit/s\"", ASSUMED);

/// What a host's processor spends; today's are fast, and costs are fitted to measurements.
const COSTS: &[Key] = &with_defaults::<{ host::COSTS.len() }>(
    host::COSTS,
    &[("packet", "\"0 s\""), ("per_octet", "\"0 s\""), ("acknowledgement", "\"0 s\""), ("receive_delay", "\"0 s\"")],
);

/// How a host's TCP behaves: as today's, unless it says otherwise.
const TCP: &[Key] = &with_defaults::<{ host::TCP.len() }>(host::TCP, &[("profile", "\"modern\"")]);

/// The keys of a list, some with other defaults. One that the list does not have does not compile.
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
    assert!(changed == defaults.len(), "a key that the list does not have");
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
        ..flow::ECHO[0]
    },
    key("round_trips", Kind::Integer(0, 1_000_000_000), "XTP: requests and their responses, one after the other.")
        .default("1000", ASSUMED)
        .live(),
];

const STATION: &[Key] = &[
    PROFILE,
    key(
        "type",
        Kind::Word(&[
            word("host", "sends and receives, on one medium"),
            word("router", "forwards, on any number of media"),
        ]),
        "What it is.",
    )
    .default("\"host\"", ASSUMED),
    key(
        "forwarding_delay",
        time(SPAN),
        "Router: from a packet's last bit until it joins the queue before its next link.",
    )
    .default("\"0 s\"", ASSUMED),
    key("costs", Kind::Table(COSTS), "Host: what its processor and adapter spend on a packet.").default("{}", ASSUMED),
    key("tcp", Kind::Table(TCP), "Host: how its TCP behaves.").default("{}", ASSUMED),
];

/// All of IP networks.
pub static IP: NetworkKeys = NetworkKeys {
    kind: "ip",
    help: "Paths of IP networks: an echo beside bulk transfers over links with rate, delay, loss and queues.",
    tables: &[
        TableKeys {
            name: "network",
            shape: Shape::One,
            keys: &[common::NETWORK],
            help: "The kind of network, and its parameter set.",
        },
        TableKeys {
            name: "medium",
            shape: Shape::Many,
            keys: &[&[NAME, PROFILE, RATE], medium::DISTANCE, queue::OF_MEDIUM],
            help: "Links alike: one between two stations, or one from a router to each of its hosts on this medium.",
        },
        TableKeys {
            name: "station",
            shape: Shape::Many,
            keys: &[&[NAME, common::COUNT, ON], STATION],
            help: "A host or a router, or many alike.",
        },
        TableKeys {
            name: "flow",
            shape: Shape::Many,
            keys: &[flow::ENDS, flow::ECHO, flow::BULK, flow::BULK_START],
            help: "An echo or a bulk transfer between two hosts.",
        },
        TableKeys {
            name: "probe",
            shape: Shape::One,
            keys: &[flow::PROBED, PROBE, flow::ECHO.split_at(1).1, flow::ECHO_START],
            help: "The measured echo: a client's datagram to a server and back, and again.",
        },
        TableKeys {
            name: "background",
            shape: Shape::One,
            keys: &[flow::BULK_ENDS, flow::BULK, flow::BULK_START],
            help: "Bulk transfers beside the probe.",
        },
        live::measure::OF_HOSTS,
        live::load::LOAD,
        live::measure::XTP,
        RUN,
        QUESTION,
    ],
    shorthands: &[],
    uniform_medium: None,
    template: include_str!("template.toml"),
};
