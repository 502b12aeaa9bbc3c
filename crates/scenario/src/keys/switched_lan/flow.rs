//! Keys of flows, and of the probe and the background that studies vary.

use super::super::common::{NAME, PROBE, SPAN};
use super::super::{Key, Kind, Target, above, between, key, time, word};
use super::lan::CATEGORIES;
use super::{ASSUMED, STUDY, TTCP};
use crate::quantity::Dimension;

/// Keys of `[[flow]]` beside those of what it does.
pub const ENDS: &[Key] = &[
    NAME,
    key("from", Kind::Names(Target::Station, &[]), "The host that asks or sends; of several, each on its own."),
    key(
        "to",
        Kind::Names(
            Target::Station,
            &[word("partner", "members 1 and 2, 3 and 4, ... of the sending station talk to each other")],
        ),
        "The host that answers or receives; several take turns: the first sender's, the second sender's, ...",
    ),
    key(
        "service",
        Kind::Word(&[
            word("echo", "a datagram of UDP to the other host and back, then the next"),
            word("bulk", "as many octets as go, over a TCP connection"),
        ]),
        "What it does.",
    ),
    PROBE,
];

/// Who is probed.
pub const PROBED: &[Key] = &[
    key("from", Kind::Names(Target::Station, &[]), "The client; without it there is no probe.").optional(),
    key("to", Kind::Names(Target::Station, &[]), "The server.").optional(),
];

/// Who sends beside the probe.
pub const BULK_ENDS: &[Key] = &[
    key("from", Kind::Names(Target::Station, &[]), "The hosts that send, in turn; without it there is no background.")
        .optional(),
    key("to", Kind::Names(Target::Station, &[]), "The hosts that receive, in turn.").optional(),
    key(
        "streams",
        Kind::Integer(0, 10_000),
        "How many: the first from the first sender to the first receiver, the second from the second to the second, ...",
    ).label("Bulk transfers")
    .default("1", STUDY),
    key(
        "direction",
        Kind::Word(&[
            word("forward", "all from `from` to `to`"),
            word("backward", "all from `to` to `from`"),
            word("alternating", "the first forward, the second backward, ..."),
        ]),
        "Which way they go.",
    )
    .default("\"forward\"", ASSUMED),
];

/// Keys of an echo.
pub const ECHO: &[Key] = &[
    key("size", Kind::Quantity(Dimension::Size, between("1 B", "65507 B")), "Echo: user data of a datagram.")
        .label("Request size")
        .default("\"64 B\"", STUDY),
    key("think", time(SPAN), "Echo: least pause between an answer and the next request.").default("\"0 s\"", ASSUMED),
    key("think_spread", time(SPAN), "Echo: the pause is longer by a uniform random time up to this.")
        .default("\"0 s\"", ASSUMED),
    key("timeout", time(above("0 s", "1 h")), "Echo: how long an answer is waited for; then the exchange is lost.")
        .default("\"2 s\"", ASSUMED),
];

/// Keys of a bulk transfer.
pub const BULK: &[Key] = &[
    key(
        "write",
        Kind::Quantity(Dimension::Size, between("1 B", "1024 MiB")),
        "Bulk: octets the program writes at a time.",
    )
    .default("\"8192 B\"", TTCP),
    key(
        "connection",
        Kind::Word(&[word("handshake", "opened when the flow begins"), word("established", "open from the start")]),
        "Bulk: how its TCP connection comes to be.",
    )
    .default("\"handshake\"", ASSUMED),
];

/// When an echo begins.
pub const ECHO_START: &[Key] = &[
    key("start", time(SPAN), "When the first request is made.").default("\"0 s\"", ASSUMED),
    START_SPREAD.default("\"0 s\"", ASSUMED),
];

/// When a bulk transfer begins.
pub const BULK_START: &[Key] = &[
    key("start", time(SPAN), "When the first octets are written.").default("\"0 s\"", ASSUMED),
    START_SPREAD.default("\"100 ms\"", ASSUMED),
];

const START_SPREAD: Key = key("start_spread", time(SPAN), "It begins later by a uniform random time up to this.");

/// Keys of the circuit under a flow.
pub const CIRCUIT: &[Key] = &[
    key("service_category", Kind::Word(CATEGORIES), "Cells: the service of its circuit; without it, the LAN's.")
        .optional(),
    key(
        "virtual_channel",
        Kind::Integer(32, 65_535),
        "Cells: number of its circuit (VCI), the same on all links; of several, the first's. Without it, a free one from 100 on.",
    )
    .optional(),
];
