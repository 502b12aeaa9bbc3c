//! Keys of `[monitor]` and `[[target]]`: what `sojourn monitor` measures continuously, and what it keeps.

use super::{DESIGN, group, services};
use crate::keys::{Key, Kind, Secrecy, Shape, TableKeys, above, between, common, key, time, word};
use crate::quantity::Dimension;

/// Name of the table of what all targets have in common.
pub const TABLE: &str = "monitor";
/// Name of the list of targets.
pub const TARGETS: &str = "target";

/// `[monitor]`: what all targets have in common.
pub const MONITOR: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::One,
    keys: &[&[
        key("window", time(between("1 s", "1 h")), "Length of a window, which has metrics of its own.")
            .default("\"60 s\"", DESIGN)
            .live()
            .flag("window", group::ALL),
        key(
            "raise_after",
            Kind::Integer(1, 1000),
            "Windows in a row that miss a condition of [expect] before it is an alert.",
        )
        .default("2", DESIGN)
        .live(),
        key("clear_after", Kind::Integer(1, 1000), "Windows in a row that meet it before the alert is cleared.")
            .default("2", DESIGN)
            .live(),
        key(
            "metrics",
            Kind::Text,
            "Address and port of the OpenMetrics endpoint, HTTP without encryption; \"off\" for none.",
        )
        .default("\"127.0.0.1:18621\"", DESIGN)
        .live()
        .flag("metrics", group::ALL),
        key(
            "quiet",
            Kind::Texts,
            "Times in which no alert is raised or cleared, UTC: \"22:00-06:00\", \"sat-sun 00:00-24:00\".",
        )
        .optional()
        .live()
        .flag("quiet", group::ALL),
        key(
            "disk",
            Kind::Quantity(Dimension::Size, between("10 MB", "10000000 MB")),
            "Largest size of all files of windows: the oldest is deleted when they exceed it.",
        )
        .default("\"1000 MB\"", DESIGN)
        .live(),
    ]],
    help: "Monitoring without an end (`sojourn monitor`): windows, alerts and what is kept.",
};

/// `[[target]]`: a peer that is monitored.
pub const TARGET: TableKeys = TableKeys {
    name: TARGETS,
    shape: Shape::Many,
    keys: &[&[Key { world: crate::keys::ObeyedBy::Live, ..common::NAME }], KEYS, services::KEYS],
    help: "A peer that `sojourn monitor` sends requests to, besides all others.",
};

/// Response timeout of continuous measurements.
pub(super) const TIMEOUT: Key =
    key("timeout", time(above("0 s", "1 min")), "Response timeout: later responses count as late.")
        .default("\"1 s\"", DESIGN)
        .live()
        .flag("timeout", group::ALL);
/// Marking of their requests.
pub(super) const DSCP: Key = key("dscp", Kind::Integer(0, 63), "Differentiated services code point of requests.")
    .default("0", "RFC 2474")
    .live();

const KEYS: &[Key] = &[
    key(
        "peer",
        Kind::Text,
        "URL of the peer of a timed test, as sojourn://HOST; `sojourn measure --help` lists the schemes.",
    )
    .live()
    .secret(Secrecy::Url),
    key("rate", Kind::Quantity(Dimension::Rate, between("1 /min", "1000 /s")), "Requests per second, open loop.")
        .default("\"10 /s\"", DESIGN)
        .live()
        .flag("rate", group::ALL),
    key(
        "schedule",
        Kind::Word(&[
            word("periodic", "one request every 1/rate"),
            word("poisson", "exponential intervals of mean 1/rate"),
        ]),
        "When requests leave.",
    )
    .default("\"periodic\"", DESIGN)
    .live(),
    key(
        "size",
        Kind::Quantity(Dimension::Size, between("16 B", "65507 B")),
        "User data of a request: 64 B at least of sojourn://, 44 B of stamp://, whose headers fill that.",
    )
    .default("\"64 B\"", DESIGN)
    .live(),
    TIMEOUT,
    key(
        "transport",
        Kind::Word(&[word("udp", "a datagram each"), word("tcp", "one connection for all")]),
        "sojourn://: transport protocol of requests and responses.",
    )
    .default("\"udp\"", DESIGN)
    .live(),
    DSCP,
    key("bind", Kind::Text, "Address of this host that requests are sent from; without it the system chooses.")
        .optional()
        .live(),
    key(
        "key_file",
        Kind::Text,
        "File of the key shared with the peer, mode 0600 or 0440; agents (sojourn://) without it: $SOJOURN_KEY.",
    )
    .optional()
    .live()
    .secret(Secrecy::File)
    .flag("key-file", group::ALL),
    key(
        "addresses",
        Kind::Word(&[
            word("first", "the first, IPv4 if there is one, followed as the name moves"),
            word("all", "each a target of its own, as the name resolves at the start"),
        ]),
        "Which addresses of the peer's name are measured.",
    )
    .default("\"first\"", DESIGN)
    .live()
    .flag("addresses", group::ALL),
    key("quiet", Kind::Texts, "Times without alerts of this target, besides those of [monitor].").optional().live(),
    key("expect", Kind::Texts, "Conditions of this target, besides [expect]: \"response_time.p99 < 20 ms\".")
        .optional()
        .live(),
    key(
        "load_every",
        time(between("1 min", "30 day")),
        "sojourn://: interval between times under the [[load]] of the document; without it never.",
    )
    .optional()
    .live(),
    key("load_duration", time(between("1 s", "10 min")), "How long the path is loaded each time.")
        .default("\"10 s\"", DESIGN)
        .live(),
];
