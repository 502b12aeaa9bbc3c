//! Keys of what links do to packets, and of the queues before them.

use super::super::common::SPAN;
use super::super::{Key, Kind, Preset, Variant, above, between, key, time, word};
use super::ASSUMED;
use crate::quantity::Dimension;

/// Ethernet.
const ETHERNET: &str = "IEEE 802.3";
/// What Linux has by default.
const LINUX: &str = "Linux";
/// CoDel.
const RFC_8289: &str = "RFC 8289";
/// FQ-CoDel.
const RFC_8290: &str = "RFC 8290";

/// What packets need of a medium, beside its rate and length.
pub const OF_MEDIUM: &[Key] = &[
    key(
        "mtu",
        Kind::Quantity(Dimension::Size, between("68 B", "65535 B")),
        "Packets: octets of the longest IP packet; a datagram too long for its way goes in fragments.",
    )
    .default("\"1500 B\"", ETHERNET),
    key(
        "framing_overhead",
        Kind::Quantity(Dimension::Size, between("0 B", "1000 B")),
        "Packets: what each takes on the link beside its own octets; of Ethernet preamble, header, check and gap.",
    )
    .default("\"38 B\"", ETHERNET),
    key(
        "least_packet",
        Kind::Quantity(Dimension::Size, between("0 B", "1500 B")),
        "Packets: octets that shorter ones are filled up to.",
    )
    .default("\"46 B\"", ETHERNET),
    key(
        "counted_header",
        Kind::Quantity(Dimension::Size, between("0 B", "1000 B")),
        "Packets: octets that queues and token buckets count for each beside its own.",
    )
    .default("\"14 B\"", LINUX),
    key(
        "loss",
        Kind::Quantity(Dimension::Fraction, between("0 %", "100 %")),
        "Share of packets, or of cells, that are lost on the link, each by chance.",
    )
    .default("\"0 %\"", ASSUMED),
    key("jitter", time(SPAN), "Packets: each is delayed by a uniform random time up to this as well.")
        .default("\"0 s\"", ASSUMED),
    key("reordering", Kind::Flag, "Packets: whether one that is delayed less overtakes those before it.")
        .default("false", ASSUMED),
    key("queue", Kind::Variants(QUEUE), "Packets: what waits before the link, at both ends.")
        .default("{ kind = \"fifo\" }", ASSUMED),
];

/// Disciplines of queues.
const QUEUE: &[Variant] = &[
    Variant { word: "fifo", help: "who came first is next", keys: &[LIMITED, SHAPED] },
    Variant {
        word: "codel",
        help: "who came first is next, and some are dropped while all wait too long (RFC 8289)",
        keys: &[LIMITED, CONTROLLED, SHAPED],
    },
    Variant {
        word: "round-robin",
        help: "flows take turns by octets: deficit round robin (Shreedhar and Varghese, 1996)",
        keys: &[LIMITED, TURNS, ROUND_ROBIN, SHAPED],
    },
    Variant {
        word: "fq-codel",
        help: "flows take turns, new ones first, and none waits too long (RFC 8290)",
        keys: &[WIDELY_LIMITED, TURNS, HASHED, CONTROLLED, SHAPED],
    },
    Variant {
        word: "classes",
        help: "a class for each flow under the token bucket, with a rate of its own and what it can borrow (Linux's HTB)",
        keys: &[LIMITED, TURNS, CLASSES, UNDER_BUCKET],
    },
];

const fn limit(help: &'static str) -> Key {
    key("limit", Kind::Integer(1, 10_000_000), help)
}

const OCTETS: Key = key(
    "limit_octets",
    Kind::Quantity(Dimension::Size, between("68 B", "1024 MiB")),
    "Octets that may wait; without it, the packets alone count.",
)
.optional();

const LIMITED: &[Key] =
    &[limit("Packets that may wait beside the one that is sent; of classes, in each.").default("1000", LINUX), OCTETS];

const WIDELY_LIMITED: &[Key] = &[limit("Packets that may wait in all its queues.").default("10240", RFC_8290), OCTETS];

const TURNS: &[Key] =
    &[key("quantum", Kind::Quantity(Dimension::Size, between("64 B", "1 MiB")), "Octets that a flow sends in a turn.")
        .default("\"1514 B\"", RFC_8290)];

const ROUND_ROBIN: &[Key] = &[
    key(
        "flow_limit",
        Kind::Integer(1, 10_000_000),
        "Packets of one flow that may wait; without it, all that find room.",
    )
    .optional(),
    key(
        "overflow",
        Kind::Word(&[
            word("longest", "the oldest packet of the flow with most octets waiting goes"),
            word("arriving", "the packet that comes goes"),
        ]),
        "Who is dropped when all room is taken.",
    )
    .default("\"longest\"", "P. McKenney, Stochastic fairness queueing, 1990"),
];

const HASHED: &[Key] = &[key(
    "queues",
    Kind::QuantityOr(Dimension::None, between("1", "1000000"), &[word("exact", "each flow has a queue of its own")]),
    "Into how many queues flows are hashed.",
)
.default("1024", RFC_8290)];

const CONTROLLED: &[Key] = &[
    key("target", time(above("0 s", "10 s")), "The wait that is accepted for good.").default("\"5 ms\"", RFC_8289),
    key("interval", time(above("0 s", "60 s")), "How long a longer wait is borne: about a round trip.")
        .default("\"100 ms\"", RFC_8289),
];

const fn rate(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::BitRate, between("1 kbit/s", "1000 Gbit/s")), help)
}

const fn burst(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::Size, between("64 B", "1 MiB")), help)
}

const CLASSES: &[Key] = &[
    rate("assured_rate", "What each flow may send whatever the others do.").default("\"64 kbit/s\"", ASSUMED),
    burst("assured_burst", "Octets that a flow may send at once at its assured rate.").default("\"1600 B\"", ASSUMED),
    rate("ceiling_rate", "What each flow may send at the most; without it, what the token bucket of all lets pass.")
        .optional(),
    burst("ceiling_burst", "Octets that a flow may send at once at its ceiling.").default("\"1600 B\"", ASSUMED),
];

/// A token bucket.
const SHAPING: &[Key] = &[
    rate("rate", "Bits per second, headers counted with."),
    burst("burst", "Octets that may go at once after a pause.").default("\"3200 B\"", ASSUMED),
];

const BUCKET: Key =
    key("shaping", Kind::Table(SHAPING), "The token bucket that all packets pass; it adds no time of its own.");

const SHAPED: &[Key] = &[BUCKET.optional()];
const UNDER_BUCKET: &[Key] = &[Key { preset: Preset::Required, ..BUCKET }];
