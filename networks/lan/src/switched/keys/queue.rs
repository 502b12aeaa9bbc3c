//! Keys of packet links and of the queue disciplines before them.

use super::ASSUMED;
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::laws::path_time;
use sojourn_scenario::keys::{Key, Kind, Preset, Variant, above, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// Ethernet.
const ETHERNET: &str = "IEEE 802.3";
/// Defaults of Linux.
const LINUX: &str = "Linux";
/// CoDel.
const RFC_8289: &str = "RFC 8289";
/// Random early detection.
const RED: &str = "Floyd and Jacobson, 1993";
/// Thresholds of a widely used router.
const CISCO: &str = "Cisco IOS, random-detect dscp";
/// FQ-CoDel.
const RFC_8290: &str = "RFC 8290";

/// Keys of a medium that carries packets, in addition to its rate and length.
pub const OF_MEDIUM: &[Key] = &[
    key(
        "mtu",
        Kind::Quantity(Dimension::Size, between("68 B", "65535 B")),
        "Packets: maximum transmission unit (MTU), bytes; a datagram larger than the path's smallest MTU is fragmented by its sender.",
    )
    .default("\"1500 B\"", ETHERNET),
    key(
        "framing_overhead",
        Kind::Quantity(Dimension::Size, between("0 B", "1000 B")),
        "Packets: bytes per packet on the link in addition to the IP packet; for Ethernet preamble, header, FCS and interframe gap.",
    )
    .default("\"38 B\"", ETHERNET),
    key(
        "min_payload",
        Kind::Quantity(Dimension::Size, between("0 B", "1500 B")),
        "Packets: minimum payload, bytes; shorter packets are padded.",
    )
    .default("\"46 B\"", ETHERNET),
    key(
        "link_overhead",
        Kind::Quantity(Dimension::Size, between("0 B", "1000 B")),
        "Packets: bytes per packet that queues and token buckets count in addition to the IP packet (`overhead` of tc-stab).",
    )
    .default("\"14 B\"", LINUX),
    key(
        "loss",
        Kind::Quantity(Dimension::Fraction, between("0 %", "100 %")),
        "Loss probability of a packet or cell on the link, independent.",
    )
    .default("\"0 %\"", ASSUMED)
    .changeable(),
    key(
        "jitter",
        path_time(SPAN),
        "Packets: uniform random delay up to this, added to the delay of each packet, or its distribution.",
    )
    .default("\"0 s\"", ASSUMED)
        .changeable(),
    key("reordering", Kind::Flag, "Packets: whether jitter reorders packets.")
        .default("false", ASSUMED),
    key("queue", Kind::Variants(QUEUE), "Packets: queue discipline (qdisc) before the link, at both ends.")
        .default("{ kind = \"fifo\" }", ASSUMED),
];

/// Queue disciplines.
pub const QUEUE: &[Variant] = &[
    Variant { word: "fifo", help: "first in, first out, with tail drop", keys: &[LIMITED, DROPS_EARLY, SHAPED] },
    Variant {
        word: "codel",
        help: "first in, first out, with controlled delay (RFC 8289)",
        keys: &[LIMITED, CONTROLLED, MAY_MARK, SHAPED],
    },
    Variant {
        word: "drr",
        help: "deficit round robin among flows (Shreedhar and Varghese, 1996)",
        keys: &[LIMITED, TURNS, ROUND_ROBIN, SHAPED],
    },
    Variant {
        word: "fq-codel",
        help: "flow queuing: deficit round robin, new flows first, CoDel in each (RFC 8290)",
        keys: &[WIDELY_LIMITED, TURNS, HASHED, CONTROLLED, MARKS, SHAPED],
    },
    Variant {
        word: "priority",
        help: "strict priority of 8 traffic classes, by `pcp` or `dscp / 8` of the flow (IEEE 802.1Q, 8.6.8.1)",
        keys: &[LIMITED, DROPS_EARLY, SHAPED],
    },
    Variant {
        word: "htb",
        help: "hierarchical token bucket: a class per flow with a guaranteed rate that borrows up to its ceiling (tc-htb)",
        keys: &[LIMITED, TURNS, HTB, UNDER_BUCKET],
    },
];

const fn limit(help: &'static str) -> Key {
    key("limit", Kind::Integer(1, 10_000_000), help)
}

const OCTETS: Key = key(
    "limit_bytes",
    Kind::Quantity(Dimension::Size, between("68 B", "1024 MiB")),
    "Queue limit in bytes; by default only packets are limited.",
)
.optional();

const LIMITED: &[Key] = &[
    limit("Queue limit in packets, without the one in transmission; of htb and priority, per class.")
        .default("1000", LINUX),
    OCTETS,
];

const WIDELY_LIMITED: &[Key] =
    &[limit("Limit in packets of all its queues together.").default("10240", RFC_8290), OCTETS];

const TURNS: &[Key] =
    &[key("quantum", Kind::Quantity(Dimension::Size, between("64 B", "1 MiB")), "Bytes a flow may send per round.")
        .default("\"1514 B\"", RFC_8290)];

const ROUND_ROBIN: &[Key] = &[
    key(
        "flow_limit",
        Kind::Integer(1, 10_000_000),
        "Queue limit per flow in packets; by default only the total is limited.",
    )
    .optional(),
    key(
        "overflow",
        Kind::Word(&[
            word("longest-queue", "the oldest packet of the flow with the most bytes queued"),
            word("arriving", "the arriving packet (tail drop)"),
        ]),
        "Which packet is dropped when the limit is reached.",
    )
    .default("\"longest-queue\"", "P. McKenney, Stochastic fairness queueing, 1990"),
];

const HASHED: &[Key] = &[key(
    "queues",
    Kind::QuantityOr(Dimension::None, between("1", "1000000"), &[word("exact", "each flow has a queue of its own")]),
    "Number of queues that flows are hashed to.",
)
.default("1024", RFC_8290)];

const CONTROLLED: &[Key] = &[
    key("target", time(above("0 s", "10 s")), "CoDel target: acceptable minimum sojourn time.").default("\"5 ms\"", RFC_8289),
    key("interval", time(above("0 s", "60 s")), "CoDel interval: how long the sojourn time may exceed the target before packets are dropped; about the worst-case RTT.")
        .default("\"100 ms\"", RFC_8289),
];

/// Marks in place of drops.
const fn marking(help: &'static str) -> Key {
    key("ecn", Kind::Flag, help)
}

const MARKED: &str = "Whether packets of senders that understand it are marked (CE) in place of drops (RFC 3168).";
const MAY_MARK: &[Key] = &[marking(MARKED).default("false", LINUX)];
const MARKS: &[Key] = &[marking(MARKED).default("true", LINUX)];

const fn rate(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::BitRate, between("1 kbit/s", "1000 Gbit/s")), help)
}

const fn burst(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::Size, between("64 B", "1 MiB")), help)
}

const HTB: &[Key] = &[
    rate("rate", "Guaranteed rate of each class.").default("\"64 kbit/s\"", ASSUMED),
    burst("burst", "Bytes a class may send in a burst within its rate.").default("\"1600 B\"", ASSUMED),
    rate("ceil", "Maximum rate of each class, with borrowing; by default the rate of `shaping`.").optional(),
    burst("cburst", "Bytes a class may send in a burst within its ceil.").default("\"1600 B\"", ASSUMED),
];

/// Random early detection with thresholds for each drop precedence (WRED); of strict priority in each class.
const WRED: &[Key] = &[
    key("weight", Kind::Number(above("0", "1")), "Weight of an arrival in the average queue length (w_q).")
        .default("0.002", RED),
    key(
        "mean_packet",
        Kind::Quantity(Dimension::Size, between("64 B", "65535 B")),
        "While the queue is idle, the average decays as if packets of this size were sent.",
    )
    .default("\"1000 B\"", LINUX),
    marking("Whether packets of senders that understand it are marked (CE) in place of drops; the full queue drops all the same.")
        .default("false", LINUX),
    threshold("green_min", "Average queue length, packets, from which green packets (AFx1) are dropped at random.")
        .default("32", CISCO),
    threshold("green_max", "Average queue length from which all green packets are dropped.").default("40", CISCO),
    threshold("yellow_min", "As `green_min`, of yellow packets (AFx2).").default("28", CISCO),
    threshold("yellow_max", "As `green_max`, of yellow packets (AFx2).").default("40", CISCO),
    threshold("red_min", "As `green_min`, of red packets (AFx3).").default("24", CISCO),
    threshold("red_max", "As `green_max`, of red packets (AFx3).").default("40", CISCO),
    key("probability", Kind::Number(above("0", "1")), "Drop probability just below the upper thresholds (max_p).")
        .default("0.1", CISCO),
];

const fn threshold(name: &'static str, help: &'static str) -> Key {
    key(name, Kind::Integer(1, 10_000_000), help)
}

const DROPS_EARLY: &[Key] = &[key(
    "wred",
    Kind::Table(WRED),
    "Random early detection by drop precedence of assured forwarding (RFC 2597), of priority in each class; packets without one are dropped at the limit alone.",
)
.optional()];

/// A token bucket.
const SHAPING: &[Key] = &[
    rate("rate", "Token rate, bits per second; `link_overhead` counts."),
    burst("burst", "Bucket size: bytes that may be sent in a burst.").default("\"3200 B\"", ASSUMED),
];

const BUCKET: Key = key("shaping", Kind::Table(SHAPING), "Token bucket filter for all packets of the queue.");

const SHAPED: &[Key] = &[BUCKET.optional()];
const UNDER_BUCKET: &[Key] = &[Key { preset: Preset::Required, ..BUCKET }];
