//! Keys of packet links and of the queue disciplines before them.

use super::ASSUMED;
use crate::ip::Carrier;
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::laws::path_time;
use sojourn_scenario::keys::{Key, Kind, Variant, Word, above, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// Ethernet.
const ETHERNET: &str = "IEEE 802.3";
/// Defaults of Linux.
const LINUX: &str = "Linux";
/// CoDel.
const RFC_8289: &str = "RFC 8289";
/// Random early detection.
const RED: &str = "Floyd and Jacobson, 1993";
/// Its example of thresholds.
const TC_RED: &str = "tc-red(8)";
/// PIE.
const RFC_8033: &str = "RFC 8033";
/// DualPI2.
const RFC_9332: &str = "RFC 9332";
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

/// What a word of CAKE's `overhead` stands for (tc-cake(8)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Octets beside an IP packet; `None`: as the queue counts it.
    pub overhead: Option<u32>,
    /// Octets that shorter packets count.
    pub minimum: u32,
    /// What carries packets.
    pub carrier: Carrier,
}

impl Preset {
    /// That of a word, if it is one.
    pub fn of(word: Option<&str>) -> Option<Preset> {
        let of = |overhead, minimum, carrier| Some(Preset { overhead: Some(overhead), minimum, carrier });
        match word? {
            "raw" => Some(Preset { overhead: None, minimum: 0, carrier: Carrier::Plain }),
            "conservative" => of(48, 0, Carrier::Atm),
            "ethernet" => of(38, 84, Carrier::Plain),
            "docsis" => of(18, 64, Carrier::Plain),
            "pppoe-ptm" => of(30, 0, Carrier::Ptm),
            "bridged-ptm" => of(22, 0, Carrier::Ptm),
            "ipoa-vcmux" => of(8, 0, Carrier::Atm),
            "ipoa-llcsnap" => of(16, 0, Carrier::Atm),
            "bridged-vcmux" => of(24, 0, Carrier::Atm),
            "bridged-llcsnap" => of(32, 0, Carrier::Atm),
            "pppoa-vcmux" => of(10, 0, Carrier::Atm),
            "pppoa-llc" => of(14, 0, Carrier::Atm),
            "pppoe-vcmux" => of(32, 0, Carrier::Atm),
            "pppoe-llcsnap" => of(40, 0, Carrier::Atm),
            _ => None,
        }
    }
}

/// Queue disciplines.
pub const QUEUE: &[Variant] = &[
    Variant { word: "fifo", help: "first in, first out, with tail drop", keys: &[LIMITED, DROPS_EARLY, SHAPED] },
    Variant {
        word: "codel",
        help: "first in, first out, with controlled delay (RFC 8289)",
        keys: &[LIMITED, CONTROLLED, MAY_MARK, CE_THRESHOLD, SHAPED],
    },
    Variant {
        word: "pie",
        help: "first in, first out, with drops at random by a controller of the delay (PIE, RFC 8033)",
        keys: &[LIMITED, PIE, SHAPED],
    },
    Variant {
        word: "red",
        help: "first in, first out, with random early detection by bytes (Floyd and Jacobson, 1993; tc-red)",
        keys: &[LIMITED, OF_RED, SHAPED],
    },
    Variant {
        word: "dualpi2",
        help: "a queue of low latency for ECT(1) beside a classic one, coupled by one controller of the delay (RFC 9332)",
        keys: &[DUALLY_LIMITED, DUALPI2, SHAPED],
    },
    Variant {
        word: "drr",
        help: "deficit round robin among flows (Shreedhar and Varghese, 1996)",
        keys: &[LIMITED, TURNS, ROUND_ROBIN, SHAPED],
    },
    Variant {
        word: "fq-codel",
        help: "flow queuing: deficit round robin, new flows first, CoDel in each (RFC 8290)",
        keys: &[WIDELY_LIMITED, TURNS, HASHED, CONTROLLED, MARKS, CE_THRESHOLD, CE_SELECTOR, SHAPED],
    },
    Variant {
        word: "cake",
        help: "a shaper, tins by code point, flows under COBALT and fair between hosts (CAKE, tc-cake)",
        keys: &[CAKE, CAKE_LIMITED],
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

const CE_THRESHOLD: &[Key] = &[key(
    "ce_threshold",
    time(between("0 s", "10 s")),
    "Sojourn time beyond which every packet of a sender that understands it is marked (CE), whatever the controlled delay; by default none.",
)
.optional()];

const CE_SELECTOR: &[Key] = &[key(
    "ce_threshold_selector",
    Kind::Word(&[
        word("any", "any packet of a sender that understands it"),
        word("ect1", "packets with ECT(1), of scalable congestion controls (0x1/0x3)"),
    ]),
    "Which packets `ce_threshold` marks; by default any.",
)
.optional()];

const PIE: &[Key] = &[
    key("target", time(above("0 s", "10 s")), "Queueing delay that the controller aims at (QDELAY_REF).")
        .default("\"15 ms\"", RFC_8033),
    key("tupdate", time(between("100 us", "10 s")), "Time between updates of the drop probability (T_UPDATE).")
        .default("\"15 ms\"", RFC_8033),
    key("alpha", Kind::Number(between("0", "32")), "Weight of the delay beyond the target, per second.")
        .default("0.125", RFC_8033),
    key("beta", Kind::Number(between("0", "32")), "Weight of the delay's growth since the last update, per second.")
        .default("1.25", RFC_8033),
    key("max_burst", time(between("0 s", "10 s")), "How long nothing is dropped early after the queue was at rest.")
        .default("\"150 ms\"", RFC_8033),
    marking("Whether packets of senders that understand it are marked (CE) in place of drops, as long as the probability is 10 % at most.")
        .default("false", LINUX),
];

const OF_RED: &[Key] = &[
    key(
        "min",
        Kind::Quantity(Dimension::Size, between("64 B", "1024 MiB")),
        "Average queue length, bytes, from which packets are dropped at random.",
    )
    .default("\"30 kB\"", TC_RED),
    key(
        "max",
        Kind::Quantity(Dimension::Size, between("64 B", "1024 MiB")),
        "Average queue length, bytes, from which all packets are dropped.",
    )
    .default("\"90 kB\"", TC_RED),
    key("probability", Kind::Number(above("0", "1")), "Drop probability just below `max` (max_p).").default("0.02", LINUX),
    key(
        "avpkt",
        Kind::Quantity(Dimension::Size, between("64 B", "65535 B")),
        "Mean packet: for the weight of an arrival, and for the decay of the average while the queue is idle.",
    )
    .default("\"1000 B\"", TC_RED),
    key(
        "burst",
        Kind::Integer(1, 1_000_000),
        "Packets of a burst that pass undropped, which sets the weight of an arrival; by default (2 min + max) / (3 avpkt).",
    )
    .optional(),
    marking("Whether packets of senders that understand it are marked (CE) in place of drops; the full queue drops all the same.")
        .default("false", LINUX),
    key("harddrop", Kind::Flag, "Whether beyond `max` packets are dropped, not marked.").default("false", LINUX),
];

const DUALLY_LIMITED: &[Key] =
    &[limit("Limit in packets of both its queues together.").default("10000", LINUX), OCTETS];

const DUALPI2: &[Key] = &[
    key("target", time(above("0 s", "10 s")), "Queueing delay of the classic queue that the controller aims at.")
        .default("\"15 ms\"", RFC_9332),
    key("tupdate", time(between("100 us", "10 s")), "Time between updates of the base probability.")
        .default("\"16 ms\"", LINUX),
    key("alpha", Kind::Number(between("0", "1000")), "Weight of the delay beyond the target, per second (integral gain).")
        .default("0.16", LINUX),
    key("beta", Kind::Number(between("0", "1000")), "Weight of the delay's growth, per second (proportional gain).")
        .default("3.2", LINUX),
    key(
        "coupling_factor",
        Kind::Integer(1, 255),
        "What the base probability is multiplied with for marks of the queue of low latency; the classic queue has its square.",
    )
    .default("2", RFC_9332),
    key("step_thresh", time(between("0 s", "10 s")), "Sojourn time beyond which a packet of the queue of low latency is marked.")
        .default("\"1 ms\"", LINUX),
    key(
        "min_qlen_step",
        Kind::Integer(0, 1_000_000),
        "Packets that the queue of low latency must have had at a packet's arrival for `step_thresh` to mark it; 1 spares a packet alone (RFC 9332, A.1).",
    )
    .default("0", LINUX),
    key(
        "classic_protection",
        Kind::Quantity(Dimension::Fraction, between("0 %", "100 %")),
        "Share of the classic queue while both have packets, in whole percent.",
    )
    .default("\"10 %\"", LINUX),
    key(
        "on_overload",
        Kind::Word(&[
            word("drop", "packets of both queues are dropped (drop_on_overload)"),
            word("overflow", "all are marked, and the queue grows to its limit (overflow)"),
        ]),
        "What happens once marks alone do not hold the delay.",
    )
    .default("\"drop\"", LINUX),
    key(
        "drop_at",
        Kind::Word(&[
            word("dequeue", "when a packet leaves (drop_dequeue)"),
            word("enqueue", "when it arrives (drop_enqueue)"),
        ]),
        "When the controller drops or marks.",
    )
    .default("\"dequeue\"", LINUX),
    key(
        "low_latency",
        Kind::Word(&[word("l4s-ect", "ECT(1) and CE (l4s_ect)"), word("any-ect", "ECT(0) as well (any_ect)")]),
        "Which packets have low latency.",
    )
    .default("\"l4s-ect\"", RFC_9332),
];

const CAKE: &[Key] = &[
    key(
        "bandwidth",
        Kind::QuantityOr(
            Dimension::BitRate,
            between("1 kbit/s", "1000 Gbit/s"),
            &[word("unlimited", "no shaper: packets go as fast as the link takes them")],
        ),
        "Rate of its shaper, which lets nothing go in a burst.",
    )
    .default("\"unlimited\"", LINUX),
    key(
        "overhead",
        Kind::QuantityOr(Dimension::Size, between("0 B", "256 B"), OVERHEADS),
        "Bytes beside an IP packet that the shaper counts, or those of a kind of link, with its `mpu` and `framing`.",
    )
    .default("\"raw\"", LINUX),
    key(
        "mpu",
        Kind::Quantity(Dimension::Size, between("0 B", "256 B")),
        "Bytes that shorter packets count, `overhead` included; by default that of the kind of link, or none.",
    )
    .optional(),
    key(
        "framing",
        Kind::Word(&[
            word("noatm", "packets as they are"),
            word("atm", "cells: 53 bytes for each 48 or part of them"),
            word("ptm", "a byte more for each 64 or part of them"),
        ]),
        "What carries packets behind the shaper; by default that of the kind of link, or noatm.",
    )
    .optional(),
    key(
        "tins",
        Kind::Word(&[
            word("diffserv3", "low priority (CS1, LE), best effort, and latency sensitive (CS6, CS7, EF, VA)"),
            word(
                "diffserv4",
                "streaming media (AF2x, AF3x, AF4x, CS2, CS3) as well; CS4 and CS5 are latency sensitive",
            ),
            word("diffserv8", "eight"),
            word("besteffort", "one for all"),
            word("precedence", "one for each of eight precedences"),
        ]),
        "Tins and their code points (`dscp` of flows).",
    )
    .default("\"diffserv3\"", LINUX),
    key(
        "isolation",
        Kind::Word(&[
            word("triple-isolate", "each flow has a queue; source hosts and destination hosts share fairly first"),
            word("dual-srchost", "each flow has a queue; source hosts share fairly first"),
            word("dual-dsthost", "each flow has a queue; destination hosts share fairly first"),
            word("flows", "each flow has a queue"),
            word("hosts", "each pair of hosts has a queue"),
            word("srchost", "each source host has a queue"),
            word("dsthost", "each destination host has a queue"),
            word("flowblind", "one queue for all"),
        ]),
        "What has a queue of its own, and what shares fairly.",
    )
    .default("\"triple-isolate\"", LINUX),
    key(
        "rtt",
        Kind::QuantityOr(Dimension::Time, between("1 us", "1000 s"), RTTS),
        "Round-trip time of the paths: COBALT's interval; its target is a twentieth.",
    )
    .default("\"internet\"", LINUX),
];

const RTTS: &[Word] = &[
    word("datacentre", "100 us"),
    word("lan", "1 ms"),
    word("metro", "10 ms"),
    word("regional", "30 ms"),
    word("internet", "100 ms"),
    word("oceanic", "300 ms"),
    word("satellite", "1 s"),
    word("interplanetary", "1000 s"),
];

const OVERHEADS: &[Word] = &[
    word("raw", "as the queue counts packets, with `link_overhead`"),
    word("conservative", "48 B, atm"),
    word("ethernet", "38 B, mpu 84 B"),
    word("docsis", "18 B, mpu 64 B"),
    word("pppoe-ptm", "30 B, ptm"),
    word("bridged-ptm", "22 B, ptm"),
    word("ipoa-vcmux", "8 B, atm"),
    word("ipoa-llcsnap", "16 B, atm"),
    word("bridged-vcmux", "24 B, atm"),
    word("bridged-llcsnap", "32 B, atm"),
    word("pppoa-vcmux", "10 B, atm"),
    word("pppoa-llc", "14 B, atm"),
    word("pppoe-vcmux", "32 B, atm"),
    word("pppoe-llcsnap", "40 B, atm"),
];

const CAKE_LIMITED: &[Key] = &[Key {
    help: "Queue limit in bytes of packets (`memlimit`, which in Linux counts their buffers as well); by default what `bandwidth` carries in four `rtt`, 4 MiB at least and 10240 of the longest packets at most.",
    ..OCTETS
}];

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
    .default("\"1000 B\"", TC_RED),
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
const UNDER_BUCKET: &[Key] = &[Key { preset: sojourn_scenario::keys::Preset::Required, ..BUCKET }];
